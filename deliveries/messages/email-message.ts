import type { Change } from './change.ts'
import { type Dialect, UNMARKED } from './dialect.ts'
import { emailHtml } from './email-html.ts'
import type { EmailStory } from './email-story.ts'
import { emailText } from './email-text.ts'
import { escapeHtml } from './escape-html.ts'
import type { Links } from './links.ts'
import type { MessagePayload, NoticeMessage } from './message-payload.ts'
import { messageStory, type MessageWording } from './message-story.ts'
import { shorten, shortenBoth, type Weight } from './shorten.ts'
import { firstOf, linesOfList, type Story } from './story.ts'
import { unlinkedWithin } from './unlinked.ts'
import { writeChanges } from './write-blocks.ts'
import { writeOwn } from './write-own.ts'

/** The readable parts of a mail. They contain no control characters except the line ends of the text. */
export interface EmailMessage {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/*
 * Some mail programs cut off an HTML part of more than 100 KB. The frame of a change takes 0.5 KB of it, and that of an
 * item 40 bytes.
 */
const MAX_CHANGES = 50
const VALUES = 20_000
const LISTS = 20_000
const MAX_VALUE = 1_000
const MAX_ITEMS = 50
const ITEMS = 300
const ITEM = 300
/** Bytes of HTML for all values and items, and for the name of a field. */
const HTML = 40_000
const FIELD_HTML = 200

/** Returns subject, text and HTML with the same content. `hasPicture`: the mail has a picture inside. */
export function emailMessage(
  payload: MessagePayload | NoticeMessage,
  links: Links,
  hasPicture = false,
  wording?: MessageWording,
): EmailMessage {
  const told = messageStory(payload, links, wording)
  const { own } = told
  // What the user wrote stands in place of what changed.
  const story = own ? { ...told, changes: [], notes: [], lines: [] } : told
  const { shown, others } = firstOf(story.changes, MAX_CHANGES)
  const room = Math.min(MAX_VALUE, Math.floor(VALUES / Math.max(1, shown.length)))
  const each = { room, listRoom: LISTS / shown.length, items: ITEMS / shown.length, html: HTML / shown.length }
  const { name, headline, notes, lines, page, runUrl: url, time, reason } = story
  const shortened: EmailStory = {
    name,
    headline,
    notes,
    lines,
    page,
    changes: shown.map((change) => cut(change, each)),
    others,
    own: bodyOf(told),
    action: url === null ? null : { button: 'See the run', line: 'The run: ', url },
    footer: `Seen by Tidemark on ${time}. ${reason}`,
  }
  return { subject: headline, text: emailText(shortened), html: emailHtml(shortened, hasPicture) }
}

/** Returns what stands in place of all that changed. Null: nothing does. */
function bodyOf(story: Story): EmailStory['own'] {
  const { own, digest } = story
  const write = (dialect: Dialect) => (own ? writeOwn(story, own, dialect, OWN) : writeChanges(story, dialect, OWN))
  return own || digest ? { text: write(TEXT), html: write(HTML_TEXT) } : null
}

const OWN = 40_000
const TEXT: Dialect = { ...UNMARKED, within: unlinkedWithin, cost: (written) => Buffer.byteLength(written) }
const HTML_TEXT: Dialect = {
  plain: escapeHtml,
  value: escapeHtml,
  within: (text) => escapeHtml(unlinkedWithin(text)),
  bold: (written) => `<strong>${written}</strong>`,
  link: (url, written) => `<a href="${escapeHtml(url)}">${written}</a>`,
  address: (url) => `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`,
  own: (text) => escapeHtml(text).replaceAll('\n', '<br>'),
  lineBreak: '<br>',
  cost: (written) => Buffer.byteLength(written),
}

/** What one change may have: characters of a value and of a list, items, and bytes of HTML. */
interface Share {
  readonly room: number
  readonly listRoom: number
  readonly items: number
  readonly html: number
}

/** Cuts by characters, as a person counts, and by bytes only where so many of them are long in HTML. */
function cut(change: Change, { room, listRoom, items: mostItems, html }: Share): Change {
  const { items } = change
  const most = Math.min(MAX_ITEMS, Math.ceil(mostItems))
  const plain = items && linesOfList(items, { most, width: ITEM, room: listRoom })
  const lines = plain && (fits(plain, html) ? plain : linesOfList(items, { most, width: ITEM, room: html, weight }))
  const values = shortenBoth(change.before, change.after, room)
  const [before, after] = fits(values, html) ? values : shortenBoth(change.before, change.after, html / 2, weight)
  const field = shorten(change.field, FIELD_HTML, weight)
  return { ...change, field, before, after, items: lines && { lines, total: lines.length } }
}

/** Bytes of a character in HTML. */
const weight: Weight = (character) => Buffer.byteLength(escapeHtml(character))
const fits = (texts: readonly string[], bytes: number) =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(escapeHtml(text)), 0) <= bytes
