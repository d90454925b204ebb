import type { DeliveryConfig, DeliveryType } from '../../schema/monitor/delivery-config.ts'
import type { NamedFacts } from '../../store/deliveries/sealed-target.ts'
import type { DeliveryLog } from '../loop/delivery-log.ts'
import type { Mail } from '../mail/mailer.ts'
import type { DigestMessage } from '../messages/digest-story.ts'
import type { ChannelRequest } from './channel-request.ts'

/** A message to one destination. It is the same on each attempt. */
export interface Message<T extends DeliveryType = DeliveryType> {
  /** The id of the delivery or the notice. */
  readonly id: string
  /** An opaque key of the team, for the turns that teams take at name lookups. */
  readonly team: string
  readonly config: Extract<DeliveryConfig, { type: T }>
  /** What a text in the user's own words may name besides the payload. */
  readonly named?: NamedFacts | undefined
  /** Where the message tells of several changes. `payload` is that of one of them. */
  readonly digest?: DigestMessage | undefined
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

/** It cannot be sent, neither now nor later. */
type Impossible = Extract<AttemptOutcome, { kind: 'impossible' }>

/** One attempt that can be looked at before it is made. `send` makes it within the deadline of its channel. */
export type Prepared =
  | {
      readonly kind: 'request'
      readonly request: ChannelRequest
      /** Writes its body for people, with a mask in place of each secret option. Absent: the body has no secret. */
      readonly shownBody?: () => string
      /** The user has written the body, so it may hold a secret: only people who may write see it. */
      readonly isOwnBody?: boolean
      /** Returns what people should know of it. */
      readonly warnings?: () => readonly string[]
      send(ctx: SendContext): Promise<AttemptOutcome>
    }
  | { readonly kind: 'mail'; readonly mail: Mail; send(ctx: SendContext): Promise<AttemptOutcome> }
  | Impossible

/** A way to deliver. Neither method rejects because of the outside. */
export interface Channel<T extends DeliveryType = DeliveryType> {
  /** Writes what an attempt sends. The destination is asked nothing. */
  prepare(message: Message<T>): Promise<Prepared>
  /** Prepares and makes one attempt. */
  send(message: Message<T>, ctx: SendContext): Promise<AttemptOutcome>
}

/** Returns the channel that sends what it prepares, so that what is shown is what is sent. */
export const channelOf = <T extends DeliveryType>(prepare: Channel<T>['prepare']): Channel<T> => ({
  prepare,
  async send(message, ctx) {
    const prepared = await prepare(message)
    return prepared.kind === 'impossible' ? prepared : prepared.send(ctx)
  },
})

/** One channel for each type of destination. */
export type Channels = { readonly [T in DeliveryType]: Channel<T> }
