import { OPENING_SETTING, type TlsCause } from '../../egress/egress-failure.ts'
import type { ExchangeFailure, ExchangePhase } from '../../egress/exchange.ts'

/**
 * Returns why a destination gave no answer, for the person who reads the delivery. The text names the host at most,
 * never a path, a query or a header.
 */
export function noAnswer(failure: ExchangeFailure, host: string): string {
  switch (failure.kind) {
    case 'denied':
      return (
        'The destination is not allowed: its address is private or reserved, or its port is not for webhooks. ' +
        'Use a public address, or have the operator of this installation open the range with ' +
        `${failure.opensWith ?? OPENING_SETTING}; link-local and metadata addresses stay blocked.`
      )
    case 'dns':
      return DNS[failure.cause](host)
    case 'connect':
      return CONNECT[failure.cause](host)
    case 'tls':
      return TLS[failure.cause](host)
    case 'timeout':
      return timedOut(failure.phase, host)
    case 'closed':
      return `${host} closed the connection without an answer.`
    case 'headers_too_large':
      return `${host} answered with more than 16 KiB of headers.`
    case 'bad_http':
      return `${host} answered with something that is not valid HTTP/1.1. Check that the port is a web server's.`
    case 'too_large':
    case 'aborted':
    case 'internal':
      return 'The attempt failed with an internal error. The log has the details under the id of the delivery.'
  }
}

const NETWORK = 'the network and the name servers of the machine that sends'

const DNS = {
  not_found: (host: string) =>
    `There is no host named ${host}. Check the spelling of the address, or whether the domain still exists.`,
  failed: (host: string) => `The host name ${host} could not be looked up. Check ${NETWORK}.`,
  timeout: (host: string) =>
    `Looking up ${host} took longer than the time allowed for name servers. If it lasts, check ${NETWORK}.`,
}

const CONNECT = {
  refused: (host: string) => `${host} refused the connection. Check the port, or whether the server is down.`,
  unreachable: (host: string) => `${host} cannot be reached from here.`,
  reset: (host: string) => `${host} closed the connection while it was being opened.`,
  timeout: (host: string) => `Connecting to ${host} took too long: nothing answered. Check the port, or a firewall.`,
  failed: (host: string) => `The connection to ${host} failed.`,
}

const TLS: Readonly<Record<TlsCause, (host: string) => string>> = {
  expired: (host) => `The TLS certificate of ${host} has expired. Renew it.`,
  not_yet_valid: (host) => `The TLS certificate of ${host} is not valid yet.`,
  self_signed: (host) => `The TLS certificate of ${host} is self-signed. Use one of a public authority.`,
  untrusted: (host) =>
    `The TLS certificate of ${host} is not signed by a trusted authority, or its server does not send the chain.`,
  wrong_host: (host) => `The TLS certificate is for another name than ${host}.`,
  old_protocol: (host) => `${host} does not support TLS 1.2 or later. Update its server.`,
  not_tls: (host) => `${host} does not speak TLS on this port. Use http:// if it has no https, or check the port.`,
  timeout: (host) => `The TLS handshake with ${host} took too long.`,
  failed: (host) => `The TLS handshake with ${host} failed. Check that the port is for https.`,
}

function timedOut(phase: ExchangePhase, host: string): string {
  if (phase === 'connect')
    return `Connecting to ${host} took too long: nothing answered. Check the port, or a firewall.`
  return (
    `${host} received the request and did not answer in time. A destination has 15 seconds: answer first, work ` +
    `afterwards.`
  )
}
