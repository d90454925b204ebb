import type { ListedResult } from '../../schema/serp/serp-result.ts'
import { comparedLists } from '../serp/decide-search.ts'
import type { ComparedReading, StoredReading } from '../serp/kept-reading.ts'
import { targetRank } from '../serp/target-rank.ts'
import type { MonitorSummary } from './monitor-summary.ts'
import type { ChangedField, RunChange } from './run-change.ts'

/** What a search watches. Null: no target. */
interface Watched {
  readonly target_domain: string | null
}

/**
 * Returns what lists show of a check of a search: its rank differs, or else its results as far as both checks cover
 * them. Null: neither differs, or there is nothing to compare with.
 */
export function searchChange(
  { target_domain: target }: Watched,
  before: ComparedReading | null,
  current: StoredReading,
): RunChange | null {
  const lists = comparedLists(before, current)
  if (lists === null) return null
  if (target !== null) {
    const [was, is] = [targetRank(target, lists.before), targetRank(target, lists.after)]
    if (was !== is && was !== 'unknown' && is !== 'unknown')
      return { fields: [changed('rank', placeOf(was), placeOf(is))], more: 0 }
  }
  if (lists.isSame) return null
  const [count, countBefore] = [lists.results.length, lists.previous.length]
  const after = `${resultsOf(count)}, ${movements(lists.previous, lists.results)}`
  return { fields: [changed('results', resultsOf(countBefore), after)], more: 0 }
}

const changed = (field: string, before: string, after: string): ChangedField => ({
  field,
  before,
  after,
  percent: null,
})
const placeOf = (rank: number | null): string => (rank === null ? 'not listed' : `#${rank}`)
const resultsOf = (count: number): string => (count === 1 ? '1 result' : `${count} results`)

function movements(previous: readonly ListedResult[], results: readonly ListedResult[]): string {
  const isNew = missingIn(previous)
  const isGone = missingIn(results)
  const [added, gone] = [results.filter(isNew).length, previous.filter(isGone).length]
  if (added === 0 && gone === 0) return 'in another order or with other texts'
  return [...(added > 0 ? [`${added} new`] : []), ...(gone > 0 ? [`${gone} gone`] : [])].join(', ')
}

function missingIn(list: readonly ListedResult[]): (result: ListedResult) => boolean {
  const known = new Set(list.map(nameOf))
  return (result) => !known.has(nameOf(result))
}

const nameOf = ({ domain, title }: ListedResult): string => JSON.stringify([domain, title])

/** What a check of a search found. */
interface FoundSearch {
  readonly target: string | null
  readonly rank: number | null
  /** The number of results. */
  readonly count: number
}

/** Returns its rank, or the number of its results, as lists show it. */
export const shownSearch = ({ target, rank, count }: FoundSearch): NonNullable<MonitorSummary['value']> =>
  target === null ? { field: 'results', text: resultsOf(count) } : { field: 'rank', text: placeOf(rank) }

/** Returns the same as a number to plot. */
export const plottedSearch = ({ target, rank, count }: FoundSearch) =>
  target === null ? { field: 'results', number: count } : { field: 'rank', number: rank }
