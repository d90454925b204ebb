import { oncePerName } from '../../core/message/render-message.ts'
import { cleanText, isolate } from '../../core/text/clean-text.ts'
import type { NamePath } from '../../schema/message/parse-names.ts'
import type { OwnText } from './own-text.ts'
import { shorten } from './shorten.ts'
import type { Story } from './story.ts'
import { type Dialect, UNMARKED, writeChanges } from './write-blocks.ts'

/** How long a value may be, until the text fits. */
const VALUE_LENGTHS = [2_000, 500, 200, 80, 40]
const SHORTEST = 40
/** Lines of a value: an excerpt of a page has fewer. */
const MAX_LINES = 100
/** What is left of a text that is still too long. */
const SHRINK = 0.8
const ADDRESSES: ReadonlySet<string> = new Set(['run.url', 'monitor.url'])

/**
 * Returns a text in a user's own words that costs at most `most`. What the user wrote stays as it is; every value is
 * escaped. Where that is too long, values are shortened, and then the whole text, without its markup.
 */
export function writeOwn(story: Story, own: OwnText, dialect: Dialect, most: number): string {
  const lines = linesOfNames(own)
  for (const longest of VALUE_LENGTHS) {
    const written = writeAll({ story, own, lines }, dialect, { longest, most })
    if (dialect.cost(written) <= most) return written
  }
  const whole = writeAll({ story, own, lines }, UNMARKED, { longest: SHORTEST, most })
  for (let length = most; length > SHORTEST; length = Math.floor(length * SHRINK)) {
    const written = dialect.plain(shorten(whole, length))
    if (dialect.cost(written) <= most) return written
  }
  return dialect.plain(shorten(whole, SHORTEST))
}

interface Room {
  readonly longest: number
  readonly most: number
}

/** What a text is written from, for every length of values. */
interface Written {
  readonly story: Story
  readonly own: OwnText
  readonly lines: (path: NamePath) => readonly string[]
}

/** Returns what gives the lines of a value, free of control characters. */
function linesOfNames({ named }: OwnText): (path: NamePath) => readonly string[] {
  return oncePerName((path) => {
    const lines = named.text(path).split('\n', MAX_LINES)
    return lines.map((line) => isolate(cleanText(line))).filter((line) => line !== '')
  })
}

function writeAll({ story, own, lines }: Written, dialect: Dialect, { longest, most }: Room): string {
  const ownText = (text: string) => dialect.own?.(text) ?? text.replaceAll('\n', dialect.lineBreak)
  const value = (line: string) => dialect.within?.(line) ?? dialect.value(line)
  const valueOf = oncePerName((path) => {
    const name = path.map(({ text }) => text).join('.')
    if (name === 'changes') return writeChanges(story, dialect, Math.min(most, Math.max(longest, SHORTEST) * 8))
    const shown = lines(path)
    if (ADDRESSES.has(name)) return dialect.address(shown.join(''))
    return shown.map((line) => value(shorten(line, longest))).join(dialect.lineBreak)
  })
  return own.template.parts.map((part) => ('raw' in part ? ownText(part.raw) : valueOf(part.path))).join('')
}

/** Cuts a text into pieces of at most `most`, at the ends of lines where there are some. */
export function piecesOf(text: string, most: number): readonly string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > most) {
    const line = rest.lastIndexOf('\n', most)
    const end = line > 0 ? line : most
    pieces.push(rest.slice(0, end))
    rest = rest.slice(line > 0 ? end + 1 : end)
  }
  return [...pieces, rest].filter((piece) => piece.trim() !== '')
}
