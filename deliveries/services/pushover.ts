import { shorten } from '../messages/shorten.ts'
import { unlinked } from '../messages/unlinked.ts'
import { characters, plainText } from './dialects.ts'
import { objectOf, type Service } from './service.ts'
import { titleOf, writeStory } from './write-story.ts'

const DIALECT = plainText(characters)
const LONGEST_URL = 512
const LONGEST_TITLE = 250

/** A form, as Pushover documents it, with the link in its own place. */
export const pushover: Service = {
  request({ url, options, story, limit }) {
    const { runUrl } = story
    const fields = {
      ...options,
      // The invisible spaces count.
      title: shorten(unlinked(titleOf(story)), LONGEST_TITLE),
      message: writeStory(story, DIALECT, { limit, isBare: true }),
      timestamp: String(Math.floor((Date.parse(story.firedAt) || 0) / 1_000)),
      ...(runUrl !== null && runUrl.length <= LONGEST_URL && { url: runUrl, url_title: 'See the run' }),
    }
    const form = new URLSearchParams()
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value)
    return {
      method: 'POST',
      url,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    }
  },
  /** `status` is 1 where the message was taken. */
  read(status, body) {
    const { status: taken = 1 } = objectOf(body)
    return status < 300 && taken !== 1 ? { verdict: 'client_error' } : {}
  },
}
