import { isolate } from '../../core/text/clean-text.ts'
import type { Change } from './change.ts'
import type { Dialect } from './dialect.ts'
import { shorten, shortenBoth } from './shorten.ts'
import { type ChangedLine, linesOfList, type Story } from './story.ts'
import { writeDigest } from './write-digest.ts'

/** Space for the line that counts the changes that are not shown. */
const MORE = 120
const FIELD = 100
const NOTE = 1_000
const LINE = 200
const MAX_ITEMS = 10
const SHORTEST_VALUE = 40
const LONGEST_VALUE = 500

const MARKS: Readonly<Record<ChangedLine['kind'], string>> = { removed: '− ', added: '+ ', remark: '' }

/** Returns what changed in blocks of at most `most`, as one text. */
export const writeChanges = (story: Story, dialect: Dialect, most: number): string =>
  writeBlocks(story, dialect, most).join(dialect.lineBreak)

/** Returns what changed in blocks that cost at most `most` together, with the line that counts the others. */
export function writeBlocks(story: Story, dialect: Dialect, most: number): readonly string[] {
  const { changes, notes, lines, digest } = story
  if (digest) return writeDigest(digest, dialect, most)
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
