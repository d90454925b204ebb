import { sql } from 'slonik'
import Type from 'typebox'
import type { RunFaultCode } from '../../schema/run/run-fault.ts'
import type { FetchMethod, FetchReason } from '../../schema/run/run.ts'
import type { Queryable } from '../db/client.ts'
import { row, unnest } from '../db/row.ts'
import { ended, IS_HELD, NEXT_RUN, RUN_COLUMNS, UNTIL_ERROR } from './finished-check.ts'
import { andColumns, type OwnValues, PLAIN_RUNS, type RunsOfKind } from './runs-of-kind.ts'

/** A finished check that failed. */
export interface FailedRun {
  readonly no: number
  readonly fence: number
  readonly run_id: string
  readonly start_offset_ms: number
  readonly duration_ms: number
  readonly fetch_method: FetchMethod | null
  readonly fetch_reason: FetchReason | null
  /** The page was rendered without its media. Null or absent: with them, or not at all. */
  readonly without_media?: boolean | null
  readonly error_code: RunFaultCode
  readonly error_message: string
  /** Milliseconds that the target asked clients to wait (Retry-After). 0: it did not ask. */
  readonly retry_after_ms: number
  /** Nothing was asked: a check that is due by then is made after these milliseconds, whatever its interval. */
  readonly is_put_off?: boolean
  readonly own?: OwnValues
}

const recorded = row({ no: Type.Integer(), failures: Type.Integer() })

const COLUMNS = {
  ...RUN_COLUMNS,
  error_code: 'text',
  error_message: 'text',
  retry_after_ms: 'int8',
  is_put_off: 'bool',
} as const

/** 1 for a failure of the monitor, 0 for an internal error, which says nothing about the site. */
const COUNTED = sql.fragment`(i.error_code <> 'internal')::int`

/**
 * Reads the row as the update finds it, so that a pause or a new interval of the same moment counts. Null: not
 * scheduled. core/schedule.ts implements the same rule.
 */
const nextAfterFailure = ({ backsOff }: RunsOfKind) => sql.fragment`
  case when c.next_run_at is null then null
    when i.is_put_off and c.next_run_at <= t.at then ${RETRY_AT}
    else greatest(${NEXT_RUN}, ${RETRY_AT}${backsOff ? BACKED_OFF : sql.fragment``}) end`

const RETRY_AT = sql.fragment`t.at + make_interval(secs => i.retry_after_ms / 1000.0)`
const BACKED_OFF = sql.fragment`,
    case when c.failures + ${COUNTED} >= ${UNTIL_ERROR}
      then t.at + make_interval(secs => least(
        c.interval_seconds * 2.0 ^ least(c.failures + ${COUNTED} - ${UNTIL_ERROR} + 1, 20),
        greatest(c.interval_seconds, 900))) end`

/**
 * Records failed checks. The baseline stays, and the count of failures rises, except after an internal error. From the
 * fifth failure in a row (status `error`) a check backs off: twice its interval, four times, and so on, up to
 * max(interval, 15 minutes). Returns the failures in a row by monitor number. A number that is missing lost its fence.
 */
export async function recordFailed(
  store: Queryable,
  runs: readonly FailedRun[],
  of: RunsOfKind = PLAIN_RUNS,
): Promise<ReadonlyMap<number, number>> {
  const failed = runs.map(({ own, ...run }) => ({ ...run, ...own }))
  const rows = await store.any(sql.prepared(`record_failed${of.name}`, recorded)`
    with t as materialized (select clock() as at),
    input as materialized (
      select * from ${unnest('i', failed, { ...COLUMNS, ...of.columns })}
    ),
    moved as (
      update checks c
      set ${ended(nextAfterFailure(of))}, failures = c.failures + ${COUNTED}${of.ended}
      from input i, t
      where ${IS_HELD}
      returning c.no, c.team_id, c.failures
    ),
    inserted as (
      insert into runs (
        monitor_no, id, team_id, start_offset_ms, duration_ms, status, fetch_method, fetch_reason, fired,
        without_media, error_code, error_message${andColumns(of)})
      select i.no, i.run_id, m.team_id, i.start_offset_ms, i.duration_ms, 'error', i.fetch_method, i.fetch_reason,
        false, i.without_media, i.error_code, i.error_message${andColumns(of, 'i')}
      from moved m join input i on i.no = m.no
    )
    select no, failures from moved
  `)
  return new Map(rows.map(({ no, failures }) => [no, failures]))
}
