import type { Dialect } from '../messages/dialect.ts'
import { writeBlocks } from '../messages/write-blocks.ts'
import { writeOwn } from '../messages/write-own.ts'
import { bareLink, bytes } from './dialects.ts'
import { busyPasses, JSON_TYPE, type Service } from './service.ts'
import { titleOf } from './write-story.ts'

/** The characters of the JSON around a block, at most. */
const AROUND = 120

/** A TextRun reads no markup, so nothing is escaped but what `run` escapes. */
const DIALECT: Dialect = {
  plain: (text) => text,
  value: (text) => text,
  bold: (written) => written,
  link: bareLink,
  address: (url) => url,
  lineBreak: '\n',
  cost: (written) => bytes(written) + AROUND,
}

/** The card, its links and the title. */
const FIXED = 4_000
const LONGEST_LINK = 1_500

/** Begins `{{DATE(…)}}` and `{{TIME(…)}}`, which a card replaces by a time. An invisible space (U+200B) ends it. */
const FUNCTION = /\{(?=\{(?:DATE|TIME)\()/g
const run = (text: string, style: object = {}) => ({
  type: 'TextRun',
  text: text.replace(FUNCTION, '{\u200b'),
  ...style,
})
const block = (text: string, style?: object) => ({ type: 'RichTextBlock', inlines: [run(text, style)] })
const open = (title: string, url: string | null | undefined) =>
  typeof url === 'string' && url.length <= LONGEST_LINK ? [{ type: 'Action.OpenUrl', title, url }] : []

/** An Adaptive Card of text for the address of a Workflow. */
export const teams: Service = {
  request({ url, story, limit }) {
    const most = limit.most - FIXED
    const blocks = story.own ? [writeOwn(story, story.own, DIALECT, most)] : writeBlocks(story, DIALECT, most)
    const actions = [...open('See the run', story.runUrl), ...open('Open the page', story.page?.url)]
    const where = [...(story.page === null ? [] : [story.page.text]), story.time].join(' · ')
    const card = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      body: [
        block(titleOf(story), { size: 'Large', weight: 'Bolder' }),
        ...blocks.map((text) => block(text)),
        block(where, { isSubtle: true }),
      ],
      ...(actions.length > 0 && { actions }),
    }
    const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }
    const body = JSON.stringify({ type: 'message', attachments: [attachment] })
    return { method: 'POST', url, headers: JSON_TYPE, body }
  },
  /** The older addresses answer 200, and their text names the status of the request that failed. */
  read(status, body) {
    const [, said] = /returned HTTP error (\d{3})/.exec(body) ?? []
    if (status >= 300 || said === undefined) return busyPasses(status)
    return { verdict: said === '429' || said.startsWith('5') ? 'server_error' : 'client_error' }
  },
}
