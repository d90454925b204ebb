import { setImmediate as breathe } from 'node:timers/promises'
import { collectPatterns } from '../../core/predicate/collect-patterns.ts'
import { explain } from '../../core/predicate/explain.ts'
import { lastNumbers } from '../../core/predicate/fires.ts'
import { runIdTime } from '../../core/run-id.ts'
import type { PatternMatcher } from '../../runners/pattern/pattern-matcher.ts'
import { BACKTEST_REASONS, type BacktestRun } from '../../schema/monitor/backtest.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { StoredChange } from '../../store/monitors/monitor-stored-runs.ts'

/** The result of a backtest. */
interface Backtested {
  readonly runs: readonly BacktestRun[]
  /** The time limit was reached before the last change. */
  readonly isCut: boolean
  readonly warnings: readonly string[]
}

/**
 * Applies a predicate to stored changes in order, within a time limit. Patterns are tried as in a run, in a thread that
 * can be killed.
 */
export async function backtestChanges(
  changes: readonly StoredChange[],
  predicate: DiffPredicate,
  { patterns, budgetMs }: { readonly patterns: PatternMatcher; readonly budgetMs: number },
): Promise<Backtested> {
  const until = performance.now() + budgetMs
  const slow = new Set<string>()
  const runs: BacktestRun[] = []
  let lists: Values | null = null
  for (const change of changes) {
    if (performance.now() > until) break
    const matched = await tryPatterns(change, predicate, { patterns, slow })
    const values = valuesOf(change, lists)
    runs.push(
      judged(change, predicate, { values, matches: (pattern, text) => matched.get(keyOf(pattern, text)) ?? false }),
    )
    lists = lastNumbers(predicate, values)
    // Other requests can run between two changes.
    await breathe()
  }
  return { runs, isCut: runs.length < changes.length, warnings: [...slow].slice(0, 10).map(tooLong) }
}

/**
 * A pattern that took too long once counts as not matching from then on, because each further try would take as long.
 */
async function tryPatterns(
  { extracted }: StoredChange,
  predicate: DiffPredicate,
  { patterns, slow }: { readonly patterns: PatternMatcher; readonly slow: Set<string> },
): Promise<ReadonlyMap<string, boolean>> {
  const matched = new Map<string, boolean>()
  for (const { pattern, text } of collectPatterns(predicate, extracted)) {
    const result = slow.has(pattern) ? false : await patterns.matches(pattern, text)
    if (result === 'timeout') slow.add(pattern)
    matched.set(keyOf(pattern, text), result === true)
  }
  return matched
}

/**
 * A field that did not change had the same value before. So a reading and its difference give the previous reading,
 * even if that reading is deleted.
 */
const valuesOf = ({ diff, extracted }: StoredChange, lists: Values | null) => ({
  before: { ...extracted, ...(diff.before as Values) },
  after: extracted,
  lists,
})

interface Compared {
  readonly values: ReturnType<typeof valuesOf>
  readonly matches: (pattern: string, text: string) => boolean
}

function judged(change: StoredChange, predicate: DiffPredicate, { values, matches }: Compared): BacktestRun {
  const { id, diff } = change
  const { fires, leaves } = explain(predicate, { diff, ...values }, matches)
  return {
    run_id: id,
    started_at: new Date(runIdTime(id) + change.start_offset_ms).toISOString(),
    fires,
    delivery_triggered: change.delivery_triggered,
    fields_changed: diff.fields_changed,
    conditions: leaves.slice(0, BACKTEST_REASONS).map((leaf) => ({ ...leaf })),
  }
}

const tooLong = (pattern: string) =>
  `The pattern ${JSON.stringify(pattern.slice(0, 100))} took too long; from there on it was taken as not matching ` +
  `here. A run that hangs on it fails. Simplify it.`

const keyOf = (pattern: string, text: string) => JSON.stringify([pattern, text])
