import type { TextLine } from './text-line.ts'

/** Lines at the top and at the bottom of a page that may be its furniture. */
const AT_EDGE = 3
/** In the usual size: from here on a line is a heading, which may differ from others by its number alone. */
const LARGE = 1.25
/** Fewer pages repeat too much by chance. */
const LEAST_PAGES = 3

/**
 * Returns whether a line stands at the edge of most pages, but for its numbers, such as a title, a date or the number
 * of the page. `pages` are the lines of each page, from the top.
 */
export function runningLines(pages: readonly (readonly TextLine[])[]): (line: TextLine) => boolean {
  const counts = new Map<string, number>()
  const edges = pages.map(edgeOf)
  if (pages.length < LEAST_PAGES) return () => false
  for (const edge of edges) for (const name of new Set(edge.map(nameOf))) counts.set(name, (counts.get(name) ?? 0) + 1)
  const usual = medianSize(pages.flat())
  const running = new Set(
    edges.flat().filter((line) => (counts.get(nameOf(line)) ?? 0) > pages.length / 2 && line.size <= LARGE * usual),
  )
  return (line) => running.has(line)
}

function medianSize(lines: readonly TextLine[]): number {
  const sizes = lines.map(({ size }) => size).sort((one, other) => one - other)
  return sizes[Math.floor(sizes.length / 2)] ?? 0
}

const edgeOf = (lines: readonly TextLine[]) =>
  lines.length <= AT_EDGE * 2 ? lines : [...lines.slice(0, AT_EDGE), ...lines.slice(-AT_EDGE)]

const nameOf = ({ text, y }: TextLine) => `${Math.round(y / 4)} ${text.replace(/\d+/g, '#')}`
