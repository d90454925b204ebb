import type { AttemptOutcome, SendContext } from './channel.ts'
import type { Links } from '../messages/links.ts'
import { type MessagePayload, readPayload } from '../messages/message-payload.ts'
import { post, type PostOptions } from './post.ts'
import { sentSecrets } from './sent-secrets.ts'

/** What a chat channel is made from. */
export interface ChatOptions extends PostOptions {
  readonly links: Links
}

/** Writes what a chat service's incoming webhook takes. Pure. */
type WriteMessage = (payload: MessagePayload, links: Links) => object

interface ChatDelivery {
  readonly id: string
  readonly payload: string
  readonly url: string
}

/**
 * One POST of a message that is written from the stored payload at each attempt: what the API shows as payload is the
 * same for all types. The outcome rules are the webhook's; a 429 is a 4xx there and final.
 */
export async function sendChat(
  options: ChatOptions,
  write: WriteMessage,
  delivery: ChatDelivery,
  ctx: SendContext,
): Promise<AttemptOutcome> {
  const payload = readPayload(delivery.payload)
  if (payload === null) return { kind: 'impossible', message: NO_MESSAGE }
  const body = Buffer.from(JSON.stringify(write(payload, options.links)), 'utf8')
  const { id, url } = delivery
  return post(options, { id, url, headers: [...HEADERS], body, secrets: () => sentSecrets({ url }) }, ctx)
}

const HEADERS = ['User-Agent', 'Service/1.0', 'Content-Type', 'application/json'] as const

/** Why a delivery of another shape is not sent. */
export const NO_MESSAGE =
  'The payload of this delivery is of a kind that this version of Tidemark has no message for. After an upgrade ' +
  'it can be replayed.'
