import type { IncomingHttpHeaders } from 'node:http'
import type { EgressFailure } from './egress-failure.ts'

/** The phase that an exchange had reached. `connect` includes waiting for a free connection. */
export type ExchangePhase = 'connect' | 'first_byte' | 'body'

/**
 * Why an exchange gave no complete response. Every cause from outside has its own kind; `internal` is a bug in
 * Tidemark.
 */
export type ExchangeFailure =
  | EgressFailure
  /** `total`: the deadline of the exchange passed; `idle`: no data came within the agent's idle limit. */
  | { readonly kind: 'timeout'; readonly phase: ExchangePhase; readonly limit: 'total' | 'idle' }
  | { readonly kind: 'closed'; readonly phase: ExchangePhase }
  | { readonly kind: 'headers_too_large' }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'bad_http' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'internal'; readonly error: unknown }

export type Exchange =
  | {
      readonly ok: true
      readonly status: number
      readonly headers: IncomingHttpHeaders
      /** The body as received, still content-encoded. */
      readonly chunks: readonly Uint8Array[]
      readonly wireBytes: number
      /** False when the body was cut off, which is allowed only where `BodyRule.partial` says so. */
      readonly complete: boolean
    }
  | { readonly ok: false; readonly failure: ExchangeFailure; readonly status: number | null }

/** How much of a body to read. */
export interface BodyRule {
  readonly maxBytes: number
  /** Whether a response counts although its body is too long, too slow or cut off. */
  readonly partial: boolean
}
