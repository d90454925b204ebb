import { OPENING_SETTING, type TlsCause } from '../../egress/egress-failure.ts'
import type { ExchangeFailure, ExchangePhase } from '../../egress/exchange.ts'
import type { RunFault, RunFaultCode } from '../../schema/run/run-fault.ts'

/** What a message may contain: the host, never the path, the query or a header. */
interface FaultContext {
  readonly host: string
}

function fault(code: RunFaultCode, message: string): RunFault {
  return { code, message }
}

/** The one fault for every target that is not allowed: it must not reveal what answers at the address. */
const targetNotAllowed = (opensWith = OPENING_SETTING): RunFault =>
  fault(
    'target_not_allowed',
    'The target is not allowed: it leads to a private or reserved address, or to a port that is not fetched. ' +
      `Use a public address, or have the operator of this installation open the range with ${opensWith}; ` +
      'link-local and metadata addresses stay closed.',
  )

/** Returns the fault of an exchange that gave no complete response. */
export function exchangeFault(failure: ExchangeFailure, { host }: FaultContext, maxWireBytes: number): RunFault {
  switch (failure.kind) {
    case 'denied':
      return targetNotAllowed(failure.opensWith)
    case 'dns':
      return fault(failure.cause === 'timeout' ? 'timeout' : 'dns_failed', DNS[failure.cause](host))
    case 'connect':
      return fault(failure.cause === 'timeout' ? 'timeout' : 'connect_failed', CONNECT[failure.cause](host))
    case 'tls':
      return fault(failure.cause === 'timeout' ? 'timeout' : 'tls_failed', TLS[failure.cause](host))
    case 'timeout':
      return fault('timeout', timedOut(failure.phase, failure.limit, host))
    case 'closed':
      return fault('connect_failed', closed(failure.phase, host))
    case 'headers_too_large':
      return fault(
        'too_large',
        `${host} sent more than 16 KiB of response headers. Tell the site's owner; a browser would refuse them too.`,
      )
    case 'too_large':
      return tooLarge('wire', maxWireBytes)
    case 'bad_http':
      return fault(
        'connect_failed',
        `${host} answered with something that is not valid HTTP/1.1. Check that the port is a web server's.`,
      )
    case 'aborted':
      return fault('internal', 'The check was stopped before it was done. It will be run again.')
    case 'internal':
      return fault('internal', 'The check failed through an internal error. The log has the details under the run id.')
  }
}

/** Without a network no name server answers, and the owner of a page has nothing to mend. */
const NETWORK = 'the network and the name servers of the machine that makes the check'

const DNS: Readonly<Record<'not_found' | 'failed' | 'timeout', (host: string) => string>> = {
  not_found: (host) =>
    `There is no host named ${host}. Check the spelling of the URL, or whether the domain still exists.`,
  failed: (host) =>
    `The host name ${host} could not be looked up. Check ${NETWORK}; where other names are found, the domain is ` +
    'broken.',
  timeout: (host) =>
    `Looking up ${host} took longer than the time allowed for name servers. If it lasts, check ${NETWORK}.`,
}

const CONNECT: Readonly<Record<'refused' | 'unreachable' | 'reset' | 'timeout' | 'failed', (host: string) => string>> =
  {
    refused: (host) => `${host} refused the connection. Check the port of the URL, or whether the server is down.`,
    unreachable: (host) =>
      `${host} cannot be reached from here. Check whether the server is down; it is tried again at the next run.`,
    reset: (host) => `${host} closed the connection while it was being opened. It is tried again at the next run.`,
    timeout: (host) =>
      `Connecting to ${host} took too long: nothing answered. Check the port, or whether a firewall drops the packets.`,
    failed: (host) => `No connection to ${host} could be made. It is tried again at the next run.`,
  }

const TLS: Readonly<Record<TlsCause, (host: string) => string>> = {
  expired: (host) => `The TLS certificate of ${host} has expired. Tell the site's owner to renew it.`,
  not_yet_valid: (host) =>
    `The TLS certificate of ${host} is not valid yet. Tell the site's owner, or check this machine's clock.`,
  self_signed: (host) =>
    `The TLS certificate of ${host} is self-signed, so nobody vouches for it. Use a certificate of a public authority.`,
  untrusted: (host) =>
    `The TLS certificate of ${host} is not signed by an authority that we trust, or its server leaves out the ` +
    `chain. Tell the site's owner.`,
  wrong_host: (host) => `The TLS certificate is for another name than ${host}. Check the host name of the URL.`,
  old_protocol: (host) => `${host} does not support TLS newer than 1.1. Its server needs TLS 1.2 or later.`,
  not_tls: (host) =>
    `${host} does not speak TLS on this port. Use http:// if the site has no https, or check the port.`,
  timeout: (host) => `The TLS handshake with ${host} took too long. It is tried again at the next run.`,
  failed: (host) =>
    `The TLS handshake with ${host} failed. Check that the port is for https; the site may also refuse us.`,
}

function timedOut(phase: ExchangePhase, limit: 'total' | 'idle', host: string): string {
  const cause = limit === 'total' ? 'the time allowed for a check ran out' : 'no data came for too long'
  switch (phase) {
    case 'connect':
      return `Connecting to ${host} took too long: ${cause}. It is tried again at the next run.`
    case 'first_byte':
      return `${host} took the request and did not begin to answer: ${cause}. It is tried again at the next run.`
    case 'body':
      return `${host} began to answer and did not finish: ${cause}. If it lasts, watch a smaller page.`
  }
}

function closed(phase: ExchangePhase, host: string): string {
  return phase === 'body'
    ? `${host} closed the connection before the end of its answer. It is tried again at the next run.`
    : `${host} closed the connection without an answer. It is tried again at the next run; if it lasts, the site ` +
        `may be refusing us.`
}

/** The body exceeds a limit, before or after decoding. */
export function tooLarge(where: 'wire' | 'decoded', maxBytes: number): RunFault {
  const size = maxBytes >= 1_048_576 ? `${Math.floor(maxBytes / 1_048_576)} MiB` : `${maxBytes} bytes`
  const what = where === 'wire' ? 'The answer is larger than' : 'The answer unpacks to more than'
  return fault('too_large', `${what} ${size}. Watch a smaller page, or an API that answers with less.`)
}

/** The content encoding cannot be undone; `what` continues "The answer …". */
export const BROKEN = (what: string): RunFault => fault('bad_encoding', `The answer ${what}. Tell the site's owner.`)

/** The content encoding is not one that the static layer reads. */
export function unreadEncoding(name: string): RunFault {
  return fault(
    'bad_encoding',
    `The answer has the content encoding ${name}, which direct requests do not read. Set the request header ` +
      `Accept-Encoding to gzip; without a request_config, fetch_mode browser reads it too.`,
  )
}

export const EMPTY_BODY: RunFault = fault(
  'empty_body',
  'The answer has no body, so there is nothing to compare. Check that the URL still leads to a page.',
)

/** A status other than 2xx that is not a refusal. */
export function statusFault(status: number, host: string): RunFault {
  return fault('http_status', `${host} answered with status ${status}. ${statusAdvice(status)}`)
}

function statusAdvice(status: number): string {
  if (status === 304)
    return 'It means "not modified", which was not requested; remove conditional request headers from the monitor.'
  if (status === 404 || status === 410) return 'The page is gone; check the URL.'
  if (status === 405) return 'The method is not accepted there; check the request config.'
  if (status === 407) return 'A proxy on the way asks for credentials; tell the operator of this installation.'
  if (status === 451) return 'The page is withheld for legal reasons.'
  if (status >= 500) return 'The site has an internal error; it is tried again at the next run.'
  return 'Check the URL and the request headers in a browser.'
}

/** The layer that was refused. `direct`: a request_config, for which no other layer can be tried. */
export type RefusedLayer = 'static' | 'direct' | 'browser' | 'proxy'

/** What is left to try after a refusal. Only a static fetch has the browser behind it. */
const ADVICE: Readonly<Record<RefusedLayer, string>> = {
  static: 'set fetch_mode to browser, or try other request headers',
  direct: 'check the method, the body and the request headers',
  browser: 'the browser was refused too: try other request headers, or a longer interval',
  proxy: 'try other request headers, or a longer interval',
}

const CHALLENGES: Readonly<Record<RefusedLayer, string>> = {
  static: 'that only a browser can pass. Set fetch_mode to browser, or use a longer interval.',
  direct: 'that a direct request cannot pass. Watch an address of its API, or a page without a request_config.',
  browser: 'that the browser did not pass. Use a longer interval, or another address of the site.',
  proxy: 'that only a browser can pass. Use a longer interval, or another address of the site.',
}

/** The site answered and refused the request. The advice fits the layer that was refused. */
export function blockedFault(status: number, host: string, by: RefusedLayer, isChallenge: boolean): RunFault {
  if (isChallenge)
    return fault('blocked', `${host} answered with a challenge page (status ${status}) ${CHALLENGES[by]}`)
  return fault('blocked', `${host} answered with status ${status}. ${refusalAdvice(status, by)}`)
}

function refusalAdvice(status: number, by: RefusedLayer): string {
  if (status === 401) return 'It asks for credentials; set an Authorization request header.'
  if (status === 429) return 'It limits the number of requests; use a longer interval.'
  return `It refuses the request; ${ADVICE[by]}, and see whether its terms allow watching.`
}

/** A redirect that is not followed; `why` continues "… a redirect". */
export function redirectFault(host: string, why: string): RunFault {
  return fault('bad_redirect', `${host} answered with a redirect ${why}`)
}

export function tooManyRedirects(max: number, inLoop: boolean): RunFault {
  const what = inLoop ? 'The target redirects in a loop.' : `The target redirects more than ${max} times.`
  return fault('too_many_redirects', `${what} Open the URL in a browser and use the address where it ends.`)
}

/** A warning: the answer is that of a GET, although another method was configured. */
export const becameGet = (method: string, host: string): string =>
  `A redirect turned the ${method} into a GET without a body, as redirects with 301, 302 and 303 do. Use the address ` +
  `on ${host} where it ends in the monitor.`

/** The URL of a saved monitor that the URL check now refuses. */
export function unusableUrl(message: string): RunFault {
  return fault('target_not_allowed', `${message} Edit the monitor's URL.`)
}
