import type { Series } from '../api/types.ts'
import { columnsOf, inWords, stopsOf } from '../monitor/series-view.ts'

/** The rank of one search over time. */
export interface RankLine {
  readonly id: string
  /** What it is called. */
  readonly name: string
  /** Its place among the colours. */
  readonly tone: number
  readonly series: Series
}

/** Returns where the cursor stops over several lines, in milliseconds, the oldest first. */
export const stopsOfLines = (lines: readonly RankLine[]): readonly number[] => [
  ...new Set(lines.flatMap(({ series }) => stopsOf(series).map(({ at }) => at)).toSorted((one, other) => one - other)),
]

/** Returns the rank that a search had at an instant, in words. */
export function rankAt({ field, points, failures, from, to }: Series, at: number): string {
  if (at < Date.parse(from)) return 'not checked yet'
  const hasFailed = failures.some((band) => at >= Date.parse(band.from) && at < Date.parse(band.to ?? to))
  if (hasFailed) return 'not known'
  const held = points.findLast((point) => Date.parse(point.at) <= at)
  return held === undefined ? 'not known' : inWords(field, held.value)
}

/** Returns the time that lines have together. */
export function timeOf(lines: readonly RankLine[]): readonly [string, string] {
  const [first] = lines
  const [from = '', to = ''] = [first?.series.from, first?.series.to]
  return lines.reduce<readonly [string, string]>(
    ([least, most], { series }) => [
      Date.parse(series.from) < Date.parse(least) ? series.from : least,
      Date.parse(series.to) > Date.parse(most) ? series.to : most,
    ],
    [from, to],
  )
}

/**
 * Returns the columns of a plot of several lines: the instants of all of them in seconds, and the ranks of each at all
 * instants. A rank holds until the next one of its line. Null: it is not listed, or not known.
 */
export function columnsOfLines(lines: readonly RankLine[]): [number[], ...(number | null)[][]] {
  const columns = lines.map(({ series }) => columnsOf(series, true))
  const instants = [...new Set(columns.flatMap(([times]) => times))].toSorted((one, other) => one - other)
  return [
    instants,
    ...columns.map(([times, ranks]) => {
      let nth = -1
      return instants.map((instant) => {
        while ((times[nth + 1] ?? Infinity) <= instant) nth += 1
        return ranks[nth] ?? null
      })
    }),
  ]
}
