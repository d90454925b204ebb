import { sql } from 'slonik'
import Type from 'typebox'
import { WORK_LEVEL } from '../../schema/level.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { Queryable, Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { NEXT_RUN, priceAfter, withTable } from '../queue/finished-check.ts'
import { ownLevels } from '../queue/own-levels.ts'
import { NOBODY_ISOLATES, NOBODY_RENDERS } from '../queue/who-renders.ts'
import { askedRuns, giveBack, paymentsOfRuns } from '../quota/give-back.ts'
import { IS_SEARCH_PAID, poolOf } from '../quota/pool.ts'

/** The count stops here, so that its cost is limited. */
const MAX_COUNTED = 10_000
/** Of one team and queue. */
const MAX_OF_TEAM = 1_000

/** Is true when nobody renders pages, or there are isolated checks and nobody does them. It reads `t.at`. */
const NOBODY_DOES_SOME = sql.fragment`(${NOBODY_RENDERS} or ${NOBODY_ISOLATES} and exists (
  select from checks where is_isolated and due_at is not null))`

/**
 * Is true when an earlier look found the same, two to ten minutes ago. After an outage of the store, or on a computer
 * that was suspended, a process that renders says so within a minute: it comes before the second look. It reads `t.at`.
 */
const WAS_SEEN_BEFORE = sql.fragment`(
  select coalesce(unrendered_at between t.at - interval '10 minutes' and t.at - interval '2 minutes', false)
  from installation, t)`

/**
 * Checks that have waited for ten minutes because no process does them. Those that are neither paid nor can be paid
 * wait for runs, not for a browser. Those above the own level are left to a later version. It reads `t.at`.
 */
const LATE = sql.fragment`
  select c.no, c.team_id, c.due_at
  from team_usage u
  cross join unnest('{browser,visual,serp}'::check_queue[]) q (queue) ${poolOf(sql.fragment`q.queue`)}
  cross join ${ownLevels(WORK_LEVEL)}
  cross join lateral (
    select no, team_id, due_at from checks c
    where team_id = u.team_id and queue = q.queue and c.level = own.level
      and due_at <= (select at from t) - interval '10 minutes'
      and (${IS_SEARCH_PAID} or c.cost <= pool.remaining)
      and case when is_isolated then ${NOBODY_ISOLATES} else ${NOBODY_RENDERS} end
    limit ${MAX_OF_TEAM}
  ) c
  limit ${MAX_COUNTED}`

/** The same; it looks for them only where there can be some. */
export const UNRENDERED = sql.fragment`
  select from (${LATE}) c where ${NOBODY_DOES_SOME}`

/** Tells the other processes that this one asks for checks that need a browser. Call it about once a minute. */
export async function noteRendering(store: Store): Promise<void> {
  await store.query(sql.type(nothing)`
    update installation set rendered_at = clock()
    where rendered_at is null or rendered_at not between clock() - interval '30 seconds' and clock()
  `)
}

/** The message of a run whose isolated check nobody did. */
const NOT_ISOLATED =
  'No operator of this installation starts runner pods, and this monitor asks for a pod of its own (isolation pod), ' +
  'so the check was not done. Let the operator start runner pods (runner.max), or set isolation to shared. This run ' +
  'used nothing of the plan.'

/** The error of a run that nobody did. The installation caused it, so it does not count as one of the monitor. */
const NOT_RENDERED = {
  code: 'not_available',
  message:
    'No process of this installation renders pages, so the check was not done. Start a runner, or let a worker ' +
    'render pages (TIDEMARK_BROWSER_PAGES). This run used nothing of the plan.',
} as const satisfies RunFault

const seen = row({ count: Type.Integer(), isRendered: Type.Boolean() })

interface Rendering {
  /** The checks that were given up now. */
  readonly count: number
  /** Processes ask for all such checks. */
  readonly isRendered: boolean
}

/**
 * Ends the checks that have waited for ten minutes, where no process renders pages, or none starts the pods of isolated
 * checks. They become failed runs that say so, and do not count as failures. Only a second look ends them
 * (`WAS_SEEN_BEFORE`). The next check of a monitor is at its time. It is static again where `fetch_mode` is `auto` and
 * only an earlier answer chose the browser. Payments are given back: for a run that somebody asked for, and for one
 * whose process died. Writes an event for each of their teams, at most one a day: every monitor of it that needs a
 * browser waits for the same reason.
 */
export const endUnrendered = (store: Queryable): Promise<Rendering> =>
  store.one(sql.type(seen)`
    with t as materialized (select clock() as at),
    looked as (
      update installation i set unrendered_at = t.at
      from t
      where ${NOBODY_DOES_SOME} and coalesce(i.unrendered_at not between t.at - interval '2 minutes' and t.at, true)
    ),
    late as materialized (
      select no, team_id, due_at from (${LATE}) late where ${NOBODY_DOES_SOME} and ${WAS_SEEN_BEFORE}
    ),
    -- Before the checks, as run-now does. One that is locked is looked at the next time.
    team as materialized (
      select u.team_id, u.period_start from team_usage u
      where u.team_id in (select team_id from late)
      order by u.team_id
      for update of u skip locked
    ),
    -- From the locked rows: somebody may have asked for a run since the statement began.
    given_up as materialized (
      select c.no, c.team_id, c.queue, c.cost, c.credits_paid, c.static_again_at,
        coalesce(c.run_id, c.queued_run_id) as id,
        ${IS_SEARCH_PAID} as is_paid
      from late join team using (team_id) join checks c on c.no = late.no and c.due_at = late.due_at
      order by c.no
      for update of c skip locked
    ),
    named as materialized (
      -- A run of a month that is deleted already gets another id.
      select c.no, coalesce(${withTable(sql.fragment`c.id`)}, new_run_id(t.at, c.no)) as run_id,
        m.fetch_mode = 'auto' and c.queue = 'browser' and c.static_again_at is not null as is_remembered
      from given_up c left join monitors m using (no), t
    ),
    asked as (${askedRuns(sql.fragment`given_up`)}),
    refunded as (
      ${giveBack(paymentsOfRuns(sql.fragment`given_up`, sql.fragment`asked`), sql.fragment`team`)}
    ),
    moved as (
      update checks c
      set fence = c.fence + 1, holder = null, run_id = null, last_run_at = t.at, runs_total = c.runs_total + 1,
        -- Another run that somebody asked for while this one was under way has its own turn.
        queued_run_id = case when c.run_id is not null then c.queued_run_id end,
        next_run_at = ${NEXT_RUN},
        cost = ${priceAfter(sql.fragment`c.run_id is not null and c.queued_run_id is not null`)},
        queue = case when i.is_remembered then 'static' else c.queue end,
        static_again_at = case when not i.is_remembered then c.static_again_at end,
        layer_reason = case when not i.is_remembered then c.layer_reason end,
        due_at = case when c.run_id is not null and c.queued_run_id is not null then t.at else ${NEXT_RUN} end
      from named i, t
      where c.no = i.no
      returning c.no, c.team_id, c.is_isolated, i.run_id, t.at
    ),
    inserted as (
      insert into runs (
        monitor_no, id, team_id, start_offset_ms, duration_ms, status, fired, error_code, error_message)
      select no, run_id, team_id,
        least(2147483647, greatest(0, extract(epoch from at - run_id_time(run_id)) * 1000))::int, 0, 'error',
        false, ${NOT_RENDERED.code},
        case when is_isolated then ${NOT_ISOLATED} else ${NOT_RENDERED.message} end
      from moved
    ),
    noted as (
      insert into notice_events (team_id, kind, detail, key)
      select team_id, 'failing', jsonb_build_object('waiting_for_browser', count(*)),
        concat_ws(' ', 'unrendered', team_id, (select (at at time zone 'UTC')::date from t))
      from moved
      group by team_id
      order by team_id
      on conflict (key) do nothing
    )
    select (select count(*) from moved)::int as count, not ${NOBODY_DOES_SOME} as "isRendered"
  `)
