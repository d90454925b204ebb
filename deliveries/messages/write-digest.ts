import type { Dialect } from './dialect.ts'
import type { DigestLine, DigestLines } from './digest-lines.ts'
import { LINK_WORDS } from './links.ts'

const COUNT = new Intl.NumberFormat('en')
const LONGEST_LINK = 500
const MARK = '• '

/**
 * Returns a line for each change, which together cost at most `most`, with a line that counts the others. Each links to
 * its run where all of them fit with their addresses.
 */
export function writeDigest({ lines, count, url }: DigestLines, dialect: Dialect, most: number): readonly string[] {
  const withLinks = lines.map(withLink)
  const linked = linesIn(withLinks, most)
  if (linked.length === count) return linked
  const room = most - dialect.cost(others(count) + dialect.lineBreak)
  const named = linesIn(withLinks, room)
  const shown = named.length === lines.length ? named : linesIn(lines.map(lineOf), room)
  return [...shown, others(count - shown.length)]

  function linesIn(written: readonly string[], atMost: number): readonly string[] {
    let left = atMost
    const end = written.findIndex((line) => (left -= dialect.cost(line + dialect.lineBreak)) < 0)
    return end < 0 ? written : written.slice(0, end)
  }

  function lineOf({ text }: DigestLine): string {
    return `${MARK}${dialect.within?.(text, MARK) ?? dialect.plain(text)}`
  }

  function withLink(line: DigestLine): string {
    const hasLink = line.url !== null && line.url.length <= LONGEST_LINK
    return hasLink ? `${lineOf(line)} ${dialect.link(line.url, dialect.plain(LINK_WORDS.run))}` : lineOf(line)
  }

  function others(left: number): string {
    const words = dialect.plain(`… and ${COUNT.format(left)} more ${left === 1 ? 'change' : 'changes'}`)
    return url === null || url.length > LONGEST_LINK
      ? words
      : `${words} ${dialect.link(url, dialect.plain(LINK_WORDS.all))}`
  }
}
