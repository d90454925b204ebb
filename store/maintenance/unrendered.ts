import Type from 'typebox'
import { sql } from 'slonik'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'
import { poolOf } from '../quota/pool.ts'

/** The count stops here, so that its cost is limited. */
const MOST_COUNTED = 10_000
/** Of one team and queue. */
const MOST_OF_TEAM = 1_000

/**
 * The checks that need a browser and have been due for too long: for ten minutes, and for three intervals. Such a check
 * waits for ever where no process renders pages. A team without runs left is not late. It reads `t.at`.
 */
export const UNRENDERED = sql.fragment`
  select c.team_id, c.due_at
  from team_usage u
  cross join unnest('{browser,visual}'::check_queue[]) q (queue) ${poolOf(sql.fragment`q.queue`)}
  cross join lateral (
    select team_id, due_at from checks
    where team_id = u.team_id and queue = q.queue and due_at <= (select at from t) - interval '10 minutes'
      and due_at <= (select at from t) - make_interval(secs => 3 * interval_seconds)
    limit ${MOST_OF_TEAM}
  ) c
  where pool.remaining > 0
  limit ${MOST_COUNTED}`

const seen = row({ count: Type.Integer(), oldest_seconds: Type.Number() })

/**
 * Counts the checks that wait for a browser, and writes an event for each of their teams, at most one a day. It is
 * about the team: every monitor of it that needs a browser waits for the same reason.
 */
export const noteUnrendered = (
  store: Queryable,
): Promise<{ readonly count: number; readonly oldest_seconds: number }> =>
  store.one(sql.type(seen)`
    with t as materialized (select clock() as at),
    late as materialized (${UNRENDERED}),
    told as (
      insert into notice_events (team_id, kind, detail, key)
      select l.team_id, 'failing', jsonb_build_object('waiting_for_browser', count(*)),
        concat_ws(' ', 'unrendered', l.team_id, (select (at at time zone 'UTC')::date from t))
      from late l
      group by l.team_id
      order by l.team_id
      on conflict (key) do nothing
    )
    select count(*)::int as count,
      coalesce(extract(epoch from (select at from t) - min(due_at)), 0)::float8 as oldest_seconds
    from late
  `)
