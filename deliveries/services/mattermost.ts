import type { Dialect } from '../messages/dialect.ts'
import { characters, codeText, codeWithin } from './dialects.ts'
import { JSON_TYPE, type Service } from './service.ts'
import { writeStory } from './write-story.ts'

const DIALECT: Dialect = {
  ...codeText((url, written) => `[${written}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`, characters),
  within: codeWithin,
}

/** An incoming webhook, with Markdown in which names and values are code. */
export const mattermost: Service = {
  request: ({ url, options: { channel, username }, story, limit }) => ({
    method: 'POST',
    url,
    headers: JSON_TYPE,
    body: JSON.stringify({
      text: writeStory(story, DIALECT, { limit }),
      ...(channel !== undefined && { channel }),
      ...(username !== undefined && { username }),
    }),
  }),
}
