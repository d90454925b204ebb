import { isDeepStrictEqual } from 'node:util'
import { type MonitorSummary, nextSummary } from '../../core/overview/monitor-summary.ts'
import type { RunChange } from '../../core/overview/run-change.ts'
import { plottedSearch, searchChange, shownSearch } from '../../core/overview/search-change.ts'
import { deliveryPayload } from '../../core/payload.ts'
import { runIdTime } from '../../core/run-id.ts'
import { noticesAfter } from '../../core/run-notices.ts'
import { decideAnalysis, decideRank } from '../../core/serp/decide-search.ts'
import {
  engineActs,
  type SearchSource,
  serpCheckOf,
  sourceOf,
  presentOf,
  UNTOLD,
} from '../../core/serp/ended-search.ts'
import {
  baselineOf,
  type ComparedReading,
  type KeptReading,
  nextBaseline,
  nextKept,
  type StoredReading,
  storedReading,
} from '../../core/serp/kept-reading.ts'
import { searchUrl } from '../../core/serp/search-url.ts'
import { storableJson } from '../../core/storable.ts'
import type { Reading } from '../../runners/check/reading.ts'
import type { SerpTask } from '../../runners/check/task.ts'
import type { SearchReading } from '../../schema/serp/search-reading.ts'
import type { SerpAnalysisBlock, SerpBlock } from '../../schema/serp/serp-result.ts'
import { whileStoreAway } from '../../store/db/client.ts'
import { type DeliveryRow, newDelivery } from '../../store/deliveries/delivery-row.ts'
import type { Noticed } from '../../store/deliveries/run-events.ts'
import {
  type FailedSearch,
  findSearchBaseline,
  type FoundSearch,
  recordFailedSearches,
  recordFoundSearches,
  SEARCH_RUNS,
  type SearchBaseline,
  type SearchRecording,
} from '../../store/queue/record-search.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { destinationsOf, SealedError } from './outbox.ts'
import { type Ended, NOT_OF_KIND, type Recording, type RecordingParts } from './recording.ts'
import { checkColumns, markColumns, type RunEnd, UNMARKED } from './run-writers.ts'

type Failure = Pick<Extract<Reading, { kind: 'failed' }>, 'kind' | 'fault' | 'fetchMethod' | 'engine'>

const NOTHING_FOUND = { organic_results: null, target_rank: null, rank_delta: null, ...presentOf(UNTOLD) }

/** Returns the row of a check that obtained nothing. It changes no baseline and fires nothing. */
function failedSearch({ finished, task, context }: Ended<SerpTask>, failure: Failure): FailedSearch & Noticed {
  const { fault, fetchMethod } = failure
  const check = serpCheckOf(failure, latenessOf(task, finished.startedMs))
  return {
    ...checkColumns(finished),
    fetch_method: fetchMethod,
    fetch_reason: null,
    engine: task.search.engine,
    ...engineActs(failure),
    error_code: fault.code,
    error_message: fault.message,
    retry_after_ms: 0,
    waits: check.outcome === 'blocked' || check.outcome === 'left_alone',
    is_put_off: check.outcome === 'left_alone',
    failures: context.health.failures,
    own: { ...NOTHING_FOUND, serp_check: JSON.stringify(storableJson(check)) },
    // An internal error is not counted, so it causes no notice.
    notices: fault.code === 'internal' ? [] : noticesAfter(context.health, true),
  }
}

/** What of a row only readings of pages have. */
const NO_PAGE = {
  ...markColumns(UNMARKED),
  fetch_reason: null,
  reading_hash: null,
  extracted: null,
  missing: null,
  lists: null,
  empty: null,
  read_by: 0,
  layers: null,
  diff: null,
}

/**
 * Compares what a check found with the baseline, and decides. Throws SealedError if the destinations cannot be opened.
 */
function foundSearch(
  ended: Ended<SerpTask>,
  reading: Extract<Reading, { kind: 'search' }>,
  baseline: SearchBaseline,
  secrets: SecretBox,
): { readonly run: FoundSearch & Noticed; readonly isSame: boolean } {
  const { finished, task, context } = ended
  const search = storableJson(reading.search)
  const source = sourceOf(reading)
  const { reading_id: runId } = baseline
  const { isSame, isFirst, decided, isBaseline, changed, change } = compared(baseline, search, source)
  // A month of runs is dropped as a whole, so the first run of a month stores its results again.
  const isStored = isSame && runId !== null && monthOf(runId) === monthOf(task.runId)
  const warnings = [...search.warnings, ...(isFirst ? [OTHER_SOURCE[source]] : [])]
  const run = {
    ...checkColumns(finished),
    ...NO_PAGE,
    fetch_method: reading.fetchMethod,
    engine: task.search.engine,
    ...engineActs(reading),
    reading_id: isStored ? runId : null,
    is_reading: isBaseline && !isStored,
    kept: changed && JSON.stringify(changed),
    change: change && JSON.stringify(change),
    summary: changed && JSON.stringify(summaryAfter(ended, baseline, { search, rank: decided.rank, change })),
    own: {
      organic_results: isStored ? null : JSON.stringify(search.results),
      target_rank: decided.rank,
      rank_delta: decided.delta,
      ...presentOf(search),
      serp_check: JSON.stringify(serpCheckOf({ ...reading, search }, latenessOf(task, finished.startedMs))),
    },
    warnings: warnings.length > 0 ? JSON.stringify(warnings.slice(0, 50)) : null,
    notices: noticesAfter(context.health, false),
    fired: decided.block !== null,
    deliveries: decided.block === null ? [] : deliveriesOf(ended, decided.block, baseline, secrets),
  }
  return { run, isSame }
}

/** Compares what a check found with the last one of its source, and returns what is kept for the next one. */
function compared(baseline: SearchBaseline, search: SearchReading, source: SearchSource) {
  const kept = baseline.reading_id === null ? null : (baseline.extracted as KeptReading | null)
  const known = baselineOf(kept, source)
  const current = storedReading(search)
  const decided = decide(baseline, known, current)
  const { block } = decided
  const next = nextBaseline(known, current, block !== null)
  const firedRank = block !== null && 'serp' in block ? block.serp.rank : undefined
  return {
    isSame: kept !== null && isDeepStrictEqual(kept.results, search.results),
    /** The other source answered until now. */
    isFirst: kept !== null && known === null,
    decided,
    isBaseline: next === current,
    /** The next check finds what this one leaves of the baseline. */
    change: next === known ? null : searchChange(baseline, known, current),
    /** Null: what is kept stays as it is. */
    changed: next === known || next === null ? null : nextKept(kept, { source, current, next, firedRank }),
  }
}

/** Returns what lists show of the monitor after the check. */
function summaryAfter(
  { task, finished }: Ended<SerpTask>,
  { target_domain: target, summary }: SearchBaseline,
  {
    search,
    rank,
    change,
  }: { readonly search: SearchReading; readonly rank: number | null; readonly change: RunChange | null },
): MonitorSummary {
  const found = { target, rank, count: search.results.length }
  const { runId } = task
  const { endedMs } = finished
  return nextSummary(summary, { runId, endedMs, value: shownSearch(found), plotted: plottedSearch(found), change })
}

/** The results of two sources differ whatever happened at the engine (core/serp/kept-reading.ts). */
const OTHER_SOURCE = {
  provider:
    'The search provider answered this search for the first time. Its results differ from those of the engine, so ' +
    'nothing is sent for them; they are compared from its next answer on.',
  engine:
    'The engine answered this search for the first time. Its results differ from those of the search provider, so ' +
    'nothing is sent for them; they are compared from its next answer on.',
} as const

/** Returns the month of a run in UTC, which is its table's. */
const monthOf = (runId: string): string => new Date(runIdTime(runId)).toISOString().slice(0, 7)

/** What was decided about a check. */
interface Decided {
  readonly rank: number | null
  readonly delta: number | null
  /** The block of its deliveries. Null: nothing fires. */
  readonly block: { readonly serp: SerpBlock } | { readonly serp_analysis: SerpAnalysisBlock } | null
}

function decide(baseline: SearchBaseline, before: ComparedReading | null, found: StoredReading): Decided {
  const { mode, target_domain: target, rank_change_threshold: threshold } = baseline
  const { keyword } = baseline.search
  if (mode === 'full_analysis') {
    const analysis = decideAnalysis(keyword, before, found)
    return { rank: null, delta: null, block: analysis && { serp_analysis: analysis } }
  }
  if (target === null) return { rank: null, delta: null, block: null }
  const rule = { keyword, target_domain: target, rank_change_threshold: threshold }
  const { rank, rankDelta, serp } = decideRank(rule, before, found)
  return { rank, delta: rankDelta, block: serp && { serp } }
}

function deliveriesOf(
  { task: { runId }, finished: { endedMs }, context: { teamId } }: Ended<SerpTask>,
  block: NonNullable<Decided['block']>,
  baseline: SearchBaseline,
  secrets: SecretBox,
): DeliveryRow[] {
  const monitor = { url: searchUrl(baseline.search), name: baseline.name }
  const about = { monitorId: baseline.monitor_id, runId, firedAtMs: endedMs, diff: null, monitor, ...block }
  return destinationsOf({ teamId, baseline }, secrets).map((config, place) =>
    newDelivery({
      secrets,
      teamId,
      config,
      at: endedMs,
      place,
      payload: (id) => deliveryPayload({ id, ...about }),
      by: { ...baseline, engine: baseline.search.engine },
    }),
  )
}

/** Returns how long after its time a check began; null when a person asked for it. */
const latenessOf = ({ dueMs }: SerpTask, startedMs: number): number | null =>
  dueMs === null || startedMs < dueMs ? null : Math.round(startedMs - dueMs)

/** Returns what compares and writes the end of the check of a search. */
export function createSearchRecording(parts: RecordingParts): Recording<SerpTask> {
  const { store, secrets, log, patienceMs, writers, onFault, onNotices, searches = NO_SEARCHES } = parts
  const failed = writers.writer<FailedSearch & Noticed>((on, rows) => recordFailedSearches(on, rows, searches), {
    // A pause is an event too.
    onWritten: () => onNotices?.(),
    of: SEARCH_RUNS,
  })
  const readings = writers.writer<FoundSearch & Noticed>((on, rows) => recordFoundSearches(on, rows, searches), {
    onWritten: writers.wakeDeliveries,
    of: SEARCH_RUNS,
  })
  return {
    async record(ended) {
      const { task } = ended
      const { reading } = ended.finished
      const fail = async (failure: Failure): Promise<RunEnd> => {
        if (failure.fault.code === 'internal') onFault(task, failure.fault)
        await failed.add(failedSearch(ended, failure))
        return { outcome: 'failed', fired: false, code: failure.fault.code }
      }
      if (reading.kind === 'failed') return fail(reading)
      if (reading.kind !== 'search')
        return fail({ kind: 'failed', fetchMethod: null, fault: { code: 'internal', message: NOT_OF_KIND } })
      const baseline = await whileStoreAway(() => findSearchBaseline(store, task), { log, patienceMs })
      if (baseline === null) return null
      try {
        const { run, isSame } = foundSearch(ended, reading, baseline, secrets)
        await readings.add(run)
        const { fired } = run
        if (baseline.reading_id === null) return { outcome: 'first', fired }
        return { outcome: isSame ? 'unchanged' : 'changed', fired }
      } catch (error) {
        if (!(error instanceof SealedError)) throw error
        const fault = { code: 'not_available', message: error.message } as const
        return fail({ kind: 'failed', fetchMethod: reading.fetchMethod, fault })
      }
    },
  }
}

const NO_SEARCHES: SearchRecording = { spacingMs: 0, mails: { add: async () => false }, linkOf: () => null }
