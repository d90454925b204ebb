import { messageValues } from '../../core/message/message-values.ts'
import { type MessageValues, namedTexts, render } from '../../core/message/render-message.ts'
import { cleanText, isolate } from '../../core/text/clean-text.ts'
import { textTemplate } from '../../schema/message/message-template.ts'
import type { MessageConfig } from '../../schema/message/message.ts'
import type { NamedFacts } from '../../store/deliveries/sealed-target.ts'
import { UNMARKED } from './dialect.ts'
import type { Links } from './links.ts'
import type { MessagePayload, NoticeMessage } from './message-payload.ts'
import { shorten } from './shorten.ts'
import { type Story, storyOf } from './story.ts'
import { writeChanges } from './write-blocks.ts'

/** The words of a user for one destination, and what is known of the monitor besides the payload. */
export interface Wording {
  readonly message?: MessageConfig | undefined
  readonly named?: NamedFacts | undefined
}

/** Returns the content of a message. A change has the words of the user where there are some; a notice has ours. */
export function wordedStory(payload: MessagePayload | NoticeMessage, links: Links, wording: Wording = {}): Story {
  const story = storyOf(payload, links)
  const { message } = wording
  if (!message || 'type' in payload) return story
  const named = namedTexts(valuesOf(payload, story, wording))
  const { title, text } = message
  const headline = title === undefined ? '' : cleanText(render(textTemplate(title), named, LONGEST_TITLE))
  const shown = headline === '' ? null : isolate(shorten(payload.test ? `Test: ${headline}` : headline, HEADLINE))
  return {
    ...story,
    ...(shown !== null && { name: shown, headline: shown }),
    own: text === undefined ? null : { template: textTemplate(text), named },
  }
}

/** In bytes, of what is cut then. */
const LONGEST_TITLE = 2_000
/** Characters that a subject has at most, as ours. */
const HEADLINE = 300
/** The most of `{{changes}}` where it stands in a text without markup. */
const PLAIN_CHANGES = 8_000

const plainChanges = (story: Story) => writeChanges(story, UNMARKED, PLAIN_CHANGES)

/** Returns what the names of a message stand for. Of a notice, `changes` is what it says. */
export function valuesOf(payload: MessagePayload | NoticeMessage, story: Story, { named }: Wording): MessageValues {
  const { labels = {}, engine, values } = named ?? {}
  const about = { labels, changes: plainChanges(story), runUrl: story.runUrl, ...(engine && { engine }), values }
  if (!('type' in payload)) {
    const { numeric_fields: numericFields = [] } = payload
    return messageValues({ payload, numericFields, ...about })
  }
  const { monitor, monitor_id: id, run_id, occurred_at: fired_at } = payload
  return {
    monitor: { name: monitor?.name, id, url: monitor?.url, labels },
    changes: about.changes,
    run: { id: run_id, url: about.runUrl },
    fired_at,
  }
}
