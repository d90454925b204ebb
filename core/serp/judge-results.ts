import type { SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import type { SerpResult } from '../../schema/serp/serp-result.ts'
import type { ChangedField } from '../overview/run-change.ts'
import { searchChange } from '../overview/search-change.ts'
import { decideAnalysis, decideRank } from './decide-search.ts'
import type { StoredReading } from './kept-reading.ts'
import { targetRank } from './target-rank.ts'

/** What a monitor of a search says about alerts. */
export type SearchRule = Pick<SerpMonitorSpec, 'keyword' | 'mode' | 'target_domain' | 'rank_change_threshold'>

/** What a rule makes of the results of a check. */
interface JudgedResults {
  readonly fires: boolean
  /** Null: not listed, not known, or no target. */
  readonly rank: number | null
  readonly previousRank: number | null
  /** What differs. */
  readonly fields: readonly ChangedField[]
  readonly why: string
}

/** Decides about the results of a check whose pages are all there, as a check does. Null: there is none before. */
export function judgeResults(
  rule: SearchRule,
  before: readonly SerpResult[] | null,
  after: readonly SerpResult[],
): JudgedResults {
  const { keyword, mode, target_domain: target, rank_change_threshold: threshold } = rule
  const rankIn = (results: readonly SerpResult[] | null) => {
    const rank = target === null || results === null ? null : targetRank(target, results)
    return rank === 'unknown' ? null : rank
  }
  const [previousRank, rank] = [rankIn(before), rankIn(after)]
  const [was, is] = [before && wholeReading(before), wholeReading(after)]
  const fields = searchChange({ target_domain: target }, was, is)?.fields ?? []
  const judged = (fires: boolean, why: string): JudgedResults => ({ fires, rank, previousRank, fields, why })
  if (was === null) return judged(false, NOTHING_BEFORE)
  if (mode === 'full_analysis') {
    const fires = decideAnalysis(keyword, was, is) !== null
    return judged(fires, fires ? 'the results differ' : SAME)
  }
  if (target === null) return judged(false, NO_TARGET)
  const { serp } = decideRank({ keyword, target_domain: target, rank_change_threshold: threshold }, was, is)
  return judged(serp !== null, `${target} ${movement(previousRank, rank, threshold)}`)
}

/** Where the pages end is not stored. Of two checks with all their pages it does not matter. */
const wholeReading = (results: readonly SerpResult[]): StoredReading => ({
  results,
  pageEnds: [results.length],
  isEnd: true,
  isPartial: false,
  isGuess: false,
})

function movement(before: number | null, after: number | null, threshold: number | null): string {
  if (before === after) return after === null ? 'is not listed' : `is still at ${after}`
  if (before === null) return `came into the results, at ${after}`
  if (after === null) return `left the results, where it was at ${before}`
  const wanted = threshold === null ? 'only coming and leaving was asked for' : `${threshold} or more was asked for`
  return `moved by ${Math.abs(before - after)}, from ${before} to ${after}; ${wanted}`
}

const NOTHING_BEFORE = 'no run of the same source with as many pages is kept to compare it with'
const NO_TARGET = 'there is no target_domain, so no rank fires'
const SAME = 'rank, title, description and domain of all results are the same'
