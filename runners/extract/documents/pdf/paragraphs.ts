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

/**
 * A word that was divided at the end of a line is one again, where its rest begins with a small letter. One that has
 * another hyphen was divided at its own.
 */
function joined(lines: readonly string[]): string {
  return lines.reduce((text, line) => {
    if (text === '') return line
    if (text.endsWith('\u00ad')) return text.slice(0, -1) + line
    if (/\p{L}[-\u2010]$/u.test(text) && /^\p{Ll}/u.test(line))
      return (
        (/\p{L}[-\u2010]\S*[-\u2010]$/u.test(text) || /^\p{L}+[-\u2010]\p{L}/u.test(line) ? text : text.slice(0, -1)) +
        line
      )
    return `${text} ${line}`
  }, '')
}
