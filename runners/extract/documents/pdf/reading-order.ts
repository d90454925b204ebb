import { type Fragment, linesOf, type TextLine } from './text-line.ts'

/** Lines that are read one after the other: of a page, or of a column of text. */
export type Region = readonly TextLine[]

/** A column of text has lines enough, and most of them are long. A column of a table has not. */
const LEAST_LINES = 5
const LONG_CHARS = 20
const LONG_SHARE = 0.6
/** Places that differ by less are one, in points. */
const SAME_PLACE = 1
/** The most from one line of a column to the next, in sizes of the font. */
const LINE_GAP = 1.7
const MOST_DEEP = 6

/** Returns the regions of a page in the order of reading: columns of text from left to right, all else from the top. */
export function regionsOf(fragments: readonly Fragment[], depth = 0): Region[] {
  const lines = linesOf(fragments)
  const columns = depth < MOST_DEEP && lines.length >= LEAST_LINES ? columnsIn(lines) : null
  if (columns === null) return lines.length === 0 ? [] : [lines]
  const { from, to, left, right } = columns
  return [
    ...regionsOf(fragmentsOf(lines.slice(0, from)), depth + 1),
    ...regionsOf(left, depth + 1),
    ...regionsOf(right, depth + 1),
    ...regionsOf(fragmentsOf(lines.slice(to)), depth + 1),
  ]
}

const fragmentsOf = (lines: readonly TextLine[]) => lines.flatMap(({ fragments }) => fragments)

interface Columns {
  /** The lines that have the columns. */
  readonly from: number
  readonly to: number
  readonly left: readonly Fragment[]
  readonly right: readonly Fragment[]
}

/** Returns the first two columns of text that stand beside each other; null: all lines go across. */
function columnsIn(lines: readonly TextLine[]): Columns | null {
  for (const place of placesIn(lines))
    for (const { from, to } of bandsAt(lines, place)) {
      const fragments = fragmentsOf(lines.slice(from, to))
      const left = fragments.filter(({ x }) => x < place - SAME_PLACE)
      const right = fragments.filter(({ x }) => x >= place - SAME_PLACE)
      if (isText(left) && isText(right)) return { from, to, left, right }
    }
  return null
}

/** Returns where texts begin within enough lines, from the left. */
function placesIn(lines: readonly TextLine[]): number[] {
  const counts = new Map<number, number>()
  for (const { fragments } of lines)
    for (const { x } of fragments.slice(1)) counts.set(Math.round(x), (counts.get(Math.round(x)) ?? 0) + 1)
  const often = [...counts].filter(([, count]) => count >= LEAST_LINES)
  return often.map(([place]) => place).toSorted((one, other) => one - other)
}

/**
 * Returns the runs of lines in which no text goes across a place, from the first one with texts on both sides of it. A
 * column may be longer than the one beside it, up to a larger gap.
 */
function bandsAt(lines: readonly TextLine[], place: number): { readonly from: number; readonly to: number }[] {
  const bands: { from: number; to: number; both: number }[] = []
  for (const [at, line] of lines.entries()) {
    const { fragments, y } = line
    const before = fragments.filter(({ x }) => x < place - SAME_PLACE)
    if (before.some(({ x, width }) => x + width > place)) continue
    const isBoth = before.length > 0 && before.length < fragments.length
    const band = bands.at(-1)
    const above = lines[at - 1]
    const follows = band !== undefined && band.to === at && above !== undefined
    if (follows && (isBoth || y - above.y <= LINE_GAP * above.size)) {
      band.to = at + 1
      if (isBoth) band.both += 1
    } else if (isBoth) bands.push({ from: at, to: at + 1, both: 1 })
  }
  return bands.filter(({ both }) => both >= LEAST_LINES)
}

function isText(fragments: readonly Fragment[]): boolean {
  const lines = linesOf(fragments)
  const long = lines.filter(({ text }) => text.length >= LONG_CHARS).length
  return lines.length >= LEAST_LINES && long >= LONG_SHARE * lines.length
}
