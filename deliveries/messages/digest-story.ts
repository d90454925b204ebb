import { render, namedTexts } from '../../core/message/render-message.ts'
import { cleanText, isolate } from '../../core/text/clean-text.ts'
import { textTemplate } from '../../schema/message/message-template.ts'
import type { Links } from './links.ts'
import { type MessagePayload, readPayload } from './message-payload.ts'
import { shorten } from './shorten.ts'
import { gistOf, type Story, storyOf, timeOf, TO_DESTINATION } from './story.ts'
import { valuesOf, type Wording, wordedStory } from './worded-story.ts'

/** A change as it is stored, and the words of the user for it. */
export interface DigestPart extends Wording {
  readonly payload: string
  /** Shown where the payload cannot be read. */
  readonly createdAt?: string
}

/** What one message is made of. */
interface DigestParts {
  readonly parts: readonly DigestPart[]
  readonly count: number
  readonly monitors: number
  /** Changes that are not among the parts may have another title: the message has ours then. */
  readonly haveOthersAnother?: boolean
}

/** Bytes of a text in the user's own words, before it is one line. */
const LONGEST_TEXT = 2_000
const LINE = 300
const NAME = 120
/** More of them have no room in a line. */
const MOST_FIELDS = 20
const TO_DESTINATIONS = 'This address is a destination of these monitors.'
const COUNT = new Intl.NumberFormat('en')

/** A message of several changes. */
export interface DigestMessage {
  readonly story: Story
  /** How many monitors it tells of. */
  readonly monitors: number
  /** The title of the user, on which the changes agree that it names. */
  readonly title: string | null
}

/** Returns the message of several changes. One that cannot be read is counted, and not named. */
export function digestMessage(
  { parts, count, monitors, haveOthersAnother = false }: DigestParts,
  links: Links,
): DigestMessage {
  const written = parts.flatMap((part) => writtenOf(part, links))
  const titles = new Set(written.map(({ title }) => title))
  const [first] = written
  const title = titles.size === 1 && !haveOthersAnother ? (first?.title ?? null) : null
  const headline = title ?? ours({ count, monitors, name: first?.name ?? null })
  const firedAt = written.at(-1)?.firedAt ?? parts.at(-1)?.createdAt ?? ''
  const story: Story = {
    name: headline,
    headline,
    changes: [],
    notes: [],
    lines: [],
    runUrl: null,
    page: null,
    time: timeOf(firedAt),
    firedAt,
    reason: monitors > 1 ? TO_DESTINATIONS : TO_DESTINATION,
    own: null,
    digest: { lines: written.map(({ line }) => line), count, url: links.dashboardUrl },
  }
  return { story, monitors, title }
}

function ours({
  count,
  monitors,
  name,
}: Pick<DigestParts, 'count' | 'monitors'> & { readonly name: string | null }): string {
  const changes = `${COUNT.format(count)} changes`
  if (monitors > 1) return `${changes} in ${COUNT.format(monitors)} monitors`
  return name === null ? changes : `${name}: ${changes}`
}

/** Returns the title of the user for a change. Null: it has none. Undefined: the change cannot be read. */
export function titleOf({ payload: text, message, named }: DigestPart, links: Links): string | null | undefined {
  const payload = readPayload(text)
  if (payload === null || 'type' in payload) return undefined
  return message?.title === undefined ? null : wordedStory(payload, links, { message, named }).headline
}

/** Returns nothing where the payload cannot be read. A change has no line breaks: one line is one change. */
function writtenOf({ payload: text, message, named }: DigestPart, links: Links) {
  const payload = readPayload(text)
  if (payload === null || 'type' in payload) return []
  const story = wordedStory(payload, links, { message, named })
  // Most changes have no words of the user: their story is ours already.
  const ourStory = () => (message ? storyOf(payload, links) : story)
  const shown = ownLine(payload, story, { message, named }) || ourLine(ourStory())
  const title = message?.title === undefined ? null : story.headline
  const name = isolate(shorten(cleanText(payload.monitor.name), NAME))
  return [{ firedAt: story.firedAt, title, name, line: { text: isolate(shorten(shown, LINE)), url: story.runUrl } }]
}

/** One line says of each field what a message of one field says. */
function ourLine({ name, headline, changes }: Story): string {
  if (changes.length < 2) return headline
  return `${isolate(shorten(name, NAME))}: ${changes.slice(0, MOST_FIELDS).map(gistOf).join(', ')}`
}

function ownLine(payload: MessagePayload, story: Story, wording: Wording): string {
  const text = wording.message?.text ?? ''
  if (text === '') return ''
  const values = valuesOf(payload, story, wording)
  // The line links to its run already.
  const named = namedTexts({ ...values, run: { id: payload.run_id, url: '' } })
  return cleanText(render(textTemplate(text), named, LONGEST_TEXT))
}
