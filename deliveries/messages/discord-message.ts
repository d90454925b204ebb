import { isolate } from '../../core/text/clean-text.ts'
import type { Change } from './change.ts'
import type { Dialect } from './dialect.ts'
import type { Links } from './links.ts'
import type { MessagePayload, NoticeMessage } from './message-payload.ts'
import { messageStory, type MessageWording } from './message-story.ts'
import { mentionsIn, type OwnText } from './own-text.ts'
import { shorten, shortenBoth } from './shorten.ts'
import { arrow, linesOfList, type ChangedLine, firstOf } from './story.ts'
import { unlinkedWithin } from './unlinked.ts'
import { writeChanges } from './write-blocks.ts'
import { writeOwn } from './write-own.ts'

interface DiscordField {
  readonly name: string
  readonly value: string
  readonly inline: false
}

/** The body of a Discord webhook. */
interface DiscordMessage {
  readonly embeds: readonly [
    {
      readonly title: string
      readonly description: string
      readonly color: number
      readonly fields: readonly DiscordField[]
      readonly image?: { readonly url: string }
      readonly footer: { readonly text: string }
      readonly timestamp: string
    },
  ]
  /** Whom the user's own words name. */
  readonly content?: string
  /** Nobody else is notified, whatever the text contains. */
  readonly allowed_mentions: {
    readonly parse: readonly 'everyone'[]
    readonly users?: readonly string[]
    readonly roles?: readonly string[]
  }
}

/*
 * Discord's limits: title 256 characters, description 4,096, 25 fields of 256 and 1,024, 6,000 in all. Exceeding one is
 * a 400, which would be final.
 */
const MAX_CHANGES = 10
const TITLE = 200
const FIELD_NAME = 120
const VALUES = 3_000
const NOTES = 2_400
const OWN = 4_000
const SHORTEST_NOTE = 40
const MAX_VALUE = 1_000
const MAX_ITEMS = 10
const ITEM = 160
const LONGEST_LINK = 600
const TEAL = 0x0f766e

/**
 * Returns one embed: the monitor as title, links below it, a field for each change, the time in the reader's own zone.
 * The link to the run is in the text and not in `url`: Discord refuses a `url` without a domain, and with it the whole
 * message.
 */
export function discordMessage(
  payload: MessagePayload | NoticeMessage,
  links: Links,
  picture: string | null = null,
  wording?: MessageWording,
): DiscordMessage {
  const story = messageStory(payload, links, wording)
  const { shown, others } = firstOf(story.changes, MAX_CHANGES)
  const room = Math.min(MAX_VALUE, Math.floor(VALUES / Math.max(1, shown.length)))
  const most = Math.floor(NOTES / Math.max(1, story.notes.length))
  const notes = story.notes.map((note) => escapeDiscord(shorten(note, Math.max(SHORTEST_NOTE, most), weight)))
  const run = story.runUrl === null ? [] : [link(story.runUrl, 'See the run')]
  const where = [...run, ...(story.page === null ? [] : [page(story.page)])].join('  ·  ')
  return {
    embeds: [
      {
        title: escapeDiscord(shorten(story.name, TITLE, weight)),
        description: story.own
          ? writeOwn(story, story.own, DIALECT, OWN)
          : story.digest
            ? writeChanges(story, DIALECT, OWN)
            : [...notes, where].filter((line) => line !== '').join('\n'),
        color: TEAL,
        fields: story.own ? [] : [...shown.map((change) => field(change, room)), ...excerpt(story.lines)],
        ...(picture !== null && { image: { url: picture } }),
        footer: { text: others === null || story.own ? 'Tidemark' : `… ${others}  ·  Tidemark` },
        timestamp: story.firedAt,
      },
    ],
    ...mentioned(story.own),
  }
}

const MENTION = /<@[!&]?\d{15,22}>|@(?:everyone|here)\b/g

/** Discord notifies nobody of an embed: whom the user names there stands above it. Of values, nobody is notified. */
function mentioned(own: OwnText | null): Pick<DiscordMessage, 'content' | 'allowed_mentions'> {
  const all = mentionsIn(own, MENTION)
  if (all.length === 0) return { allowed_mentions: { parse: [] } }
  const idsOf = (kind: RegExp) => all.flatMap((name) => kind.exec(name)?.[1] ?? [])
  return {
    content: all.join(' '),
    allowed_mentions: {
      parse: all.some((name) => name.startsWith('@')) ? ['everyone'] : [],
      users: [...new Set(idsOf(/^<@!?(\d+)>$/))],
      roles: idsOf(/^<@&(\d+)>$/),
    },
  }
}

const MARKUP = /[\\*_~`|<>[\]@#+-]/
/** Escapes every character that begins markup, a mention, an emoji, a link with another text, a list or a heading. */
function escapeDiscord(text: string): string {
  return text
    .replace(/[\\*_~`|<>[\]]|^#(?=#{0,2}\s)|^[+-](?=[\s#])|(?<=^\d{1,9})\.(?=\s)/g, '\\$&')
    .replace(/@(?=everyone|here)/gi, '@\u200b')
}
const DIALECT: Dialect = {
  plain: escapeDiscord,
  value: escapeDiscord,
  within: (text) => escapeDiscord(unlinkedWithin(text)),
  bold: (written) => `**${written}**`,
  link: (url, written) => link(url, written),
  address: (url) => url.replaceAll('(', '%28').replaceAll(')', '%29').replaceAll('>', '%3E'),
  lineBreak: '\n',
  cost: (written) => written.length,
}
const weight = (character: string) => (MARKUP.test(character) ? 2 : character.length)

function field(change: Change, room: number): DiscordField {
  const { field: name, before, after, note, isShort, items } = change
  const value = isShort ? escapeDiscord(arrow({ before, after, note })) : items ? listed(items) : long()
  return { name: escapeDiscord(shorten(name, FIELD_NAME, weight)), value, inline: false }

  function listed(all: NonNullable<Change['items']>): string {
    const lines = linesOfList(all, { most: MAX_ITEMS, width: ITEM, room: room - 80, weight })
    return [`**${note ?? ''}**`, ...lines.map(escapeDiscord)].join('\n')
  }

  function long(): string {
    const [was, is] = shortenBoth(before, after, Math.floor(room / 2) - 30, weight)
    return (
      `**Before:** ${escapeDiscord(isolate(was))}\n**Now${note === null ? '' : ` (${note})`}:** ` +
      `${escapeDiscord(isolate(is))}`
    )
  }
}

/** Returns the lines in a block that Discord colours as a diff. It reads no markup there except the block's end. */
function excerpt(lines: readonly ChangedLine[]): DiscordField[] {
  if (lines.length === 0) return []
  const shown: string[] = []
  let room = MAX_VALUE - 40
  for (const { kind, text } of lines) {
    const line = MARKS[kind] + shorten(text.replaceAll('`', '\u02cb'), 200)
    room -= line.length + 1
    if (room < 0) break
    shown.push(line)
  }
  const end = shown.length < lines.length ? ['…'] : []
  return [{ name: 'Text', value: `\`\`\`diff\n${[...shown, ...end].join('\n')}\n\`\`\``, inline: false }]
}

const MARKS: Readonly<Record<ChangedLine['kind'], string>> = { removed: '- ', added: '+ ', remark: '' }

function page({ text, url }: { readonly text: string; readonly url: string | null }): string {
  return url === null || url.length > LONGEST_LINK ? escapeDiscord(text) : link(url, text)
}

const link = (url: string, text: string) =>
  `[${escapeDiscord(text)}](${url.replaceAll('(', '%28').replaceAll(')', '%29').replaceAll('>', '%3E')})`
