export interface TextLink {
  readonly text: string
  readonly address: string
}

/** A piece of text on a page. The origin is at the top left; units are points. */
export interface Fragment {
  readonly text: string
  readonly x: number
  /** Of the base line. */
  readonly y: number
  readonly width: number
  /** The size of the font. */
  readonly size: number
  /** What in it is a link. */
  readonly links: readonly TextLink[]
}

export interface TextLine {
  readonly fragments: readonly Fragment[]
  readonly text: string
  readonly x: number
  readonly y: number
  readonly right: number
  readonly size: number
  /** It has gaps as between the columns of a table. */
  readonly hasGaps: boolean
}

/** Parts of the size of the font: from this gap on there is a space, and a new column. */
const SPACE_GAP = 0.15
const COLUMN_GAP = 1.5
/** Base lines that differ by less are one line. */
const SAME_LINE = 0.35

/** Returns fragments as lines from the top, each from left to right. */
export function linesOf(fragments: readonly Fragment[]): TextLine[] {
  const groups: Fragment[][] = []
  for (const fragment of fragments.toSorted((one, other) => one.y - other.y)) {
    const group = groups.at(-1)
    const first = group?.[0]
    const tolerance = SAME_LINE * Math.max(fragment.size, first?.size ?? 0)
    if (group && first && fragment.y - first.y <= tolerance) group.push(fragment)
    else groups.push([fragment])
  }
  return groups.map(lineOf).filter(({ text }) => text !== '')
}

function lineOf(group: readonly Fragment[]): TextLine {
  const fragments = group.toSorted((one, other) => one.x - other.x)
  let text = ''
  let right = -Infinity
  let hasGaps = false
  for (const { text: part, x, width, size } of fragments) {
    const gap = right === -Infinity ? 0 : x - right
    if (gap > COLUMN_GAP * size) hasGaps = true
    text += gap > SPACE_GAP * size && !/\s$/.test(text) && !/^\s/.test(part) ? ` ${part}` : part
    right = Math.max(right, x + width)
  }
  const [first] = fragments
  const size = Math.max(...fragments.map((one) => one.size))
  return { fragments, text: text.replace(/\s+/g, ' ').trim(), x: first?.x ?? 0, y: first?.y ?? 0, right, size, hasGaps }
}
