import Type from 'typebox'
import type { Static } from 'typebox'
import { sql } from 'slonik'
import type { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { FETCH_MODES, ListedStatus, Monitor, MonitorSpec, MonitorStatus } from '../../schema/monitor/monitor.ts'
import type { RequestConfig } from '../../schema/monitor/request-config.ts'
import type { RequestHeaders } from '../../schema/monitor/request-headers.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import { rowOf } from '../db/row.ts'
import { poolOf, RUNS_RESET_AT } from '../quota/pool.ts'
import type { SealedPlace, SecretBox } from '../secrets/secret-box.ts'
import { FAILURES_UNTIL_ERROR } from '../../core/schedule.ts'

const Null = Type.Null()
const Bytes = Type.Unsafe<Uint8Array | null>({})
// The value was checked when it was written, and is not checked again at each read.
const Stored = <T>() => Type.Unsafe<T>({})

/** A monitor with the state of its check, as `MONITOR_COLUMNS` selects it. */
const MonitorRow = Type.Object({
  id: Type.String(),
  no: Type.Integer(),
  team_id: Type.String(),
  user_id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  schedule_interval_seconds: Type.Integer(),
  extract_config: Stored<ExtractConfig>(),
  diff_predicate: Stored<DiffPredicate>(),
  fetch_mode: Stored<(typeof FETCH_MODES)[number]>(),
  request_config: Stored<RequestConfig | null>(),
  visual_config: Stored<VisualConfig | null>(),
  template_slug: Type.Union([Type.String(), Null]),
  notify_on: Stored<MonitorSpec['notify_on']>(),
  request_headers: Bytes,
  deliveries: Bytes,
  paused: Type.Boolean(),
  suspended: Type.Boolean(),
  locked: Type.Boolean(),
  managed_by: Type.String(),
  created_at: Type.String(),
  failures: Type.Integer(),
  last_run_at: Type.Union([Type.String(), Null]),
  next_run_at: Type.Union([Type.String(), Null]),
})
export type MonitorRow = Static<typeof MonitorRow>
export const monitorRow = rowOf(MonitorRow)

/** Columns of `monitors m join checks c`. */
export const MONITOR_COLUMNS = sql.fragment`
  m.id, m.no, m.team_id, m.user_id, m.name, m.url, m.schedule_interval_seconds, m.extract_config, m.diff_predicate,
  m.fetch_mode, m.request_config, m.visual_config, m.template_slug, m.notify_on, m.request_headers, m.deliveries,
  m.paused, m.suspended, m.locked, m.managed_by, m.created_at, c.failures, c.last_run_at,
  -- Without runs, the next one is when there are runs again.
  case when c.next_run_at is not null then greatest(c.next_run_at, (
    select ${RUNS_RESET_AT}
    from team_usage u join teams t on t.id = u.team_id ${poolOf(sql.fragment`c.queue`)}
    where u.team_id = m.team_id and c.cost > pool.remaining
  )) end as next_run_at`

/**
 * Returns the configuration in a row, with its secrets decrypted. A value that a tolerant box cannot open is absent.
 */
export function monitorSpec(stored: MonitorRow, secrets: SecretBox): MonitorSpec {
  const { team_id: teamId, request_headers: headers, deliveries } = stored
  const placeOf = (column: SealedPlace['column']) => ({ teamId, column, rowId: stored.id })
  return {
    name: stored.name,
    url: stored.url,
    schedule_interval_seconds: stored.schedule_interval_seconds,
    extract_config: stored.extract_config,
    diff_predicate: stored.diff_predicate,
    deliveries: deliveries
      ? ((secrets.open(placeOf('monitors.deliveries'), deliveries) as DeliveryConfig[] | null) ?? [])
      : [],
    template_slug: stored.template_slug,
    fetch_mode: stored.fetch_mode,
    request_headers: headers
      ? (secrets.open(placeOf('monitors.request_headers'), headers) as RequestHeaders | null)
      : null,
    request_config: stored.request_config,
    visual_config: stored.visual_config,
    notify_on: stored.notify_on,
  }
}

/** Returns the monitor in the form of the API. */
export function toMonitor(stored: MonitorRow, secrets: SecretBox): Monitor {
  return {
    id: stored.id,
    user_id: stored.user_id,
    ...monitorSpec(stored, secrets),
    status: monitorStatus(stored),
    consecutive_failures: stored.failures,
    last_run_at: stored.last_run_at,
    next_run_at: stored.next_run_at,
    created_at: stored.created_at,
  }
}

/*
 * A monitor. Its status is derived, never stored.
 *
 *     active          scheduled
 *     error           scheduled, backing off: five checks failed in a row; the next success makes it active
 *     paused          not scheduled: a user paused it, or its manifest suspends it
 *     billing_paused  locked, whether paused or not; a pause stays after the lock ends
 *     deleted         final: not found, its runs stay readable
 *
 *     from            pause     resume          delete
 *     active          paused    active          deleted
 *     error           paused    active + run    deleted
 *     paused          paused    active + run    deleted
 *     billing_paused  refused   refused         deleted
 *
 * A resume resets the count of failures. Otherwise a monitor that failed before would return as `error`.
 * test/spec/states.test.ts tests every row of the table.
 */

/** The facts that determine a status. */
interface StatusFacts {
  readonly locked: boolean
  readonly paused: boolean
  readonly suspended: boolean
  readonly failures: number
}

/**
 * Returns the status of a monitor that is not deleted. A lock by billing takes precedence over a pause, because the
 * lock is the reason why a resume is refused.
 */
export function monitorStatus({ locked, paused, suspended, failures }: StatusFacts): MonitorStatus {
  if (locked) return 'billing_paused'
  if (paused || suspended) return 'paused'
  return failures >= FAILURES_UNTIL_ERROR ? 'error' : 'active'
}

/** Returns the condition of `monitors m` under which `monitorStatus` gives this status. */
export function hasStatus(status: ListedStatus) {
  const failures = sql.literalValue(String(FAILURES_UNTIL_ERROR))
  const failing = sql.fragment`exists (
    select from checks c where c.no = m.no and c.team_id = m.team_id and c.failures >= ${failures}::int)`
  switch (status) {
    case 'billing_paused':
      return sql.fragment`m.locked`
    case 'paused':
      return sql.fragment`(m.paused or m.suspended) and not m.locked`
    case 'error':
      return sql.fragment`not m.locked and not m.paused and not m.suspended and ${failing}`
    case 'active':
      return sql.fragment`not m.locked and not m.paused and not m.suspended and not ${failing}`
  }
}

/** Returns the condition of `monitors m` that the name contains a text, whatever its case. */
export const nameContains = (text: string) => sql.fragment`strpos(lower(m.name), lower(${text}::text)) > 0`
