import { setImmediate as breathe } from 'node:timers/promises'
import type { NotFound } from '../../core/outcome.ts'
import { judgeResults, type SearchRule } from '../../core/serp/judge-results.ts'
import { BACKTEST_BYTES, BACKTEST_CHANGES } from '../../schema/monitor/backtest.ts'
import type { SerpBacktest, SerpBacktestRequest, SerpBacktestRun } from '../../schema/serp/serp-backtest.ts'
import { WORK } from '../../schema/work.ts'
import type { Queryable } from '../../store/db/client.ts'
import { SEARCH_TABLE } from '../../store/monitors/kinds/search-table.ts'
import { findMonitor } from '../../store/monitors/monitors.ts'
import { readResults, type StoredResults } from '../../store/monitors/search-stored-runs.ts'
import { type Left, NO_MONITOR } from '../outcome.ts'
import { keptRuns, startOf } from './kept-runs.ts'

interface BacktestWanted {
  readonly teamId: string
  readonly id: string
  readonly asked: SerpBacktestRequest
  /** Ends the work: nobody waits for its result any more. */
  readonly signal?: AbortSignal | undefined
}

type SearchBacktestOutcome = { readonly kind: 'done'; readonly backtest: SerpBacktest } | NotFound | Left

/**
 * Tries when a search would have fired on its stored results. Each run is compared with the one before of the same
 * source and as many pages. Stores nothing and sends nothing.
 */
export async function backtestSearch(
  store: Queryable,
  { teamId, id, asked, signal }: BacktestWanted,
): Promise<SearchBacktestOutcome> {
  const stored = await findMonitor(store, teamId, id, SEARCH_TABLE)
  if (!stored) return NO_MONITOR
  const place = { teamId, monitorNo: stored.no }
  const kept = await keptRuns(store, { ...place, days: asked.days ?? null })
  const results = readResults(store, { ...place, limit: BACKTEST_CHANGES, maxBytes: BACKTEST_BYTES, signal })
  const rule = ruleOf(stored, asked)
  const { runs, short, isCut } = await judgeAll(results, rule, { from: Date.parse(kept.from), signal })
  if (signal?.aborted) return { kind: 'left' }
  const backtest: SerpBacktest = {
    changes: runs.length,
    would_fire: runs.filter(({ fires }) => fires).length,
    ...kept,
    truncated: isCut,
    warnings: short > 0 ? [leftOut(short)] : [],
    runs: runs.toSorted((one, other) => (one.run_id < other.run_id ? 1 : -1)),
  }
  return { kind: 'done', backtest }
}

/** Returns what is tried. Full analysis has no target, as after an edit. */
function ruleOf(stored: SearchRule, { mode = stored.mode, target_domain, rank_change_threshold }: SerpBacktestRequest) {
  const { keyword } = stored
  const target = target_domain === undefined ? stored.target_domain : target_domain
  const threshold = rank_change_threshold === undefined ? stored.rank_change_threshold : rank_change_threshold
  return {
    keyword,
    mode,
    target_domain: mode === 'full_analysis' ? null : target,
    rank_change_threshold: threshold,
  } satisfies SearchRule
}

interface Period {
  /** In ms since the epoch. */
  readonly from: number
  readonly signal?: AbortSignal | undefined
}

interface Judged {
  readonly runs: readonly SerpBacktestRun[]
  /** Checks without all their pages. */
  readonly short: number
  /** Older ones were left out. */
  readonly isCut: boolean
}

/** Goes from the newest run to older ones. Of each source, the run is held that the next older one is compared with. */
async function judgeAll(
  results: ReturnType<typeof readResults>,
  rule: SearchRule,
  { from, signal }: Period,
): Promise<Judged> {
  const until = performance.now() + WORK.backtest.budgetMs
  const held = new Map<string, StoredResults>()
  const runs: SerpBacktestRun[] = []
  const judge = (run: StoredResults | undefined, before: StoredResults | null) => {
    if (run?.is_change) runs.push(judged(rule, run, before && isComparable(run, before) ? before : null))
  }
  let short = 0
  for await (const run of results) {
    // What the held ones are compared with was not read.
    if (signal?.aborted || performance.now() > until) return { runs, short, isCut: true }
    const isInPeriod = Date.parse(startOf(run)) >= from
    if (!isInPeriod && held.size === 0) return { runs, short, isCut: false }
    if (isShort(run)) {
      short += isInPeriod ? 1 : 0
      continue
    }
    const source = sourceOf(run)
    judge(held.get(source), run)
    if (isInPeriod) held.set(source, run)
    else held.delete(source)
    // Other requests can run between two runs.
    await breathe()
  }
  if (!results.isCut) for (const run of held.values()) judge(run, null)
  return { runs, short, isCut: results.isCut }
}

const sourceOf = ({ serp_check: check }: StoredResults): string => check?.source ?? 'engine'

/** A check without all its pages is compared page by page, and where pages end is not stored. */
const isShort = ({ serp_check: check }: StoredResults): boolean =>
  check !== null && (check.cut_by !== null || check.is_guess)

const isComparable = ({ serp_check: one }: StoredResults, { serp_check: other }: StoredResults): boolean =>
  one?.pages === other?.pages

function judged(rule: SearchRule, run: StoredResults, before: StoredResults | null): SerpBacktestRun {
  const { fires, rank, previousRank, fields, why } = judgeResults(rule, before?.results ?? null, run.results)
  return {
    run_id: run.id,
    started_at: startOf(run),
    fires,
    fired: run.delivery_triggered || run.fired,
    delivery_triggered: run.delivery_triggered,
    values: [...fields],
    rank,
    previous_rank: previousRank,
    why,
  }
}

const leftOut = (count: number) =>
  `${count === 1 ? 'One check was' : `${count} checks were`} left out: pages of its results are missing, or their ` +
  'layout was unknown.'
