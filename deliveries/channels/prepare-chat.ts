import type { Links } from '../messages/links.ts'
import { type MessagePayload, type NoticeMessage, readPayload } from '../messages/message-payload.ts'
import type { MessageWording } from '../messages/message-story.ts'
import { type ChannelRequest, wireOf } from './channel-request.ts'
import type { Message, Prepared } from './channel.ts'
import type { MessagePictures } from './message-pictures.ts'
import { post, type PostOptions } from './post.ts'
import { sentSecrets } from './safe-text.ts'

/** The parts that a chat channel uses. */
export interface ChatOptions extends PostOptions {
  readonly links: Links
  readonly pictures?: MessagePictures | undefined
}

/** Writes the body that a chat service's incoming webhook accepts. `picture`: the address of one to show. Pure. */
type WriteMessage = (
  payload: MessagePayload | NoticeMessage,
  links: Links,
  picture: string | null,
  wording: MessageWording,
) => object

/**
 * Prepares one POST of a message. The message is written from the stored payload at each attempt, so that the payload
 * in the API looks the same for all types. The outcome rules are those of the webhook; a 429 is a 4xx there and final,
 * unless its Retry-After fits into the attempt.
 */
export async function prepareChat(
  options: ChatOptions,
  write: WriteMessage,
  {
    id,
    team,
    config: { webhookUrl: url, message },
    payload: text,
    named,
    digest,
  }: Message<'slack'> | Message<'discord'>,
): Promise<Prepared> {
  const payload = readPayload(text)
  if (payload === null) return { kind: 'impossible', message: NO_MESSAGE }
  const picture = (digest ? null : await options.pictures?.address(payload)) ?? null
  const body = JSON.stringify(write(payload, options.links, picture, { message, named, digest }))
  const request: ChannelRequest = { method: 'POST', url, headers: HEADERS, body }
  const sent = { id, team, waits: true, secrets: () => sentSecrets({ url }) }
  return { kind: 'request', request, send: (ctx) => post(options, { ...sent, ...wireOf(request) }, ctx) }
}

const HEADERS = { 'User-Agent': 'Service/1.0', 'Content-Type': 'application/json' } as const

/** Why a delivery with a payload of another shape is not sent. */
export const NO_MESSAGE =
  'This version of Tidemark cannot write a message from the payload of this delivery. After an upgrade ' +
  'it can be replayed.'
