import type { IncomingHttpHeaders } from 'node:http'
import type { EgressFailure } from './egress-failure.ts'

/** How far one exchange had come. `connect` includes waiting for a free connection. */
export type ExchangePhase = 'connect' | 'first_byte' | 'body'

/**
 * Why an exchange gave no whole answer. Everything that the outside can cause has a kind of its own; `internal` is a
 * bug of ours.
 */
export type ExchangeFailure =
  | EgressFailure
  /** `total`: the deadline of the exchange ran out; `idle`: nothing came for as long as the agent waits. */
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
      /** The body as it came, content encodings in place. */
      readonly chunks: readonly Uint8Array[]
      readonly wireBytes: number
      /** False when the body was cut, which only happens where `BodyRule.partial` allows it. */
      readonly complete: boolean
    }
  | { readonly ok: false; readonly failure: ExchangeFailure; readonly status: number | null }

/** What to read of a body. */
export interface BodyRule {
  readonly maxBytes: number
  /** Whether an answer whose body is too long, too slow or cut off is still an answer. */
  readonly partial: boolean
}
