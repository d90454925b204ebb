import { isolate } from '../../core/text/clean-text.ts'
import type { Change } from './change.ts'
import { shorten, shortenBoth } from './shorten.ts'
import { type ChangedLine, linesOfList, type Story } from './story.ts'

/** How a service writes text. Everything from a monitor or a page goes through `plain` or `value`. */
export interface Dialect {
  /** Escapes names and sentences. */
  plain(text: string): string
  /** Escapes a value of a page. */
  value(text: string): string
  bold(written: string): string
  link(url: string, written: string): string
  /** Escapes a value that stands right beside what a user wrote: `own` is all of that. Absent: as `value`. */
  within?(text: string, own: string): string
  /** Writes the address of a page or a run within a text of the user, of which `before` stands in front of it. */
  address(url: string, before: string): string
  /** Writes what the user wrote. Absent: as it is, with line breaks of the service. */
  own?(text: string): string
  readonly lineBreak: string
  /** Returns the characters of a written text that count towards the limit. */
  cost(written: string): number
}

/** Space for the line that counts the changes that are not shown. */
const MORE = 120
const FIELD = 100
const NOTE = 1_000
const LINE = 200
const MAX_ITEMS = 10
const SHORTEST_VALUE = 40
const LONGEST_VALUE = 500

const MARKS: Readonly<Record<ChangedLine['kind'], string>> = { removed: '− ', added: '+ ', remark: '' }

/** Text that is not shown as markup. */
export const UNMARKED: Dialect = {
  plain: (text) => text,
  value: (text) => text,
  bold: (written) => written,
  link: (url) => url,
  address: (url) => url,
  lineBreak: '\n',
  cost: (written) => written.length,
}

/** Returns what changed in blocks of at most `most`, as one text. */
export const writeChanges = (story: Story, dialect: Dialect, most: number): string =>
  writeBlocks(story, dialect, most).join(dialect.lineBreak)

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
