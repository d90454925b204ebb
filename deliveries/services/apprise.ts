import { unlinked } from '../messages/unlinked.ts'
import { characters, plainText } from './dialects.ts'
import { JSON_TYPE, type Service } from './service.ts'
import { titleOf, writeStory } from './write-story.ts'

const DIALECT = plainText(characters)

/** The JSON of an Apprise API server. `format: text` has Apprise escape the message for each service. */
export const apprise: Service = {
  request: ({ url, options: { urls, tag, type = 'info' }, story, limit }) => ({
    method: 'POST',
    url,
    headers: JSON_TYPE,
    body: JSON.stringify({
      ...(urls !== undefined && { urls }),
      ...(tag !== undefined && { tag }),
      title: unlinked(titleOf(story)),
      body: [
        writeStory(story, DIALECT, { limit, isBare: true }),
        ...(story.runUrl === null || story.own ? [] : [story.runUrl]),
      ].join('\n'),
      type,
      format: 'text',
    }),
  }),
  /** 204: no service stands under the key, or has the tag. */
  read: (status) => (status === 204 ? { verdict: 'client_error' } : {}),
}
