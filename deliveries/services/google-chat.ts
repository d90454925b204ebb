import { bytes, htmlText } from './dialects.ts'
import { busyPasses, JSON_TYPE, type Service } from './service.ts'
import { titleOf, writeStory } from './write-story.ts'

const DIALECT = htmlText({ bold: 'b', value: null, lineBreak: '<br>', cost: bytes })

/**
 * A card, in which text mentions nobody. `requestId` is the id of the delivery: a repetition is the message that is
 * there already.
 */
export const googleChat: Service = {
  request: ({ id, url, options: { thread_key: thread }, story, limit }) => ({
    method: 'POST',
    url: asked(url, {
      requestId: id,
      ...(thread !== undefined && { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' }),
    }),
    headers: JSON_TYPE,
    body: JSON.stringify({
      cardsV2: [
        {
          cardId: id,
          card: {
            header: { title: titleOf(story) },
            sections: [{ widgets: [{ textParagraph: { text: writeStory(story, DIALECT, { limit }) } }] }],
          },
        },
      ],
      ...(thread !== undefined && { thread: { threadKey: thread } }),
    }),
  }),
  read: busyPasses,
}

/** Adds to the query, which has the key and the token of the webhook. */
function asked(address: string, query: Readonly<Record<string, string>>): string {
  const url = URL.parse(address)
  if (url === null) return address
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}
