/** The setting that opens private ranges. */
export const OPENING_SETTING = 'TIDEMARK_ALLOW_PRIVATE_CIDRS'

/**
 * How a connection failed. `denied` carries no detail on purpose: it must not reveal whether a private host exists.
 * `opensWith` is that of the policy, where it is another one than the setting.
 */
export type EgressFailure =
  | { readonly kind: 'denied'; readonly opensWith?: string }
  | { readonly kind: 'dns'; readonly cause: 'not_found' | 'failed' | 'timeout' }
  | { readonly kind: 'connect'; readonly cause: 'refused' | 'unreachable' | 'reset' | 'timeout' | 'failed' }
  | { readonly kind: 'tls'; readonly cause: TlsCause }

export type TlsCause =
  | 'expired'
  | 'not_yet_valid'
  | 'self_signed'
  | 'untrusted'
  | 'wrong_host'
  | 'old_protocol'
  | 'not_tls'
  | 'timeout'
  | 'failed'

const DENIED: EgressFailure = { kind: 'denied' }

/** Returns the failure of a target that a policy does not allow. */
export const deniedBy = ({ opensWith }: { readonly opensWith: string }): EgressFailure =>
  opensWith === OPENING_SETTING ? DENIED : { kind: 'denied', opensWith }

/**
 * Carries an EgressFailure through undici, which requires an Error from a connector. Its message never contains the
 * target's name.
 */
export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly code = 'EGRESS_FAILED'
  readonly failure: EgressFailure

  constructor(failure: EgressFailure) {
    super(`egress failed: ${failure.kind}`)
    this.failure = failure
  }
}

const CONNECT_CAUSES: Readonly<Record<string, 'refused' | 'unreachable' | 'reset' | 'timeout'>> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ECONNRESET: 'reset',
  ETIMEDOUT: 'timeout',
}

/**
 * Returns the failure of a TCP connect. Happy Eyeballs gives an AggregateError; the reason of the last attempt is used.
 */
export function connectFailure(error: Error): EgressFailure {
  const inner = error instanceof AggregateError ? (error.errors.at(-1) as unknown) : error
  return { kind: 'connect', cause: CONNECT_CAUSES[errorCode(inner)] ?? 'failed' }
}

const TLS_CAUSES: Readonly<Record<string, TlsCause>> = {
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not_yet_valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
  CERT_UNTRUSTED: 'untrusted',
  CERT_REVOKED: 'untrusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrong_host',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'old_protocol',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'old_protocol',
  ERR_SSL_WRONG_VERSION_NUMBER: 'not_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'not_tls',
  ERR_SSL_HTTP_REQUEST: 'not_tls',
}

/** Returns the failure of a TLS handshake. */
export function tlsFailure(error: Error): EgressFailure {
  return { kind: 'tls', cause: TLS_CAUSES[errorCode(error)] ?? 'failed' }
}

/** Returns the `code` of a Node or undici error, or the empty string. */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}
