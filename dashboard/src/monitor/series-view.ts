import { FAULTS, type Series } from '../api/types.ts'
import { percentFormat } from '../parts/formats.ts'

/** A place of the plot that the cursor stops at. */
interface Stop {
  readonly at: number
  /** Null: there is no number, or it begins to fail. */
  readonly value: number | null
  readonly text: string
  /** The run that says more. */
  readonly run: string | null
}

/** Columns as the plot takes them: seconds, values, and the least and the most of each. */
type Columns = [number[], (number | null)[], (number | null)[], (number | null)[]]

const numbers = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 })

/** Returns a number of a field in words. */
export function inWords(field: string | null, value: number | null): string {
  if (field === 'rank') return value === null ? 'not listed' : `#${value}`
  return value === null ? 'not a number' : numbers.format(value)
}

const short = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 })

/** Returns the numbers of a series in short, each with its word. */
export function summaryWords({ field, summary }: Pick<Series, 'field' | 'summary'>): readonly string[] {
  if (summary === null) return []
  const { least, most, mean, share } = summary
  if (field === 'rank')
    return [
      `best ${inWords(field, least)}`,
      `worst ${inWords(field, most)}`,
      `mean #${mean.toFixed(1)}`,
      `listed ${percentFormat.format(share)} of the time`,
    ]
  return [
    `lowest ${inWords(field, least)}`,
    `highest ${inWords(field, most)}`,
    `mean ${short.format(mean)}`,
    ...(share < 1 ? [`a number ${percentFormat.format(share)} of the time`] : []),
  ]
}

/**
 * Returns the columns of a plot. A value holds until the next point, and the last one until the end. Of a search,
 * failed checks are gaps: nobody knows the rank then.
 */
export function columnsOf({ points, failures, to }: Series, hasGaps: boolean): Columns {
  const end = Date.parse(to)
  const rows = points.map(({ at, value, min, max }) => [Date.parse(at), value, min, max] as const)
  const ranges = hasGaps ? failures.map((band) => [Date.parse(band.from), Date.parse(band.to ?? to)] as const) : []
  const isGap = (at: number) => ranges.some(([from, until]) => at >= from && at < until)
  const edges = ranges.flatMap(([from, until]) => [from, from + 1, until]).filter((at) => at <= end)
  const times = [...new Set([...rows.map(([at]) => at), ...edges, ...(rows.length > 0 ? [end] : [])])].toSorted(
    (one, other) => one - other,
  )
  let nth = -1
  const shown = times.map((at) => {
    while ((rows[nth + 1]?.[0] ?? Infinity) <= at) nth += 1
    // The line goes on up to the first moment of a gap.
    return isGap(at) && isGap(at - 1) ? undefined : rows[nth]
  })
  return [
    times.map((at) => at / 1000),
    shown.map((row) => row?.[1] ?? null),
    shown.map((row) => row?.[2] ?? null),
    shown.map((row) => row?.[3] ?? null),
  ]
}

/** Returns where the cursor of the plot stops, the oldest first: each point, and where checks begin to fail. */
export function stopsOf({ field, points, failures }: Series): readonly Stop[] {
  const ofPoints = points.map(({ at, value, min, max, run_id: run }) => {
    const range =
      min !== null && min !== max ? `, from ${inWords(field, min)} to ${inWords(field, max)} until then` : ''
    return { at: Date.parse(at), value, text: inWords(field, value) + range, run }
  })
  const ofFailures = failures.map(({ from, error_code: code }) => ({
    at: Date.parse(from),
    value: null,
    text: `Checks fail. ${FAULTS[code]}`,
    run: null,
  }))
  return [...ofPoints, ...ofFailures].toSorted((one, other) => one.at - other.at)
}
