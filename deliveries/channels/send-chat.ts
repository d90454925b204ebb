import type { Links } from '../messages/links.ts'
import { type MessagePayload, type NoticeMessage, readPayload } from '../messages/message-payload.ts'
import type { AttemptOutcome, SendContext } from './channel.ts'
import type { MessagePictures } from './message-pictures.ts'
import { post, type PostOptions } from './post.ts'
import { sentSecrets } from './safe-text.ts'

/** The parts that a chat channel uses. */
export interface ChatOptions extends PostOptions {
  readonly links: Links
  readonly pictures?: MessagePictures | undefined
}

/** Writes the body that a chat service's incoming webhook accepts. `picture`: the address of one to show. Pure. */
type WriteMessage = (payload: MessagePayload | NoticeMessage, links: Links, picture: string | null) => object

interface ChatDelivery {
  readonly id: string
  readonly team: string
  readonly payload: string
  readonly url: string
}

/**
 * Makes one POST of a message. The message is written from the stored payload at each attempt, so that the payload in
 * the API looks the same for all types. The outcome rules are those of the webhook; a 429 is a 4xx there and final,
 * unless its Retry-After fits into the attempt.
 */
export async function sendChat(
  options: ChatOptions,
  write: WriteMessage,
  delivery: ChatDelivery,
  ctx: SendContext,
): Promise<AttemptOutcome> {
  const payload = readPayload(delivery.payload)
  if (payload === null) return { kind: 'impossible', message: NO_MESSAGE }
  const picture = (await options.pictures?.address(payload)) ?? null
  const body = Buffer.from(JSON.stringify(write(payload, options.links, picture)), 'utf8')
  const { id, team, url } = delivery
  const sent = { id, team, url, headers: [...HEADERS], body, waits: true, secrets: () => sentSecrets({ url }) }
  return post(options, sent, ctx)
}

const HEADERS = ['User-Agent', 'Service/1.0', 'Content-Type', 'application/json'] as const

/** Why a delivery with a payload of another shape is not sent. */
export const NO_MESSAGE =
  'This version of Tidemark cannot write a message from the payload of this delivery. After an upgrade ' +
  'it can be replayed.'
