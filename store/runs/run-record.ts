import Type, { type Static } from 'typebox'
import { runIdTime } from '../../core/run-id.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { RunFaultCode } from '../../schema/run/run-fault.ts'
import type { Diff, FetchMethod, FetchReason, Held, Run, RunStatus } from '../../schema/run/run.ts'
import { presentKeys } from '../../schema/serp/search-reading.ts'
import type { SerpCheck } from '../../schema/serp/serp-check.ts'
import type { SerpResult } from '../../schema/serp/serp-result.ts'
import { listedBytes } from '../db/listed-bytes.ts'
import { rowOf } from '../db/row.ts'

const Null = Type.Null()
const Stored = <T>() => Type.Unsafe<T>({})
const IntegerOrNull = Type.Union([Type.Integer(), Null])

const OF_SEARCHES = {
  organic_results: Stored<readonly SerpResult[] | null>(),
  target_rank: IntegerOrNull,
  rank_delta: IntegerOrNull,
  ...presentKeys(),
  serp_check: Stored<SerpCheck | null>(),
}

/** The same as columns of `runs`, with their types. */
export const SEARCH_RUN_COLUMNS = {
  organic_results: 'json',
  target_rank: 'int4',
  rank_delta: 'int4',
  ai_overview_present: 'bool',
  featured_snippet_present: 'bool',
  serp_check: 'json',
} as const satisfies Record<keyof typeof OF_SEARCHES, string>

/** Their values. Of JSON, the text. */
export type SearchValues = {
  readonly [Column in keyof typeof SEARCH_RUN_COLUMNS]: (typeof SEARCH_RUN_COLUMNS)[Column] extends 'json'
    ? string | null
    : Static<(typeof OF_SEARCHES)[Column]>
}

/** A run with its monitor, recorded or still waiting. */
const RunRow = Type.Object({
  id: Type.String(),
  monitor_id: Type.String(),
  monitor_name: Type.String(),
  user_id: Type.String(),
  status: Stored<RunStatus>(),
  start_offset_ms: Type.Integer(),
  duration_ms: Type.Integer(),
  fetch_method: Stored<FetchMethod | null>(),
  fetch_reason: Stored<FetchReason | null>(),
  without_media: Type.Union([Type.Boolean(), Null]),
  fired: Type.Union([Type.Boolean(), Null]),
  delivery_triggered: Type.Boolean(),
  held: Stored<Held | null>(),
  extracted: Stored<Readonly<Record<string, unknown>> | null>(),
  diff: Stored<Diff | null>(),
  error_code: Stored<RunFaultCode | null>(),
  error_message: Type.Union([Type.String(), Null]),
  warnings: Stored<readonly string[] | null>(),
  visual_change_pct: Type.Union([Type.Number(), Null]),
  kind: Type.String(),
  /** Of a SERP monitor, as it is configured now. */
  mode: Stored<'rank_tracking' | 'full_analysis' | null>(),
  ...OF_SEARCHES,
})
export type RunRow = Static<typeof RunRow>

const ListedRun = Type.Object({ ...RunRow.properties, ...listedBytes })
/** A run as runs.ts selects it. Its values are null where they are too large for one answer (`hasValues`). */
export type ListedRun = Static<typeof ListedRun>
export const listedRun = rowOf(ListedRun)

const JsonText = Type.Union([Type.String(), Null])
const RunTexts = Type.Object({
  id: Type.String(),
  extracted: JsonText,
  diff: JsonText,
  warnings: JsonText,
  organic_results: JsonText,
})
/** The values of a run as JSON; null: none. */
export type RunTexts = Static<typeof RunTexts>
export const runTexts = rowOf(RunTexts)

/** Returns the run in the form of the API. */
export function toRun(stored: RunRow): Run {
  const startedAt = runIdTime(stored.id) + stored.start_offset_ms
  return {
    id: stored.id,
    monitor_id: stored.monitor_id,
    user_id: stored.user_id,
    started_at: new Date(startedAt).toISOString(),
    completed_at: stored.status === 'running' ? null : new Date(startedAt + stored.duration_ms).toISOString(),
    status: stored.status,
    extracted: stored.extracted ?? {},
    diff: stored.diff ?? {},
    // A run that an earlier version recorded, and that made a delivery, fired.
    fired: stored.delivery_triggered || stored.fired,
    delivery_triggered: stored.delivery_triggered,
    ...(stored.held !== null && { held: stored.held }),
    fetch_method: stored.fetch_method,
    fetch_reason: stored.fetch_reason,
    ...(stored.without_media && { without_media: true }),
    duration_ms: stored.duration_ms,
    error_message: stored.error_message,
    ...(stored.visual_change_pct !== null && { visual_change_pct: stored.visual_change_pct }),
    error_code: stored.error_code,
    warnings: [...(stored.warnings ?? [])],
    ...OF_KIND[stored.kind]?.(stored),
  }
}

/** Properties that only runs of one kind have. */
const OF_KIND: Readonly<Partial<Record<MonitorKind, (stored: RunRow) => Partial<Run>>>> = {
  serp: searchOf,
}

/** Returns what only runs of searches have. */
function searchOf(stored: RunRow): Partial<Run> {
  const { ai_overview_present, featured_snippet_present } = stored
  return {
    organic_results: [...(stored.organic_results ?? [])],
    target_rank: stored.target_rank,
    rank_delta: stored.rank_delta,
    ...(stored.mode === 'rank_tracking' && { ai_overview_present, featured_snippet_present }),
    serp_check: stored.serp_check,
  }
}
