import { isolate } from '../../core/text/clean-text.ts'
import type { Change } from './change.ts'
import type { Dialect } from './dialect.ts'
import type { Links } from './links.ts'
import type { MessagePayload, NoticeMessage } from './message-payload.ts'
import { messageStory, type MessageWording } from './message-story.ts'
import type { OwnText } from './own-text.ts'
import { shorten, shortenBoth } from './shorten.ts'
import { arrow, linesOfList, type ChangedLine, firstOf, type Story } from './story.ts'
import { writeChanges } from './write-blocks.ts'
import { piecesOf, writeOwn } from './write-own.ts'

interface PlainText {
  readonly type: 'plain_text'
  readonly text: string
  readonly emoji: false
}
interface Markup {
  readonly type: 'mrkdwn'
  readonly text: string
  readonly verbatim: true
}
type SlackText = PlainText | Markup
type SlackBlock =
  | { readonly type: 'header'; readonly text: PlainText }
  | { readonly type: 'section'; readonly text?: SlackText; readonly fields?: readonly SlackText[] }
  | { readonly type: 'image'; readonly image_url: string; readonly alt_text: string }
  | { readonly type: 'context'; readonly elements: readonly SlackText[] }

/** The body of a Slack incoming webhook. */
interface SlackMessage {
  /** The text for notifications and screen readers. */
  readonly text: string
  readonly blocks: readonly SlackBlock[]
  readonly unfurl_links: false
  readonly unfurl_media: false
}

/*
 * Slack's limits, all with a margin: a header 150 characters, a section's text 3,000, a field 2,000, ten fields a
 * section, 50 blocks. Exceeding one is a 400, which would be final.
 */
const MAX_CHANGES = 20
const MAX_FIELDS = 10
const HEADER = 150
const FALLBACK = 600
const NOTE = 2_900
const OWN = 12_000
const MAX_NOTES = 10
const FIELD_NAME = 300
const VALUE = 500
const MAX_ITEMS = 10
const ITEM = 160
const LINE = 200
const LONGEST_LINK = 1_200

/**
 * Returns Block Kit: the monitor as header, short changes as a table of two columns, long ones with both values side by
 * side. Notes and links follow in small type. Values are `plain_text`, in which Slack reads no markup: its mrkdwn has
 * no escape for `*` or `_`. There are links instead of buttons, because a button shows a warning when no server answers
 * its click.
 */
export function slackMessage(
  payload: MessagePayload | NoticeMessage,
  links: Links,
  picture: string | null = null,
  wording?: MessageWording,
): SlackMessage {
  const story = messageStory(payload, links, wording)
  return {
    text: escapeSlack(shorten(story.headline, FALLBACK, weight)),
    blocks: [
      { type: 'header', text: plain(shorten(story.name, HEADER, weight)) },
      ...(story.own ? ownBlocks(story, story.own) : story.digest ? digestBlocks(story) : blocksOf(story)),
      ...(picture === null ? [] : [image(picture)]),
      { type: 'context', elements: [markup(footer(story))] },
    ],
    unfurl_links: false,
    unfurl_media: false,
  }
}

function blocksOf(story: Story): SlackBlock[] {
  const { shown, others } = firstOf(story.changes, MAX_CHANGES)
  const more = [...story.notes, ...(others === null ? [] : [others])].slice(0, MAX_NOTES)
  return [
    ...tables(shown.filter(({ isShort }) => isShort)),
    ...shown.filter(({ isShort }) => !isShort).map(inFull),
    ...more.map((text): SlackBlock => ({ type: 'section', text: plain(shorten(text, NOTE, weight)) })),
    ...excerpt(story.lines),
  ]
}

const HAS_HOST = /^https?:\/\/[^/?#]+[/?#]/i

/** The text of a user is mrkdwn. A value in it cannot link or mention; `*`, `_` and `~` in it may change its style. */
const DIALECT: Dialect = {
  plain: escapeSlack,
  value: escapeSlack,
  bold: (written) => written,
  link: (url, written) => `<${escapeSlack(url)}|${written}>`,
  within: escapeSlack,
  // A value may be a part of an address or its words. It says neither where a link leads nor who is mentioned.
  begun(text, begun) {
    if (begun.includes('|')) return escapeSlack(text)
    return HAS_HOST.test(begun)
      ? encodeURIComponent(text.toWellFormed())
      : `\u200b${escapeSlack(text.replaceAll('|', ' '))}`
  },
  address: (url, before) => (before.endsWith('<') ? escapeSlack(url) : `<${escapeSlack(url)}>`),
  lineBreak: '\n',
  cost: (written) => written.length,
}

/** A section has no room for a whole text, so it is cut at ends of lines. */
function ownBlocks(story: Story, own: OwnText): SlackBlock[] {
  return sectionsOf(writeOwn(story, own, DIALECT, OWN))
}

const digestBlocks = (story: Story): SlackBlock[] => sectionsOf(writeChanges(story, DIALECT, OWN))

const sectionsOf = (written: string): SlackBlock[] =>
  piecesOf(written, NOTE).map((text) => ({ type: 'section', text: markup(text) }))

/**
 * Escapes `&`, `<` and `>`. They begin all syntax that Slack acts on: links, mentions, commands such as `<!channel>`.
 */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const weight = (character: string) =>
  character === '&' ? 5 : character === '<' || character === '>' ? 4 : character.length
const plain = (text: string): PlainText => ({ type: 'plain_text', text: escapeSlack(text), emoji: false })
/** `verbatim`: Slack does not turn addresses, channels or names into links. */
const markup = (text: string): Markup => ({ type: 'mrkdwn', text, verbatim: true })

const image = (url: string): SlackBlock => ({
  type: 'image',
  image_url: url,
  alt_text: 'The page after the change',
})

function tables(changes: readonly Change[]): SlackBlock[] {
  const blocks: SlackBlock[] = []
  for (let at = 0; at < changes.length; at += MAX_FIELDS / 2) {
    const rows = changes.slice(at, at + MAX_FIELDS / 2)
    blocks.push({ type: 'section', fields: rows.flatMap((change) => [label(change.field), plain(arrow(change))]) })
  }
  return blocks
}

/** Shows a list by its items, and any other value before and now, side by side. */
function inFull({ field, before, after, note, items }: Change): SlackBlock {
  if (items) {
    const title = `${shorten(field, FIELD_NAME, weight)} (${note ?? ''})`
    const lines = linesOfList(items, { most: MAX_ITEMS, width: ITEM, room: VALUE * 3, weight })
    return { type: 'section', text: plain([title, ...lines].join('\n')) }
  }
  const [was, is] = shortenBoth(before, after, VALUE, weight)
  const fields = [plain(`Before:\n${isolate(was)}`), plain(`Now${note === null ? '' : ` (${note})`}:\n${isolate(is)}`)]
  return { type: 'section', text: label(field), fields }
}

/** At most thirteen lines. */
function excerpt(lines: readonly ChangedLine[]): SlackBlock[] {
  if (lines.length === 0) return []
  const shown = lines.map(({ kind, text }) => MARKS[kind] + shorten(text, LINE, weight))
  return [{ type: 'section', text: plain(shown.join('\n')) }]
}

const MARKS: Readonly<Record<ChangedLine['kind'], string>> = { removed: '− ', added: '+ ', remark: '' }

/** Returns the field in bold, unless its name contains characters that would end the bold. */
function label(field: string): SlackText {
  const text = shorten(field, FIELD_NAME, weight)
  return /[*~`]|(?<![\p{L}\p{Nd}])_|_(?![\p{L}\p{Nd}])/u.test(text) ? plain(text) : markup(`*${escapeSlack(text)}*`)
}

function footer({ runUrl, page, time }: Story): string {
  const run = runUrl === null ? [] : [link(runUrl, 'See the run')]
  return [...run, ...(page === null ? [] : [seen(page)]), time].join('  ·  ')
}

function seen({ url, text }: NonNullable<Story['page']>): string {
  return url !== null && escapeSlack(url).length <= LONGEST_LINK ? link(url, text) : escapeSlack(text)
}

function link(url: string, text: string): string {
  const target = url.replaceAll('|', '%7C').replaceAll('<', '%3C').replaceAll('>', '%3E')
  return `<${escapeSlack(target)}|${escapeSlack(text.replaceAll('|', '¦'))}>`
}
