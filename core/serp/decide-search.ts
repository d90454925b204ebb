import type { ListedResult, SerpAnalysisBlock, SerpBlock, SerpResult } from '../../schema/serp/serp-result.ts'
import { covered, reach, type ComparedReading, type StoredReading, reportedReading } from './kept-reading.ts'
import { targetRank } from './target-rank.ts'

/** What a monitor of a search says about alerts. */
interface RankRule {
  readonly keyword: string
  readonly target_domain: string
  /** Positions of movement that fire; null: only entering and leaving do. */
  readonly rank_change_threshold: number | null
}

/** The decision about one check of `rank_tracking`. */
interface RankDecision {
  /** The position in this check; null: not listed, or not known. */
  readonly rank: number | null
  /** Previous − current: positive is better. Null when either is null. */
  readonly rankDelta: number | null
  /** The block of the delivery; null: nothing fires. */
  readonly serp: SerpBlock | null
}

/**
 * Decides about a check of `rank_tracking`: it fires when the rank moved by the threshold, and when the target entered
 * or left the results. Only what both checks cover is compared, so neither a shorter check nor another number of pages
 * fires. What shorter checks have sent since the last full one is the previous rank. A rank that the other source has
 * sent already is not sent again. Without a baseline nothing fires.
 */
export function decideRank(rule: RankRule, baseline: ComparedReading | null, current: StoredReading): RankDecision {
  const { keyword, target_domain, rank_change_threshold: threshold } = rule
  const rank = known(targetRank(target_domain, current.results))
  if (baseline === null) return { rank, rankDelta: null, serp: null }
  const reported = reportedReading(baseline)
  const rankDelta = deltaOf(known(targetRank(target_domain, reported.results)), rank)
  if (current.isGuess || baseline.isGuess) return { rank, rankDelta, serp: null }
  const { before, after } = ranksOf(rule, reported, current)
  if (before === 'unknown' || after === 'unknown' || !hasMoved(before, after, threshold))
    return { rank, rankDelta, serp: null }
  const { rankElsewhere } = baseline
  if (rankElsewhere !== undefined && !hasMoved(rankElsewhere, after, threshold)) return { rank, rankDelta, serp: null }
  const moved = { rank: after, previous_rank: before, rank_delta: deltaOf(before, after) }
  return { rank, rankDelta, serp: { keyword, target_domain, ...moved } }
}

/** Returns the ranks of the target as far as two checks can be compared. */
function ranksOf({ target_domain: target }: RankRule, before: StoredReading, after: StoredReading) {
  const both = covered(before, after)
  return { before: rankIn(both.before, before, after), after: rankIn(both.after, after, before) }

  /** A target that is not on the compared pages is unknown where it is further behind, or may be on a missing page. */
  function rankIn(compared: readonly SerpResult[], own: StoredReading, other: StoredReading) {
    const rank = targetRank(target, compared)
    if (rank !== null) return rank
    const isCut = own.isPartial && reach(own) < reach(other)
    return isCut || targetRank(target, own.results) !== null ? 'unknown' : null
  }
}

const known = (rank: number | null | 'unknown'): number | null => (rank === 'unknown' ? null : rank)

const deltaOf = (previous: number | null, current: number | null): number | null =>
  previous === null || current === null ? null : previous - current

function hasMoved(before: number | null, after: number | null, threshold: number | null): boolean {
  if (before === null || after === null) return before !== after
  return threshold !== null && before !== after && Math.abs(before - after) >= threshold
}

/**
 * Decides about a check of `full_analysis`: it fires when rank, title, description or domain of any result differs.
 * Addresses alone do not count. Likewise only what both checks cover is compared, and what shorter checks have sent is
 * known. Returns the block of the delivery; null: nothing fires.
 */
export function decideAnalysis(
  keyword: string,
  baseline: ComparedReading | null,
  current: StoredReading,
): SerpAnalysisBlock | null {
  const lists = comparedLists(baseline, current)
  return lists === null || lists.isSame ? null : { keyword, results: lists.results, previous_results: lists.previous }
}

/** Returns the results of two checks as far as they can be compared. Null: there is nothing to compare with. */
export function comparedLists(baseline: ComparedReading | null, current: StoredReading) {
  if (baseline === null || baseline.isGuess || current.isGuess) return null
  const { before, after } = covered(reportedReading(baseline), current)
  const results = after.map(listed)
  const previous = before.map(listed)
  return { before, after, results, previous, isSame: isSameList(results, previous) }
}

const isSameList = (one: readonly ListedResult[], other: readonly ListedResult[]): boolean =>
  one.length === other.length && one.every((result, at) => isSameResult(result, other[at]))

function listed({ position, title, url, domain, description }: SerpResult): ListedResult {
  const origin = URL.parse(url)?.origin
  return {
    rank: position,
    title,
    description: description ?? '',
    domain: origin !== undefined && origin !== 'null' ? `${origin}/` : domain === '' ? '' : `https://${domain}/`,
  }
}

/** Removes the scheme: a person who gives a domain means any scheme. */
const hostOf = (domain: string): string => domain.replace(/^https?:\/\//, '')

function isSameResult(one: ListedResult, other: ListedResult | undefined): boolean {
  return (
    other !== undefined &&
    one.rank === other.rank &&
    one.title === other.title &&
    one.description === other.description &&
    hostOf(one.domain) === hostOf(other.domain)
  )
}
