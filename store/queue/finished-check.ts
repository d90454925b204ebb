import { sql } from 'slonik'
import { FAILURES_UNTIL_ERROR } from '../../core/schedule.ts'
import type { Held } from '../../schema/run/run.ts'
import { unnest } from '../db/row.ts'
import type { DeliveryRow } from '../deliveries/delivery-row.ts'
import { endOfOpenDigest } from '../deliveries/digests.ts'
import { lastMoment } from '../deliveries/last-moment.ts'
import { afterMuted } from '../deliveries/muted-messages.ts'

/*
 * Fragments that the statements for finished checks share. They read the checks `c`, the finished runs `i`, and
 * `t.at`, which is the current time by the store's clock.
 */

type Fragment = ReturnType<typeof sql.fragment>

/** Columns of a finished run, whatever its outcome, as a statement reads them. */
export const RUN_COLUMNS = {
  no: 'int8',
  fence: 'int4',
  run_id: 'uuid',
  start_offset_ms: 'int4',
  duration_ms: 'int4',
  fetch_method: 'fetch_method',
  fetch_reason: 'fetch_reason',
  without_media: 'bool',
} as const

const DELIVERY_COLUMNS = {
  no: 'int8',
  id: 'uuid',
  type: 'text',
  service: 'text',
  target: 'bytea',
  host: 'text',
  target_key: 'text',
  payload: 'text',
  level: 'int2',
  held: 'text',
  held_until: 'timestamptz',
  digest: 'text',
} as const

const BASE = sql.fragment`base.at`

/** Inserts the deliveries of the runs. Reads `moved`, the checks that the statement has moved to their next time. */
export function insertDeliveries(
  runs: readonly { readonly no: number; readonly deliveries: readonly DeliveryRow[] }[],
) {
  const rows = runs.flatMap(({ no, deliveries }) => deliveries.filter(isSent).map((delivery) => ({ ...delivery, no })))
  return sql.fragment`
    insert into deliveries (
      id, team_id, monitor_no, run_id, type, service, target, host, target_key, payload, level, held, due_at,
      next_attempt_at, created_at, digest)
    select o.id, m.team_id, o.no, m.run_id, o.type, o.service, o.target, o.host, o.target_key, o.payload, o.level,
      o.held, due.at, due.at, t.at, o.digest
    from ${unnest('o', rows, DELIVERY_COLUMNS)}
    join moved m on m.no = o.no
    cross join t
    cross join lateral (
      select least(
        greatest(base.at, case when o.digest is null then ${afterMuted('deliveries', sql.fragment`o.no`, BASE)} end),
        last.at) as at
      from (select case when o.held is not null
        then ${lastMoment(sql.fragment`m.team_id`, sql.fragment`t.at`)} end as at) last
      cross join lateral (select coalesce(least(o.held_until, ${endOfOpenDigest('m', 'o')}, last.at), t.at) as at) base
    ) due`
}

/** A delivery that a mute drops is never inserted. */
export const isSent = ({ held }: Pick<DeliveryRow, 'held'>): boolean => held !== 'dropped'

/** Returns why deliveries of a run wait, or that they are dropped; null: neither. */
export const heldOf = (deliveries: readonly DeliveryRow[]): Held | null =>
  deliveries.find(({ held }) => held !== null)?.held ?? null

/** Columns that the next fetch of the page needs to detect that nothing changed. */
export const MARK_COLUMNS = { etag: 'text', last_modified: 'text', body_hash: 'bytea' } as const

/** True while the check is still leased under the fence of the run. Otherwise the run is discarded. */
export const IS_HELD = sql.fragment`c.no = i.no and c.fence = i.fence and c.run_id = i.run_id`

/** The check's next time on its own grid. Null: not scheduled. */
export const NEXT_RUN = sql.fragment`
  next_run(c.next_run_at, t.at, c.interval_seconds, c.shift_seconds, c.last_run_at is null)`

/** Runs that the next check uses: an edited number of pages counts from the first check that is not paid yet. */
export const priceAfter = (isNextPaid: Fragment) => sql.fragment`
  coalesce(
    case when not (${isNextPaid}) then (select m.pages from monitors m where m.no = c.no and m.kind = 'serp') end,
    c.cost)`

/** The same after the end of the run that was under way. */
export const PRICE_AFTER = priceAfter(sql.fragment`c.queued_run_id is not null`)

/** Returns a run id where the table of its month exists; else null. */
export const withTable = (id: Fragment) => sql.fragment`
  case when to_regclass('runs_' || to_char(run_id_time(${id}) at time zone 'UTC', 'YYYY_MM')) is not null
    then ${id} end`

/**
 * Ends the run. If a user asked for another run during this one, the check is due for it; otherwise the check is due at
 * its next time.
 */
export const ended = (next: Fragment) => sql.fragment`
  run_id = null,
  last_run_at = t.at,
  runs_total = c.runs_total + 1,
  next_run_at = ${next},
  due_at = case when c.queued_run_id is not null then t.at else ${next} end`

export const UNTIL_ERROR = sql.fragment`${sql.literalValue(String(FAILURES_UNTIL_ERROR))}::int`
/** True if the next success of the check is a recovery. */
export const WAS_FAILING = sql.fragment`(c.was_failing or c.failures >= ${UNTIL_ERROR})`

/** Ends a run that read the page: the count of failures is reset, and the page's mark is stored. */
export const READ = sql.fragment`
  ${ended(NEXT_RUN)},
  -- The recovery of a paused monitor is not reported, so it is remembered.
  was_failing = c.next_run_at is null and ${WAS_FAILING},
  failures = 0,
  body_hash = nullif(i.body_hash, ''),
  etag = i.etag,
  last_modified = i.last_modified`
