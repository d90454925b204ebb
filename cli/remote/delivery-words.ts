import { MAX_ATTEMPTS } from '../../core/machine/delivery.ts'
import { maskedAddress } from '../../schema/monitor/mask.ts'
import type { Delivery, DeliveryPayload } from '../../schema/run/delivery.ts'
import type { NoticePayload } from '../../schema/run/notice.ts'
import { distance } from '../output.ts'

/** What all commands say of deliveries. Nothing in it is made safe for a terminal. */

const COLOURS = { success: 'good', failed: 'bad', dead: 'bad', pending: 'waiting' } as const

/** Returns the status as a cell. One that is tried again is no failure yet. */
export const deliveryStatus = ({ status, next_attempt_at: next }: Delivery) => ({
  text: status,
  colour: status === 'failed' && next !== null ? 'waiting' : COLOURS[status],
})

/** Returns what the status means for this delivery. */
export function deliveryState({ status, next_attempt_at: next }: Delivery): string {
  if (status === 'success') return 'the destination took it'
  if (status === 'pending') return 'its first attempt is due'
  if (status === 'dead') return `given up, because ${MAX_ATTEMPTS} attempts failed`
  return next === null
    ? 'given up, because the destination refused it'
    : `an attempt failed, and the next one is ${nextAttempt(next)}`
}

const nextAttempt = (instant: string) => {
  const between = distance(instant)
  return between.startsWith('in ') ? between : 'due'
}

export const attemptsOf = ({ attempts }: Delivery): string => `${attempts} of ${MAX_ATTEMPTS}`

/** Returns what the destination answered to the last attempt: a status of HTTP, or that there was none. */
export const answerOf = ({ attempts, status, response_status: answer }: Delivery): string =>
  answer === null ? (attempts === 0 || status === 'success' ? '-' : 'none') : String(answer)

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
