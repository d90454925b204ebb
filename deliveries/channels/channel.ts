import type { DeliveryConfig, DeliveryType } from '../../schema/monitor/delivery-config.ts'
import type { DeliveryLog } from '../loop/delivery-log.ts'

/** A message to one destination, once more the same on each attempt. */
export interface Message<T extends DeliveryType = DeliveryType> {
  /** The delivery's id. */
  readonly id: string
  readonly config: Extract<DeliveryConfig, { type: T }>
  /** The payload as it was stored when the run fired. */
  readonly payload: string
  /** The monitor's signing secrets that are valid now, newest first. */
  readonly secrets: readonly string[]
}

/** What a channel may use of the world. */
export interface SendContext {
  /** Aborts when this process has to end before the attempt has. */
  readonly signal: AbortSignal
  readonly log: DeliveryLog
}

/** What became of an attempt. */
export type AttemptOutcome =
  /** The destination answered. `body`: at most 4,096 characters that are safe to show. */
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly body: string | null
      /** What the answer means, where the status is not HTTP's: a mail server's. */
      readonly verdict?: 'success' | 'client_error' | 'server_error'
    }
  /** It did not, or may not be asked just now: tried again by the schedule. */
  | { readonly kind: 'no_answer'; readonly message: string }
  /** It cannot be sent, now or by trying again. */
  | { readonly kind: 'impossible'; readonly message: string }
  /** The signal ended it: it does not count as an attempt. */
  | { readonly kind: 'aborted' }

/** A way to deliver. `send` makes one attempt within its own deadline, and never rejects for what the outside does. */
export interface Channel<T extends DeliveryType = DeliveryType> {
  send(message: Message<T>, ctx: SendContext): Promise<AttemptOutcome>
}

/** One channel for each type of destination. */
export type Channels = { readonly [T in DeliveryType]: Channel<T> }
