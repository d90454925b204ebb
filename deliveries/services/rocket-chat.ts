import { unlinked } from '../messages/unlinked.ts'
import { characters, codeText } from './dialects.ts'
import { JSON_TYPE, objectOf, type Service } from './service.ts'
import { writeStory } from './write-story.ts'

/** Its server looks for mentions in the whole text, also within code. */
const DIALECT = codeText(
  (url, written) => `[${written}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`,
  characters,
  unlinked,
)

/** An incoming integration, with Markdown in which names and values are code. */
export const rocketChat: Service = {
  request: ({ url, options: { channel, alias }, story, limit }) => ({
    method: 'POST',
    url,
    headers: JSON_TYPE,
    body: JSON.stringify({
      text: writeStory(story, DIALECT, { limit }),
      parseUrls: false,
      ...(channel !== undefined && { channel }),
      ...(alias !== undefined && { alias }),
    }),
  }),
  read: (status, body) => (status < 300 && objectOf(body)['success'] === false ? { verdict: 'client_error' } : {}),
}
