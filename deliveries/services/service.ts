import type { DeliveryService } from '../../schema/monitor/delivery-service.ts'
import type { ChannelRequest } from '../channels/channel-request.ts'
import type { MessagePayload, NoticeMessage } from '../messages/message-payload.ts'
import type { OwnText } from '../messages/own-text.ts'
import type { Story } from '../messages/story.ts'

/** A message, from which a service writes its request. */
export interface ServiceInput {
  /** The id of the delivery or the notice, the same on every attempt and replay. */
  readonly id: string
  readonly url: string
  readonly options: Readonly<Record<string, string | undefined>>
  readonly story: Story
  readonly payload: MessagePayload | NoticeMessage
  /** The payload as it is stored. */
  readonly text: string
  /** The kind of a notice. Null: a delivery. */
  readonly notice: string | null
  readonly limit: DeliveryService['limit']
  /** Of `custom`: the body in the user's own words, the values of its names, and how it is sent. */
  readonly body: OwnText | null
  readonly method: ChannelRequest['method']
}

/** The meaning of an answer's body beside its status. */
export interface ServiceAnswer {
  /** Absent: the status says it. */
  readonly verdict?: 'client_error' | 'server_error'
  /** The service takes the message after this time. */
  readonly waitMs?: number
}

/** How a service is sent to. Both functions are pure. */
export interface Service {
  /** Its headers are those of the service: the ones of the signature come with them. */
  request(input: ServiceInput): ChannelRequest
  /** Absent: the status says it all. `body`: its beginning. */
  read?(status: number, body: string): ServiceAnswer
}

export const JSON_TYPE = { 'Content-Type': 'application/json' } as const

/** Returns an address below the one of a server. */
export function below(address: string, path: string): string {
  const url = URL.parse(address)
  if (url === null) return address
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return url.href
}

/** Returns the body of an answer as an object; an empty one where it is none. */
export function objectOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body)
    return value !== null && typeof value === 'object' ? { ...value } : {}
  } catch {
    return {}
  }
}

/**
 * Says of a 429 without a time to wait that it passes: the limit is one of all who write there, or of a time that the
 * service does not name.
 */
export const busyPasses = (status: number): ServiceAnswer => (status === 429 ? { verdict: 'server_error' } : {})

/** Returns a time to wait; none where the value is not a number. */
export const waitOfMs = (ms: unknown): Pick<ServiceAnswer, 'waitMs'> =>
  typeof ms === 'number' && Number.isFinite(ms) && ms >= 0 ? { waitMs: ms } : {}
