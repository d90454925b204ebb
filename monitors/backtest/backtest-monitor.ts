import type { Invalid, NotFound } from '../../core/outcome.ts'
import type { PageTexts } from '../../core/predicate/judged.ts'
import { asksPageLines } from '../../core/predicate/page-lines.ts'
import { unseenFields } from '../../core/predicate/unseen-items.ts'
import type { PatternMatcher } from '../../runners/pattern/pattern-matcher.ts'
import { type Backtest, BACKTEST_BYTES, BACKTEST_CHANGES, BACKTEST_CONDITIONS } from '../../schema/monitor/backtest.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { PREDICATE_FIELDS } from '../../schema/rules/monitor-rules.ts'
import { WORK } from '../../schema/work.ts'
import type { Queryable } from '../../store/db/client.ts'
import { PAGE_TABLE } from '../../store/monitors/kinds/page-table.ts'
import { readChanges, type StoredChange } from '../../store/monitors/monitor-stored-runs.ts'
import { findMonitor } from '../../store/monitors/monitors.ts'
import { findPageTexts } from '../../store/runs/page-texts.ts'
import { type Left, NO_MONITOR } from '../outcome.ts'
import { backtestChanges } from './backtest-changes.ts'
import { keptRuns } from './kept-runs.ts'
import { tooManyConditions } from './too-many-conditions.ts'
import { SINCE_OLDEST, unseenInChanges } from './unseen-in-changes.ts'

/** The predicate to try. Its shape and its `monitorIssues` were checked already. */
interface BacktestWanted {
  readonly teamId: string
  readonly id: string
  readonly predicate: DiffPredicate
  /** Only runs of the last so many days. Null: all that are kept. */
  readonly days: number | null
  /** Ends the work: nobody waits for its result any more. */
  readonly signal?: AbortSignal | undefined
}

type BacktestOutcome = { readonly kind: 'done'; readonly backtest: Backtest } | NotFound | Invalid | Left

/** Tries a predicate on those stored runs of a monitor that found a difference. Stores nothing and sends nothing. */
export async function backtestMonitor(
  { store, patterns }: { readonly store: Queryable; readonly patterns: PatternMatcher },
  { teamId, id, predicate, days, signal }: BacktestWanted,
): Promise<BacktestOutcome> {
  const stored = await findMonitor(store, teamId, id, PAGE_TABLE)
  if (!stored) return NO_MONITOR
  const unknown = PREDICATE_FIELDS.check({ extract_config: stored.extract_config, diff_predicate: predicate })
  const issues = unknown.length > 0 ? unknown : tooManyConditions(predicate, 'a backtest', BACKTEST_CONDITIONS)
  if (issues.length > 0) return { kind: 'invalid', issues }
  const wanted = { teamId, monitorNo: stored.no, days, limit: BACKTEST_CHANGES, maxBytes: BACKTEST_BYTES, signal }
  const kept = await keptRuns(store, wanted)
  const changes = readChanges(store, wanted)
  const asksShown = unseenFields(predicate).size > 0
  const until = performance.now() + WORK.backtest.budgetMs / 2
  const isOver = () => signal?.aborted === true || performance.now() > until
  // What was shown is known from the oldest change on, and they come newest first: they are read twice.
  const unseen = asksShown ? await unseenInChanges(readChanges(store, wanted), predicate, isOver) : undefined
  const pageOf = asksPageLines(predicate, stored.extract_config)
    ? (change: StoredChange) => pageTextsOf(store, teamId, change)
    : undefined
  const ports = { patterns, whose: { key: teamId, signal }, budgetMs: WORK.backtest.budgetMs, unseen, pageOf }
  const { runs, isCut, warnings } = await backtestChanges(changes, predicate, ports)
  if (signal?.aborted) return { kind: 'left' }
  const backtest: Backtest = {
    changes: runs.length,
    would_fire: runs.filter(({ fires }) => fires).length,
    ...kept,
    truncated: isCut || changes.isCut,
    warnings: [...(asksShown ? [SINCE_OLDEST] : []), ...warnings].slice(0, 10),
    runs: [...runs],
  }
  return { kind: 'done', backtest }
}

/** A run has the keys of both texts, or none where one of them was not known. */
async function pageTextsOf(
  store: Queryable,
  teamId: string,
  { text_before: one, text_after: other }: StoredChange,
): Promise<PageTexts> {
  if (!one || !other) return { before: null, after: null }
  const [before, after] = await findPageTexts(store, teamId, [one, other])
  return { before, after }
}
