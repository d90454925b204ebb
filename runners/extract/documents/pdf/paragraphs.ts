import type { Region } from './reading-order.ts'
import type { TextLine, TextLink } from './text-line.ts'

export interface Paragraph {
  readonly text: string
  readonly links: readonly TextLink[]
  /** Furniture of the page, such as its number. */
  readonly isRunning: boolean
}

/** Parts of the size of the font, and of the width of the region. */
const LINE_GAP = 1.7
const SAME_SIZE = 0.1
const FULL_LINE = 0.82
const INDENT = 3

/** Returns the paragraphs of a region: lines that were broken for the width of the page are one text again. */
export function paragraphsOf(region: Region, isRunning: (line: TextLine) => boolean): Paragraph[] {
  const left = Math.min(...region.map(({ x }) => x))
  const right = Math.max(...region.map((line) => line.right))
  const groups: TextLine[][] = []
  for (const line of region) {
    const group = groups.at(-1)
    const before = group?.at(-1)
    const joins =
      before !== undefined &&
      isRunning(before) === isRunning(line) &&
      !isRunning(line) &&
      continues(before, line) &&
      before.right - left >= FULL_LINE * (right - left)
    if (group && joins) group.push(line)
    else groups.push([line])
  }
  return groups.map((lines) => ({
    text: joined(lines.map(({ text }) => text)),
    links: lines.flatMap(({ fragments }) => fragments.flatMap(({ links }) => links)),
    isRunning: lines.some(isRunning),
  }))
}

function continues(before: TextLine, line: TextLine): boolean {
  const { size } = before
  return (
    !before.hasGaps &&
    !line.hasGaps &&
    line.y - before.y <= LINE_GAP * size &&
    Math.abs(line.size - size) <= SAME_SIZE * size &&
    Math.abs(line.x - before.x) <= INDENT * size &&
    // A mark of a list begins an item.
    !/^(?:[•◦‣▪–—*]|\(?\d{1,3}[.)])\s/.test(line.text)
  )
}

/** The most of a word that is looked at: the lines of a page may be one word. */
const MOST_OF_WORD = 100

/** Returns lines as one text. Only their last words are looked at, because a text may have thousands of lines. */
function joined(lines: readonly string[]): string {
  const parts: string[] = []
  let word = ''
  for (const line of lines) {
    const joint = parts.length === 0 ? '' : jointOf(word, line)
    if (joint === null) parts.push(parts.pop()?.slice(0, -1) ?? '', line)
    else parts.push(joint, line)
    word = lastWordOf(joint === null ? word.slice(0, -1) + line : word + joint + line)
  }
  return parts.join('')
}

const lastWordOf = (text: string) => /\S*$/.exec(text.slice(-MOST_OF_WORD))?.[0] ?? ''

/**
 * Returns what is between a word at the end of a line and the next line; null: nothing, and the hyphen goes too. A word
 * that was divided is one again, where its rest begins with a small letter. One that has another hyphen was divided at
 * its own: most programs divide no compound at a syllable.
 */
function jointOf(word: string, line: string): string | null {
  if (word.endsWith('\u00ad')) return null
  if (!/\p{L}[-\u2010]$/u.test(word) || !/^\p{Ll}/u.test(line)) return ' '
  return /\p{L}[-\u2010]\S*[-\u2010]$/u.test(word) || /^\p{L}+[-\u2010]\p{L}/u.test(line) ? '' : null
}
