import { setImmediate as breathe } from 'node:timers/promises'
import type { Whose } from '../../concurrency/threads/thread.ts'
import { pageChange } from '../../core/overview/run-change.ts'
import { collectPatterns } from '../../core/predicate/collect-patterns.ts'
import { explain } from '../../core/predicate/explain.ts'
import { lastNumbers, type Matches } from '../../core/predicate/fires.ts'
import type { Judged, PageTexts } from '../../core/predicate/judged.ts'
import { PAGE_FIELD, pageLinesWarnings } from '../../core/predicate/page-lines.ts'
import { createPatternResults, type PatternResults } from '../../core/predicate/pattern-results.ts'
import type { PatternMatcher } from '../../runners/pattern/pattern-matcher.ts'
import { BACKTEST_REASONS, type BacktestRun } from '../../schema/monitor/backtest.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { StoredChange } from '../../store/monitors/monitor-stored-runs.ts'
import { startOf } from './kept-runs.ts'
import type { UnseenInChanges } from './unseen-in-changes.ts'

interface BacktestPorts {
  readonly patterns: Pick<PatternMatcher, 'matches'>
  /** The team, and the signal that ends the work. */
  readonly whose: Whose
  readonly budgetMs: number
  /** What changes gained against all that was shown. Absent: the predicate does not ask. */
  readonly unseen?: UnseenInChanges | undefined
  /** Finds the texts of a whole page. Absent: the predicate does not ask for its lines. */
  readonly pageOf?: ((change: StoredChange) => Promise<PageTexts>) | undefined
}

/** The result of a backtest. */
interface Backtested {
  readonly runs: readonly BacktestRun[]
  /** The time limit was reached, or the signal came, before the last change. */
  readonly isCut: boolean
  readonly warnings: readonly string[]
}

/**
 * Applies a predicate to stored changes in order, within a time limit, which is looked at before each change is
 * compared and before each pattern. What reading them takes is part of the time.
 * Patterns are tried as in a run, in a thread that can be killed.
 */
export async function backtestChanges(
  changes: AsyncIterable<StoredChange> | Iterable<StoredChange>,
  predicate: DiffPredicate,
  ports: BacktestPorts,
): Promise<Backtested> {
  const { patterns, whose, budgetMs } = ports
  const until = performance.now() + budgetMs
  const isOver = () => whose.signal?.aborted === true || performance.now() > until
  const slow = new Set<string>()
  const unknown = new Set<string>()
  const runs: BacktestRun[] = []
  let lists: Values | null = null
  let isCut = false
  for await (const change of changes) {
    const judged = isOver() ? null : await judgedOf(change, lists, ports)
    const tried = judged && (await tryPatterns(judged, predicate, { patterns, whose, slow, isOver }))
    if (judged === null || tried === null) {
      isCut = true
      break
    }
    runs.push(backtested(change, predicate, { judged, matches: tried.matches }))
    for (const warning of judged.page ? pageLinesWarnings(judged.page) : []) unknown.add(warning)
    lists = lastNumbers(predicate, judged)
    // Other requests can run between two changes.
    await breathe()
  }
  return { runs, isCut, warnings: [...unknown, ...[...slow].map(tooLong)].slice(0, 10) }
}

interface Trying extends Pick<BacktestPorts, 'patterns' | 'whose'> {
  readonly slow: Set<string>
  readonly isOver: () => boolean
}

/**
 * A pattern that took too long once counts as not matching from then on, because each further try would take as long.
 * Null: the work is over, or a pattern was not tried.
 */
async function tryPatterns(
  judged: Judged,
  predicate: DiffPredicate,
  { patterns, whose, slow, isOver }: Trying,
): Promise<PatternResults | null> {
  const tried = createPatternResults()
  for (const question of collectPatterns(predicate, judged)) {
    const { pattern } = question
    if (isOver()) return null
    const result = slow.has(pattern) ? false : await patterns.matches(question, whose)
    if (result === 'timeout') slow.add(pattern)
    else if (typeof result !== 'boolean') return null
    tried.add(question, result === true)
  }
  return tried
}

/**
 * A field that did not change had the same value before. So a reading and its difference give the previous reading,
 * even if that reading is deleted. Null: the time was over before it was known what the change gained.
 */
async function judgedOf(
  change: StoredChange,
  lists: Values | null,
  { unseen, pageOf }: Pick<BacktestPorts, 'unseen' | 'pageOf'>,
): Promise<Judged | null> {
  const { diff, extracted } = change
  const gained = unseen?.get(change.id)
  if (unseen && !gained) return null
  const page = diff.fields_changed.includes(PAGE_FIELD) ? await pageOf?.(change) : undefined
  return { diff, before: { ...extracted, ...(diff.before as Values) }, after: extracted, lists, unseen: gained, page }
}

interface Compared {
  readonly judged: Judged
  readonly matches: Matches
}

function backtested(change: StoredChange, predicate: DiffPredicate, { judged, matches }: Compared): BacktestRun {
  const { id, diff } = change
  const { fires, leaves } = explain(predicate, judged, matches, BACKTEST_REASONS)
  return {
    run_id: id,
    started_at: startOf(change),
    fires,
    fired: change.delivery_triggered || change.fired,
    delivery_triggered: change.delivery_triggered,
    values: [...(pageChange(diff, false)?.fields ?? [])],
    fields_changed: diff.fields_changed,
    conditions: leaves.map((leaf) => ({ ...leaf })),
  }
}

const tooLong = (pattern: string) =>
  `The pattern ${JSON.stringify(pattern.slice(0, 100))} took too long; from there on it was taken as not matching ` +
  `here. A run that hangs on it fails. Simplify it.`
