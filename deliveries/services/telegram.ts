import { htmlText } from './dialects.ts'
import { JSON_TYPE, objectOf, type Service, waitOfMs } from './service.ts'
import { writeStory } from './write-story.ts'

/** Telegram counts what is shown: tags are free, and an entity is one character. */
const shownLength = (written: string): number => written.replace(/<[^>]*>/g, '').replace(/&[#a-z0-9]+;/g, '&').length

const DIALECT = htmlText({ bold: 'b', value: 'code', lineBreak: '\n', cost: shownLength })

/** `sendMessage` of a bot, with the markup of HTML. */
export const telegram: Service = {
  request: ({ url, options, story, limit }) => ({
    method: 'POST',
    url,
    headers: JSON_TYPE,
    body: JSON.stringify({
      chat_id: options['chat_id'],
      ...(options['message_thread_id'] !== undefined && { message_thread_id: Number(options['message_thread_id']) }),
      text: writeStory(story, DIALECT, { limit }),
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      ...(options['disable_notification'] === 'true' && { disable_notification: true }),
    }),
  }),
  /** `ok: false` with its own code, and the seconds to wait in `parameters`. */
  read(status, body) {
    const { ok, error_code: code, parameters } = objectOf(body)
    const seconds: unknown =
      typeof parameters === 'object' && parameters !== null && Reflect.get(parameters, 'retry_after')
    const wait = typeof seconds === 'number' ? waitOfMs(seconds * 1_000) : {}
    if (ok !== false || status >= 300) return wait
    return { ...wait, verdict: Number(code) >= 500 || Number(code) === 429 ? 'server_error' : 'client_error' }
  },
}
