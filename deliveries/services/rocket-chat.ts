import type { Dialect } from '../messages/dialect.ts'
import { unlinked, unlinkedWithin } from '../messages/unlinked.ts'
import { characters, codeText } from './dialects.ts'
import { JSON_TYPE, objectOf, type Service } from './service.ts'
import { writeStory } from './write-story.ts'

/** Its server looks for mentions in the whole text, also within code. */
const CODE = codeText(
  (url, written) => `[${written}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`,
  characters,
  unlinked,
)

const DIALECT: Dialect = {
  ...CODE,
  // It knows code between single backticks alone, so one of the user's would end it. Then a value does not stand in
  // code, and invisible spaces (U+200B) keep it from being a link, a style or a quote.
  within: (text, own) => (own.includes('`') ? unstyled(text) : CODE.value(text)),
}

const unstyled = (text: string): string =>
  unlinkedWithin(text)
    .replaceAll('`', '\u02cb')
    .replaceAll(/[[\]*_~>|\\]/g, '\u200b$&\u200b')

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
