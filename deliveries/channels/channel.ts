import type { DeliveryConfig, DeliveryType } from '../../schema/monitor/delivery-config.ts'
import type { DeliveryLog } from '../loop/delivery-log.ts'

/** A message to one destination. It is the same on each attempt. */
export interface Message<T extends DeliveryType = DeliveryType> {
  /** The id of the delivery or the notice. */
  readonly id: string
  /** An opaque key of the team, for the turns that teams take at name lookups. */
  readonly team: string
  readonly config: Extract<DeliveryConfig, { type: T }>
  /** The payload as it was stored when the run fired. */
  readonly payload: string
  /** The monitor's signing secrets that are valid now, newest first. */
  readonly secrets: readonly string[]
  /** The kind of a notice. Absent or null: a delivery. */
  readonly notice?: string | null
}

/** What a channel may use besides the message. */
export interface SendContext {
  /** Aborts when the process has to end before the attempt is complete. */
  readonly signal: AbortSignal
  readonly log: DeliveryLog
  /**
   * Waits for this many milliseconds, because the destination asked for it, while others may use the slot of the
   * attempt. Resolves to true with a slot again, and to false if there was none until `untilMs` (`performance.now()`).
   * Absent: attempts do not wait.
   */
  readonly rest?: (ms: number, untilMs: number) => Promise<boolean>
  /** The destination asked to wait for longer than this attempt lasts: no other message is sent to it before then. */
  readonly hold?: (ms: number) => void
}

/** The result of one attempt. */
export type AttemptOutcome =
  /** The destination answered. `body`: at most 4,096 characters that are safe to show. */
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly body: string | null
      /** The meaning of the answer where the status is not an HTTP status, as with a mail server. */
      readonly verdict?: 'success' | 'client_error' | 'server_error'
    }
  /** The destination did not answer, or may not be contacted just now. The attempt is repeated by the schedule. */
  | { readonly kind: 'no_answer'; readonly message: string }
  /** It cannot be sent, neither now nor later. */
  | { readonly kind: 'impossible'; readonly message: string }
  /** The signal ended the attempt. It does not count as one. */
  | { readonly kind: 'aborted' }

/** A way to deliver. `send` makes one attempt within its own deadline. It never rejects because of the outside. */
export interface Channel<T extends DeliveryType = DeliveryType> {
  send(message: Message<T>, ctx: SendContext): Promise<AttemptOutcome>
}

/** One channel for each type of destination. */
export type Channels = { readonly [T in DeliveryType]: Channel<T> }
