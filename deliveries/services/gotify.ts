import { unlinked } from '../messages/unlinked.ts'
import { characters, plainText } from './dialects.ts'
import { below, JSON_TYPE, type Service } from './service.ts'
import { titleOf, writeStory } from './write-story.ts'

const DIALECT = plainText(characters)

/** A message of an application, as plain text. */
export const gotify: Service = {
  request: ({ url, options: { token = '', priority }, story, limit }) => ({
    method: 'POST',
    url: below(url, 'message'),
    headers: { ...JSON_TYPE, 'X-Gotify-Key': token },
    body: JSON.stringify({
      title: unlinked(titleOf(story)),
      message: writeStory(story, DIALECT, { limit, isBare: true }),
      ...(priority !== undefined && { priority: Number(priority) }),
      extras: {
        'client::display': { contentType: 'text/plain' },
        ...(story.runUrl !== null && { 'client::notification': { click: { url: story.runUrl } } }),
      },
    }),
  }),
}
