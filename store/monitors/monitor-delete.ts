import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Transaction } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { IS_UNSENT } from '../deliveries/is-unsent.ts'
import { askedRuns, giveBack, paymentsOfRuns } from '../quota/give-back.ts'

const UNDER_WAY = 'The monitor was deleted while the run was under way.'
const QUEUED = 'The monitor was deleted before the run began, so nothing was used of the plan.'

/**
 * Hides a monitor permanently and ends its schedule. A run is read by its id, and pending deliveries finish: each has
 * its own target, and the signing secret stays until they have. Headers and destinations are erased, and the rest of
 * the configuration is dropped unless messages are still to be sent (`dropConfigurations` does it then). A run that is
 * in progress or queued ends as an error, so that no run stays `running` for ever. The payment of a queued one is
 * given back. The caller locks the team's quota before the monitor (`lockUsage`).
 */
export const hideMonitor = (tx: Transaction, no: number): Promise<void> => hide(tx, sql.fragment`no = ${no}`)

/** Does the same for all monitors of a team, whose quota the caller locks too. */
export const hideMonitorsOf = (tx: Transaction, teamId: string): Promise<void> =>
  hide(tx, sql.fragment`team_id = ${teamId}::uuid`)

async function hide(tx: Transaction, which: ReturnType<typeof sql.fragment>): Promise<void> {
  await tx.query(sql.type(nothing)`
    with t as (select clock() as at),
    chosen as materialized (
      select no from monitors where ${which} and deleted_at is null order by no for update
    ),
    m as (
      update monitors set deleted_at = t.at, request_headers = null, deliveries = null from t
      where no in (select no from chosen)
    ),
    before as materialized (
      select no, team_id, run_id, queued_run_id, queued_run_id as id, queued_run_id is not null as is_paid, queue, cost,
        credits_paid
      from checks where no in (select no from chosen) order by no for update
    ),
    -- One that was paid last has its own payment in the row, whether another one is under way or not.
    asked as (${askedRuns(sql.fragment`before`)}),
    refunded as (
      ${giveBack(paymentsOfRuns(sql.fragment`before`, sql.fragment`asked`))}
    ),
    open as (
      select before.no, before.team_id, run.id, coalesce(run.id = queued_run_id, false) as is_queued
      from before cross join unnest(array[run_id, queued_run_id]) run (id)
      where run.id is not null
    ),
    ended as (
      insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, fired, error_message)
      select open.no, open.id, open.team_id, 0,
        least(greatest(extract(epoch from t.at - run_id_time(open.id)) * 1000, 0), 2147483647)::int, 'error',
        false, case when open.is_queued then ${QUEUED} else ${UNDER_WAY} end
      from open, t
    )
    update checks c
    set fence = c.fence + 1, holder = null, due_at = null, next_run_at = null, run_id = null, queued_run_id = null,
      mute = null,
      runs_total = c.runs_total + (select count(*) from open where open.no = c.no)
    where c.no in (select no from before)
  `)
  await dropConfigurations(tx, which)
}

const counted = row({ count: Type.Integer() })

/** Monitors in one statement. */
const BATCH = 5_000

/**
 * Drops the configurations of deleted monitors that no message needs any more. The name stays: runs and deliveries show
 * it. Returns how many were dropped, at most 5,000 at a time.
 */
export const dropConfigurations = (
  store: Queryable,
  which: ReturnType<typeof sql.fragment> = sql.fragment`true`,
): Promise<number> =>
  store.oneFirst(sql.type(counted)`
    with dropped as (
      update monitors m
      -- Their columns are never null where a kind has them.
      set url = case when m.url is not null then '' end, keyword = case when m.keyword is not null then '' end,
        extract_config = case when m.extract_config is not null then '{}'::json end,
        diff_predicate = case when m.diff_predicate is not null then '{}'::json end,
        request_config = null, visual_config = null, quiet_hours = null, message = null, digest = null,
        target_domain = null, external_key = null, labels = null, more = null, request_headers = null, deliveries = null
      where m.no in (
        select no from monitors
        where deleted_at is not null and coalesce(url, keyword) <> '' and ${which}
          and not exists (select from deliveries d where d.monitor_no = monitors.no and ${IS_UNSENT})
          and not exists (select from notices n where n.monitor_no = monitors.no and n.due_at is not null)
        limit ${BATCH}
        for update skip locked
      )
      returning 1
    )
    select count(*) from dropped
  `)
