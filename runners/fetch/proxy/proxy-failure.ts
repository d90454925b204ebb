import type { RunFault } from '../../../schema/run/run-fault.ts'

const PLAIN_CAUSES = ['unreachable', 'tls', 'garbage', 'silent', 'closed'] as const

/** Returns whether a failure with this cause has no status. */
export const isPlainCause = (cause: string): cause is (typeof PLAIN_CAUSES)[number] =>
  PLAIN_CAUSES.some((plain) => plain === cause)

/** How the proxy failed. `status` is the status of its response. */
export type ProxyFailure =
  | { readonly cause: (typeof PLAIN_CAUSES)[number] }
  | { readonly cause: 'credentials' | 'refused' | 'gateway'; readonly status: number }

/**
 * Returns the failure for a status of the proxy itself. For CONNECT that is any status but 2xx. For a forwarded request
 * it may be 407 or a gateway status.
 */
export function proxyStatus(status: number): ProxyFailure {
  if (status === 407) return { cause: 'credentials', status }
  return { cause: status >= 500 ? 'gateway' : 'refused', status }
}

/** Returns whether a proxy may have sent this status of a forwarded request itself. 590 to 599 are such by custom. */
export const isGatewayStatus = (status: number): boolean =>
  status === 407 || status === 502 || status === 504 || (status >= 590 && status <= 599)

/**
 * Returns the fault of a check whose last resort failed. It contains nothing of the proxy's address. `before` is the
 * message of the layer before.
 */
export function proxyFault(before: string, failure: ProxyFailure): RunFault {
  const reason = before.split(/(?<=\.) /, 1)[0] ?? before
  return {
    code: 'proxy_failed',
    message: `${reason} The proxy, which was tried next, ${MESSAGES[failure.cause](failure)}`.slice(0, 1_000),
  }
}

const OPERATOR = 'Tell the operator of this installation.'
const statusOf = (failure: ProxyFailure): string => ('status' in failure ? String(failure.status) : 'none')

const MESSAGES: Readonly<Record<ProxyFailure['cause'], (failure: ProxyFailure) => string>> = {
  unreachable: () => `could not be reached. ${OPERATOR}`,
  tls: () => `has no TLS certificate that we trust. ${OPERATOR}`,
  garbage: () => `answered with something that is not HTTP. ${OPERATOR}`,
  // Some proxies do so when they cannot reach the site.
  closed: () => 'closed the connection without an answer. It is tried again at the next run.',
  silent: () => 'did not answer in time. It is tried again at the next run.',
  credentials: () => `refused the credentials that are set for it (status 407). ${OPERATOR}`,
  refused: (failure) => `refused to fetch from this site (status ${statusOf(failure)}). ${OPERATOR}`,
  gateway: (failure) => `got no answer from the site (status ${statusOf(failure)}). It is tried again at the next run.`,
}
