import { maskedAddress } from '../../schema/monitor/mask.ts'
import type { HoldReason } from '../../schema/monitor/quiet-hours.ts'
import type { Delivery, DeliveryPayload } from '../../schema/run/delivery.ts'
import type { NoticePayload } from '../../schema/run/notice.ts'
import type { Run } from '../../schema/run/run.ts'
import { clipped, distance } from '../output.ts'

/** What all commands say of deliveries. Nothing in it is made safe for a terminal. */

const COLOURS = { success: 'good', failed: 'bad', dead: 'bad', pending: 'waiting' } as const

/** Returns the status as a cell. One that is tried again is not a failure yet. */
export const deliveryStatus = ({ status, next_attempt_at: next }: Delivery) => ({
  text: status,
  colour: status === 'failed' && next !== null ? 'waiting' : COLOURS[status],
})

/** Returns what the status means for this delivery. */
export function deliveryState(delivery: Delivery): string {
  const { status, next_attempt_at: next, response_status: answer, held } = delivery
  if (status === 'success') return 'the destination took it'
  if (held !== undefined && next !== null) return `${HELD[held]}: it is sent ${nextAttempt(next)}`
  if (status === 'pending') return 'its first attempt is due'
  if (status === 'dead') return 'given up, because all attempts failed'
  if (next !== null) return `an attempt failed, and the next one is ${nextAttempt(next)}`
  return answer === null
    ? 'given up, because another attempt would fail too'
    : 'given up, because the destination refused it'
}

const HELD: Readonly<Record<HoldReason, string>> = {
  muted: 'held while the monitor is muted',
  digest: 'held for a digest',
  quiet_hours: 'held by quiet hours',
}

const nextAttempt = (instant: string) => {
  const between = distance(instant)
  return between.startsWith('in ') ? between : 'due'
}

/** Returns what the destination answered to the last attempt: a status of HTTP, or that there was none. */
export const answerOf = ({ attempts, status, response_status: answer }: Delivery): string =>
  answer === null ? (attempts === 0 || status === 'success' ? '-' : 'none') : String(answer)

/** Returns whether no attempt follows the one that failed. */
const isGivenUp = ({ status, next_attempt_at: next }: Delivery) =>
  status === 'dead' || (status === 'failed' && next === null)

/** Returns when the next attempt is, as a cell. */
export const nextCell = (delivery: Delivery) =>
  isGivenUp(delivery) ? ({ text: 'given up', colour: 'bad' } as const) : distance(delivery.next_attempt_at)

const isArrived = ({ status }: Delivery) => status === 'success'

/** Returns whether the messages of one run have arrived, as a cell. */
export function arrivedCell(messages: readonly Delivery[]) {
  if (messages.length === 0) return { text: '-' }
  const arrived = messages.filter(isArrived).length
  if (arrived === messages.length) return { text: 'yes', colour: 'good' } as const
  const colour = messages.some(isGivenUp) ? 'bad' : 'waiting'
  if (arrived > 0) return { text: `${arrived} of ${messages.length}`, colour } as const
  return { text: messages.some((one) => !isGivenUp(one)) ? 'not yet' : 'no', colour } as const
}

/** What stands in place of a message where there is nobody to send it to. */
export const NO_DESTINATION = { text: 'no destination', colour: 'aside' } as const

/** Returns whether something is known to be so. */
export const yesOrNo = (known: boolean | null) => (known === null ? '-' : known ? 'yes' : 'no')

/** Returns what is said beside a run that found a change: that it fired, and that the monitor has no destination. */
export function firedCell(
  { fired, delivery_triggered: isSent }: Run,
  { deliveries }: { readonly deliveries: readonly unknown[] },
) {
  if (fired && (isSent || deliveries.length > 0)) return { text: 'fired', colour: 'good' } as const
  if (fired) return { ...NO_DESTINATION, text: `fired, ${NO_DESTINATION.text}` }
  return fired === null && deliveries.length === 0 ? NO_DESTINATION : null
}

/** Returns whether they arrived in a sentence, with how long ago the messages were made. */
export function arrivedWords(messages: readonly Delivery[]): string {
  const [first] = messages
  if (!first) return 'none'
  const { text } = arrivedCell(messages)
  const words = { yes: 'arrived', no: 'did not arrive', 'not yet': 'has not arrived yet' }[text] ?? `${text} arrived`
  return `${words} (${distance(first.created_at)} ago)`
}

/** Returns a sentence for each message that was given up. */
export const lostMessages = (messages: readonly Delivery[]): readonly string[] =>
  messages.filter(isGivenUp).map((one) => {
    const more = `"./tidemark delivery ${one.id}" shows more`
    return `the last message did not arrive: ${destinationOf(one)}${whatCame(one)}; ${more}`
  })

/** Without an answer, what is stored in its place is why there was none. */
function whatCame(one: Delivery): string {
  if (answerOf(one) !== 'none') return ` answered ${answerOf(one)}`
  return one.response_body === null
    ? ' did not answer'
    : `: ${clipped(one.response_body.replace(/\.$/, ''), MAX_REASON)}`
}

const MAX_REASON = 200

/** Returns the channel and its address without secrets. */
export const destinationOf = ({ delivery_type: type, destination }: Delivery): string =>
  `${type} ${maskedAddress(destination)}`

/** The payload of a change, or that of a notice. */
const payloadOf = ({ payload }: Delivery) => payload as Partial<DeliveryPayload> & Partial<NoticePayload>

/** Returns the name that the monitor had when the message was made. */
export const monitorNameOf = (delivery: Delivery): string => payloadOf(delivery).monitor?.name ?? delivery.monitor_id

/** Returns what the message tells of. */
export function messageOf(delivery: Delivery): string {
  const { type, title } = payloadOf(delivery)
  return type === 'notice' ? `a notice: ${title ?? ''}` : 'a change'
}
