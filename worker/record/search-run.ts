import type { Logger } from '../../core/logger.ts'
import { deliveryPayload } from '../../core/payload.ts'
import { runIdTime } from '../../core/run-id.ts'
import { decideAnalysis, decideRank } from '../../core/serp/decide-search.ts'
import { engineActs, serpCheckOf, type SearchSource, sourceOf } from '../../core/serp/ended-search.ts'
import {
  baselineOf,
  type ComparedReading,
  type KeptReading,
  nextBaseline,
  nextKept,
  storedReading,
  type StoredReading,
} from '../../core/serp/kept-reading.ts'
import { searchUrl } from '../../core/serp/search-url.ts'
import { storableJson } from '../../core/storable.ts'
import type { Reading } from '../../runners/check/reading.ts'
import type { SerpTask, Task } from '../../runners/check/task.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { presentOf, type SearchReading, UNTOLD } from '../../schema/serp/search-reading.ts'
import type { SerpAnalysisBlock, SerpBlock, SerpResult } from '../../schema/serp/serp-result.ts'
import { type Store, whileStoreAway } from '../../store/db/client.ts'
import { type DeliveryRow, newDelivery } from '../../store/deliveries/delivery-row.ts'
import { type HealthBefore, noticesAfter } from '../../store/deliveries/notices.ts'
import { findSearchBaseline, type SearchBaseline, type SearchRun } from '../../store/queue/record-search.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { destinationsOf, SealedError } from './judge.ts'
import { checkColumns, type Recordable, type RunEnd } from './run-writers.ts'

/** A check of a search that ended. */
interface EndedSearch {
  readonly task: SerpTask
  readonly teamId: string
  readonly startedMs: number
  readonly endedMs: number
  /** The columns that every finished check has. */
  readonly columns: Pick<SearchRun, 'no' | 'fence' | 'run_id' | 'start_offset_ms' | 'duration_ms'>
  readonly health: HealthBefore
}

/** The baseline as it is stored. */
interface Stored {
  /** The run that holds the results of the first reading. */
  readonly runId: string
  readonly kept: KeptReading
}

const NOTHING_FOUND = {
  organic_results: null,
  reading_id: null,
  is_reading: false,
  kept: null,
  target_rank: null,
  rank_delta: null,
  ...presentOf(UNTOLD),
  fired: false,
  deliveries: [],
} as const

/** Returns the row of a check that obtained nothing. It changes no baseline and fires nothing. */
function failedSearch(
  { task, columns, startedMs, health }: EndedSearch,
  failure: Pick<Extract<Reading, { kind: 'failed' }>, 'kind' | 'fault' | 'fetchMethod' | 'engine'>,
): SearchRun {
  const { fault, fetchMethod } = failure
  const check = serpCheckOf(failure, latenessOf(task, startedMs))
  return {
    ...columns,
    ...NOTHING_FOUND,
    fetch_method: fetchMethod,
    engine: task.search.engine,
    outcome: check.outcome,
    ...engineActs(failure),
    error_code: fault.code,
    error_message: fault.message,
    serp_check: JSON.stringify(storableJson(check)),
    warnings: null,
    // An internal error is not counted, so it causes no notice.
    notices: fault.code === 'internal' ? [] : noticesAfter(health, true),
  }
}

/**
 * Compares what a check found with the baseline, and decides. Throws SealedError if the destinations cannot be opened.
 */
function foundSearch(
  ended: EndedSearch,
  reading: Extract<Reading, { kind: 'search' }>,
  baseline: SearchBaseline,
  secrets: SecretBox,
): { readonly run: SearchRun; readonly isSame: boolean } {
  const { task, columns, startedMs, health } = ended
  const search = storableJson(reading.search)
  const source = sourceOf(reading)
  const { runId } = storedOf(baseline) ?? { runId: null }
  const { isSame, isFirst, decided, isBaseline, changed } = compared(baseline, search, source)
  // A month of runs is dropped as a whole, so the first run of a month stores its results again.
  const isStored = isSame && runId !== null && monthOf(runId) === monthOf(columns.run_id)
  const warnings = [...search.warnings, ...(isFirst ? [OTHER_SOURCE[source]] : [])]
  const run: SearchRun = {
    ...columns,
    fetch_method: reading.fetchMethod,
    engine: task.search.engine,
    outcome: search.outcome,
    ...engineActs(reading),
    error_code: null,
    error_message: null,
    organic_results: isStored ? null : JSON.stringify(search.results),
    reading_id: isStored ? runId : null,
    is_reading: isBaseline && !isStored,
    kept: changed && JSON.stringify(changed),
    target_rank: decided.rank,
    rank_delta: decided.delta,
    ...presentOf(search),
    serp_check: JSON.stringify(serpCheckOf({ ...reading, search }, latenessOf(task, startedMs))),
    warnings: warnings.length > 0 ? JSON.stringify(warnings.slice(0, 50)) : null,
    notices: noticesAfter(health, false),
    fired: decided.block !== null,
    deliveries: decided.block === null ? [] : deliveriesOf(ended, decided.block, baseline, secrets),
  }
  return { run, isSame }
}

/** Compares what a check found with the last one of its source, and returns what is kept for the next one. */
function compared(baseline: SearchBaseline, search: SearchReading, source: SearchSource) {
  const kept = storedOf(baseline)?.kept ?? null
  const known = baselineOf(kept, source)
  const current = storedReading(search)
  const decided = decide(baseline, known, current)
  const { block } = decided
  const next = nextBaseline(known, current, block !== null)
  const firedRank = block !== null && 'serp' in block ? block.serp.rank : undefined
  return {
    isSame: kept !== null && sameResults(kept.results, search.results),
    /** The other source answered until now. */
    isFirst: kept !== null && known === null,
    decided,
    isBaseline: next === current,
    /** Null: what is kept stays as it is. */
    changed: next === known || next === null ? null : nextKept(kept, { source, current, next, firedRank }),
  }
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

function storedOf({ reading_id: runId, extracted }: SearchBaseline): Stored | null {
  return runId === null || extracted === null ? null : { kept: extracted as KeptReading, runId }
}

function sameResults(one: readonly SerpResult[], other: readonly SerpResult[]): boolean {
  return (
    one.length === other.length &&
    one.every((result, at) => {
      const { position, title, url, domain, description } = other[at] ?? { ...result, position: 0 }
      return (
        result.position === position &&
        result.title === title &&
        result.url === url &&
        result.domain === domain &&
        result.description === description
      )
    })
  )
}

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
  { columns: { run_id: runId }, teamId, endedMs }: EndedSearch,
  block: NonNullable<Decided['block']>,
  baseline: SearchBaseline,
  secrets: SecretBox,
): DeliveryRow[] {
  const monitor = { url: searchUrl(baseline.search), name: baseline.name }
  const about = { monitorId: baseline.monitor_id, runId, firedAtMs: endedMs, diff: null, monitor, ...block }
  return destinationsOf({ teamId, baseline }, secrets).map((config, place) =>
    newDelivery({ secrets, teamId, config, at: endedMs, place, payload: (id) => deliveryPayload({ id, ...about }) }),
  )
}

/** Returns how long after its time a check began; null when a person asked for it. */
const latenessOf = ({ dueMs }: SerpTask, startedMs: number): number | null =>
  dueMs === null || startedMs < dueMs ? null : Math.round(startedMs - dueMs)

/** What the recording of a search needs besides its outcome. */
type SearchContext = Pick<EndedSearch, 'teamId' | 'health'>

interface SearchWriting {
  readonly store: Store
  readonly secrets: SecretBox
  readonly log: Logger
  readonly patienceMs: number
  readonly add: (run: SearchRun) => Promise<void>
  readonly onInternalError: (task: Task, fault: RunFault) => void
}

/** Returns what compares and writes the end of a search. Null: the fence is lost. */
export function createSearchWriter({ store, secrets, log, patienceMs, add, onInternalError }: SearchWriting) {
  return async (finished: Recordable, task: SerpTask, { teamId, health }: SearchContext): Promise<RunEnd | null> => {
    const { reading, startedMs, endedMs } = finished
    const ended = { task, teamId, health, startedMs, endedMs, columns: checkColumns(finished) }
    const fail = async (failure: Parameters<typeof failedSearch>[1]): Promise<RunEnd> => {
      if (failure.fault.code === 'internal') onInternalError(task, failure.fault)
      await add(failedSearch(ended, failure))
      return { outcome: 'failed', fired: false, code: failure.fault.code }
    }
    if (reading.kind === 'failed') return fail(reading)
    if (reading.kind !== 'search')
      return fail({ kind: 'failed', fetchMethod: null, fault: { code: 'internal', message: NOT_A_SEARCH } })
    const baseline = await whileStoreAway(() => findSearchBaseline(store, task), { log, patienceMs })
    if (baseline === null) return null
    try {
      const { run, isSame } = foundSearch(ended, reading, baseline, secrets)
      await add(run)
      const { fired } = run
      if (baseline.reading_id === null) return { outcome: 'first', fired }
      return { outcome: isSame ? 'unchanged' : 'changed', fired }
    } catch (error) {
      if (!(error instanceof SealedError)) throw error
      return fail({
        kind: 'failed',
        fetchMethod: reading.fetchMethod,
        fault: { code: 'not_available', message: error.message },
      })
    }
  }
}

export const NOT_A_SEARCH =
  'The outcome is not of the kind that the monitor has; the log has the details under the run id.'
