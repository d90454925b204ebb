import { oncePerName } from '../../core/message/render-message.ts'
import { cleanText, isolate } from '../../core/text/clean-text.ts'
import type { NamePath } from '../../schema/message/parse-names.ts'
import { type Dialect, UNMARKED } from './dialect.ts'
import type { OwnText } from './own-text.ts'
import { shorten } from './shorten.ts'
import type { Story } from './story.ts'
import { writeChanges } from './write-blocks.ts'

/** How long a value may be, until the text fits. */
const VALUE_LENGTHS = [2_000, 500, 200, 80, 40]
const SHORTEST = 40
/** Lines of a value: an excerpt of a page has fewer. */
const MAX_LINES = 100
/** Characters of a value that are looked at, of which the unseen ones are taken out. */
const MAX_VALUE = 8_000
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
    if (written !== null && dialect.cost(written) <= most) return written
  }
  const whole = writeAll({ story, own, lines }, UNMARKED, { longest: SHORTEST, most: Infinity }) ?? ''
  const plain = (length: number) => shorten(whole, length).split('\n').map(dialect.plain).join(dialect.lineBreak)
  for (let length = most; length > SHORTEST; length = Math.floor(length * SHRINK)) {
    const written = plain(length)
    if (dialect.cost(written) <= most) return written
  }
  return plain(SHORTEST)
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
    const lines = named.text(path).slice(0, MAX_VALUE).split('\n', MAX_LINES)
    return lines.map((line) => isolate(cleanText(line))).filter((line) => line !== '')
  })
}

/** Returns null as soon as the text is so long that no dialect counts it as less than what fits. */
function writeAll({ story, own, lines }: Written, dialect: Dialect, { longest, most }: Room): string | null {
  const { parts } = own.template
  const ownWords = parts.map((part) => ('raw' in part ? part.raw : '')).join('')
  const value = (text: string) => dialect.within?.(text, ownWords) ?? dialect.value(text)
  const valueOf = oncePerName((path) => {
    if (nameOf(path) !== 'changes') return shortened(lines(path), longest).map(value).join(dialect.lineBreak)
    const beside = dialect.within ? { ...dialect, value, plain: value } : dialect
    return writeChanges(story, beside, Math.min(most, Math.max(longest, SHORTEST) * 8))
  })
  const written: string[] = []
  let room = most * LONGEST_MARKUP
  for (const [at, part] of parts.entries()) {
    const text =
      'raw' in part
        ? ownText(part.raw, dialect)
        : addressOf(part.path, at) || begun(part.path, at) || valueOf(part.path)
    room -= text.length
    if (room < 0) return null
    written.push(text)
  }
  return written.join('')

  /** Returns nothing where the user has begun no sign in front of it. */
  function begun(path: NamePath, at: number): string {
    if (!dialect.begun) return ''
    const before = parts.slice(0, at).map((part) => ('raw' in part ? part.raw : ''))
    const [, sign] = /<([^<>]*)$/.exec(before.join('')) ?? []
    return sign === undefined ? '' : dialect.begun(shortened(lines(path), longest).join(' '), sign)
  }

  /** Returns nothing where the name has no address, or its address is not known. */
  function addressOf(path: NamePath, at: number): string {
    const url = ADDRESSES.has(nameOf(path)) ? lines(path).join('') : ''
    const before = parts[at - 1]
    return url === '' ? '' : dialect.address(url, before && 'raw' in before ? before.raw : '')
  }
}

/** A tag or an escape has at most so many characters for one that counts. */
const LONGEST_MARKUP = 20

const ownText = (text: string, dialect: Dialect): string =>
  dialect.own?.(text) ?? text.replaceAll('\n', dialect.lineBreak)

const nameOf = (path: NamePath): string => path.map(({ text }) => text).join('.')

/** Returns the first lines of a value, which have at most about `longest` characters together. */
function shortened(lines: readonly string[], longest: number): readonly string[] {
  const shown: string[] = []
  let room = longest
  for (const line of lines) {
    if (room <= 0) break
    const most = Math.max(room, SHORTEST)
    shown.push(line.length > most ? `${line.slice(0, most).toWellFormed()}…` : line)
    room -= line.length
  }
  return shown
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
