import { isolate } from '../../core/text/clean-text.ts'
import type { DeliveryService } from '../../schema/monitor/delivery-service.ts'
import type { Change } from '../messages/change.ts'
import { shorten, shortenBoth } from '../messages/shorten.ts'
import { type ChangedLine, linesOfList, type Story } from '../messages/story.ts'

/** How a service writes text. Everything from a monitor or a page goes through `plain` or `value`. */
export interface Dialect {
  /** Escapes names and sentences. */
  plain(text: string): string
  /** Escapes a value of a page. */
  value(text: string): string
  bold(written: string): string
  link(url: string, written: string): string
  readonly lineBreak: string
  /** Returns the characters of a written text that count towards the limit. */
  cost(written: string): number
}

/** Space for the line that counts the changes that are not shown. */
const MORE = 120
const LONGEST_LINK = 300
const NAME = 150
const FIELD = 100
const NOTE = 1_000
const LINE = 200
const MAX_ITEMS = 10
const SHORTEST_VALUE = 40
const LONGEST_VALUE = 500

const MARKS: Readonly<Record<ChangedLine['kind'], string>> = { removed: '− ', added: '+ ', remark: '' }

/** Returns the name of what a message is about, cut to the length of a title and not escaped. */
export const titleOf = ({ name }: Pick<Story, 'name'>, most: number = NAME): string => shorten(name, most)

/**
 * Returns a whole message in at most the limit of its service. Where it would be longer, whole changes are left out
 * and counted. `isBare`: the title and the link to the run have other places in the request.
 */
export function writeStory(
  story: Story,
  dialect: Dialect,
  { limit, isBare = false }: { readonly limit: DeliveryService['limit']; readonly isBare?: boolean },
): string {
  const head = isBare ? [] : [dialect.bold(dialect.plain(titleOf(story)))]
  const foot = footOf(story, dialect, isBare)
  const fixed = [...head, foot].join(dialect.lineBreak.repeat(2))
  const blocks = writeBlocks(story, dialect, limit.most - dialect.cost(fixed))
  return [...head, ...blocks, foot].join(dialect.lineBreak)
}

/** Returns what changed in blocks that cost at most `most` together, with the line that counts the others. */
export function writeBlocks({ changes, notes, lines }: Story, dialect: Dialect, most: number): readonly string[] {
  const longest = Math.max(SHORTEST_VALUE, Math.min(LONGEST_VALUE, Math.floor(most / 16)))
  let room = most - MORE
  const fits = (written: string) => {
    const cost = dialect.cost(written + dialect.lineBreak)
    if (cost > room) return false
    room -= cost
    return true
  }
  const shown: string[] = []
  for (const change of changes) {
    const written = changeOf(change, dialect, longest)
    if (!fits(written)) break
    shown.push(written)
  }
  const left = changes.length - shown.length
  if (left > 0) shown.push(dialect.plain(`… and ${left} more changed ${left === 1 ? 'field' : 'fields'}`))
  const rest = [
    ...notes.map((note) => dialect.plain(shorten(note, Math.min(NOTE, longest * 4)))),
    ...lines.map(({ kind, text }) => dialect.value(MARKS[kind] + shorten(text, Math.min(LINE, longest)))),
  ]
  return [...shown, ...rest.filter(fits)]
}

function changeOf({ field, before, after, note, isShort, items }: Change, dialect: Dialect, longest: number): string {
  const name = dialect.bold(dialect.plain(shorten(field, FIELD)))
  const moved = note === null ? '' : ` (${dialect.plain(note)})`
  const value = (text: string) => dialect.value(isolate(text))
  if (items) {
    const shown = linesOfList(items, { most: MAX_ITEMS, width: Math.min(160, longest), room: longest * 3 })
    return [`${name}${moved}`, ...shown.map((line) => dialect.value(line))].join(dialect.lineBreak)
  }
  if (isShort) return `${name}: ${value(before)} → ${value(after)}${moved}`
  const [was, is] = shortenBoth(before, after, longest)
  return [name, `Before: ${value(was)}`, `Now${moved}: ${value(is)}`].join(dialect.lineBreak)
}

function footOf({ runUrl, page, time }: Story, dialect: Dialect, isBare: boolean): string {
  const run = runUrl === null || isBare ? [] : [dialect.link(runUrl, dialect.plain('See the run'))]
  const where = page === null ? [] : [pageOf(page, dialect)]
  return [...run, ...where, dialect.plain(time)].join(' · ')
}

function pageOf({ url, text }: NonNullable<Story['page']>, dialect: Dialect): string {
  return url === null || url.length > LONGEST_LINK ? dialect.plain(text) : dialect.link(url, dialect.plain(text))
}
