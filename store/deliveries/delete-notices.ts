import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'
import { CUTOFF } from '../quota/pool.ts'
import { isHealth } from './run-events.ts'

const counted = row({ count: Type.Integer() })

/** Largest number of rows that one statement of the purge deletes, as in store/maintenance/retention.ts. */
const NOTICE_BATCH = 5_000

/**
 * Deletes messages that have ended and events that were reported, where the plan's window hides things of their age.
 * The last event about the health of a monitor stays, because the next one depends on it. Returns how many rows of the
 * larger batch were deleted.
 */
export const deleteNotices = (connection: Queryable): Promise<number> =>
  connection.oneFirst(sql.type(counted)`
    with sent as (
      delete from notices where id in (
        select n.id
        from teams t cross join lateral team_limits(t.id) l cross join lateral (
          select id from notices n
          where n.team_id = t.id and n.due_at is null and n.created_at < ${CUTOFF}
          limit ${NOTICE_BATCH}
        ) n
        limit ${NOTICE_BATCH}
      )
      returning 1
    ),
    handled as (
      delete from notice_events where id in (
        select e.id
        from notice_events e cross join lateral team_limits(e.team_id) l
        where e.due_at is null and e.created_at < ${CUTOFF}
          and (not ${isHealth('e')} or e.monitor_no is null or exists (
            select from notice_events later
            where later.monitor_no = e.monitor_no and later.run_id > e.run_id and ${isHealth('later')}))
        limit ${NOTICE_BATCH}
      )
      returning 1
    )
    select greatest((select count(*) from sent), (select count(*) from handled)) as count
  `)
