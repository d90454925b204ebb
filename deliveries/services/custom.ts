import { render } from '../../core/message/render-message.ts'
import { contentTypeOf } from '../../schema/message/message-template.ts'
import { bytes, plainText } from './dialects.ts'
import type { Service } from './service.ts'
import { writeStory } from './write-story.ts'

const DIALECT = plainText(bytes)

/** A request whose body the user has written. Without one, the message as plain text. */
export const custom: Service = {
  request({ url, story, limit, body, method }) {
    if (body === null) return { method, url, headers: PLAIN, body: writeStory(story, DIALECT, { limit }) }
    const { template, named } = body
    return {
      method,
      url,
      headers: { 'Content-Type': contentTypeOf(template) },
      body: render(template, named, limit.most),
    }
  },
}

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8' } as const
