import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { deleteNotices } from '../deliveries/delete-notices.ts'
import { IS_UNSENT } from '../deliveries/is-unsent.ts'
import { CUTOFF } from '../quota/pool.ts'
import { purgeDeletedMonitors } from './deleted-monitors.ts'
import { dropMonths } from './drop-months.ts'
import { purgeEndedTeams } from './ended-teams.ts'
import { foldRuns } from './fold-runs.ts'
import { ADDED } from './forgotten-runs.ts'

/** The number of deleted rows and months that retention hides. */
interface Forgotten {
  readonly months: number
  /** Runs that are kept, in less space. */
  readonly folded: number
  readonly runs: number
  readonly deliveries: number
  readonly auditEvents: number
  readonly apiKeys: number
  readonly pageTexts: number
  readonly notices: number
  readonly monitors: number
  readonly teams: number
}

/** Largest number of rows that one statement deletes, so that no statement delays a check for long. */
const BATCH = 5_000
/** Monitors whose runs one statement looks through. */
const MONITORS = 500

const counted = row({ count: Type.Integer() })
const page = row({ count: Type.Integer(), last: Type.Union([Type.Integer(), Type.Null()]), deleted: Type.Integer() })

/**
 * Deletes data that is older than its team's retention window. Whole months of runs are dropped when no team can see
 * them any more. Other runs, deliveries that have ended, audit events, keys
 * that ended, texts of pages, notices, monitors that were deleted, and teams that ended, are deleted in small batches.
 * Stops between batches when the signal is aborted. Does nothing while another process runs it.
 */
export async function forgetOld(store: Store, signal: AbortSignal): Promise<Forgotten> {
  return store.connect(async (connection) => {
    const lock = sql.type(
      row({ got: Type.Boolean() }),
    )`select pg_try_advisory_lock(hashtext('tidemark.retention')) as got`
    if (!(await connection.oneFirst(lock))) return NOTHING
    try {
      return {
        months: await dropMonths(connection, signal),
        runs: (await deleteRuns(connection, signal)) + (await deleteStretches(connection, signal)),
        deliveries: await inBatches(signal, () => deleteDeliveries(connection)),
        auditEvents: await inBatches(signal, () => deleteAuditEvents(connection)),
        apiKeys: await inBatches(signal, () => deleteApiKeys(connection)),
        pageTexts: await inBatches(signal, () => deletePageTexts(connection)),
        notices: await inBatches(signal, () => deleteNotices(connection)),
        monitors: await purgeDeletedMonitors(connection, signal),
        teams: await purgeEndedTeams(connection, signal),
        // At last: what is old is gone, and a fault here leaves nothing undone.
        folded: await foldRuns(connection, signal),
      }
    } finally {
      await connection.query(sql.type(nothing)`select pg_advisory_unlock(hashtext('tidemark.retention'))`)
    }
  })
}

const NOTHING: Forgotten = {
  months: 0,
  folded: 0,
  runs: 0,
  deliveries: 0,
  auditEvents: 0,
  apiKeys: 0,
  pageTexts: 0,
  notices: 0,
  monitors: 0,
  teams: 0,
}

async function inBatches(signal: AbortSignal, deleteSome: () => Promise<number>): Promise<number> {
  for (let all = 0; ;) {
    const count = await deleteSome()
    all += count
    if (count < BATCH || signal.aborted) return all
  }
}

/** Selects some monitors behind a number, each with the run before which its team sees none. */
const monitorsBehind = (after: number) => sql.fragment`
  select c.no, c.reading_id, run_id_floor(${CUTOFF}) as floor
  from checks c cross join lateral team_limits(c.team_id) l
  where c.no > ${after}
  order by c.no
  limit ${MONITORS}`

/**
 * Deletes runs before each team's window, monitor by monitor. Runs stay while a later run or the next one refers to
 * them. It locks old runs only, which nobody else writes.
 */
async function deleteRuns(connection: Queryable, signal: AbortSignal): Promise<number> {
  for (let all = 0, after = 0; ;) {
    const {
      count,
      last: to,
      deleted,
    } = await connection.one(sql.type(page)`
      with batch as materialized (${monitorsBehind(after)}),
      old as materialized (
        select r.monitor_no, r.id
        from batch b
        left join lateral (
          select coalesce(r.reading_id, r.id) as id from runs r
          where r.monitor_no = b.no and r.id >= b.floor and r.status = 'success'
          order by r.id limit 1
        ) needed on true
        left join lateral (
          select t.reading_id as id from run_stretches t
          where t.monitor_no = b.no and t.last_id >= b.floor
          order by t.last_id limit 1
        ) folded on true
        cross join lateral (
          select r.monitor_no, r.id from runs r
          where r.monitor_no = b.no and r.id < b.floor
            and r.id is distinct from b.reading_id and r.id is distinct from needed.id
            and r.id is distinct from folded.id
          limit ${BATCH}
        ) r
        limit ${BATCH}
      ),
      gone as (
        delete from runs r using old o
        where r.monitor_no = o.monitor_no and r.id = o.id
        returning r.monitor_no
      ),
      counted as (
        insert into forgotten_runs (no, count)
        select monitor_no, count(*) from gone group by monitor_no
        ${ADDED}
      )
      select count(*), max(no) as last, (select count(*) from gone) as deleted from batch
    `)
    all += deleted
    if (count === 0 || to === null || signal.aborted) return all
    if (deleted < BATCH) after = to
  }
}

/** Deletes stretches of which all runs are before their team's window, monitor by monitor. Returns their runs. */
async function deleteStretches(connection: Queryable, signal: AbortSignal): Promise<number> {
  for (let all = 0, after = 0; ;) {
    const {
      count,
      last: to,
      deleted,
    } = await connection.one(sql.type(page)`
      with batch as materialized (${monitorsBehind(after)}),
      old as materialized (
        select t.monitor_no, t.last_id
        from batch b cross join lateral (
          select t.monitor_no, t.last_id from run_stretches t
          where t.monitor_no = b.no and t.last_id < b.floor
          limit ${BATCH}
        ) t
        limit ${BATCH}
      ),
      gone as (
        delete from run_stretches t using old o
        where t.monitor_no = o.monitor_no and t.last_id = o.last_id
        returning t.monitor_no, cardinality(t.ids) as runs
      ),
      counted as (
        insert into forgotten_runs (no, count)
        select monitor_no, sum(runs) from gone group by monitor_no
        ${ADDED}
      )
      select (select count(*)::int from gone) as count, max(no) as last,
        (select coalesce(sum(runs), 0)::int from gone) as deleted
      from batch
    `)
    all += deleted
    if (to === null || signal.aborted) return all
    if (count < BATCH) after = to
  }
}

const deleteDeliveries = (connection: Queryable): Promise<number> =>
  connection.oneFirst(sql.type(counted)`
    with old as (
      select d.id
      from teams t cross join lateral team_limits(t.id) l cross join lateral (
        select id from deliveries d
        where d.team_id = t.id and not ${IS_UNSENT} and d.created_at < ${CUTOFF}
        limit ${BATCH}
      ) d
      limit ${BATCH}
    ),
    gone as (delete from deliveries d using old where d.id = old.id returning 1)
    select count(*) from gone
  `)

const deleteAuditEvents = (connection: Queryable): Promise<number> =>
  connection.oneFirst(sql.type(counted)`
    with old as (
      select e.id
      from teams t cross join lateral team_limits(t.id) l cross join lateral (
        select id from audit_events e
        where e.team_id = t.id and e.created_at < ${CUTOFF}
        limit ${BATCH}
      ) e
      limit ${BATCH}
    ),
    gone as (delete from audit_events e using old where e.id = old.id returning 1)
    select count(*) from gone
  `)

/**
 * Deletes keys that were revoked or expired before the team's window. Until then their actions can be in the audit log,
 * whose lines hold the name, the prefix and the id of the key themselves.
 */
const deleteApiKeys = (connection: Queryable): Promise<number> =>
  connection.oneFirst(sql.type(counted)`
    with old as (
      select k.id
      from teams t cross join lateral team_limits(t.id) l cross join lateral (
        select id from api_keys k
        -- A key that ended before the window was created before it, which the index finds.
        where k.team_id = t.id and k.created_at < ${CUTOFF} and least(k.revoked_at, k.expires_at) < ${CUTOFF}
        limit ${BATCH}
      ) k
      limit ${BATCH}
    ),
    gone as (delete from api_keys k using old where k.id = old.id returning 1)
    select count(*) from gone
  `)

/** Deletes texts that no visible run uses and that are not the text of a baseline. */
const deletePageTexts = (connection: Queryable): Promise<number> =>
  connection.oneFirst(sql.type(counted)`
    with old as (
      select p.team_id, p.key
      from teams t cross join lateral team_limits(t.id) l cross join lateral (
        select p.team_id, p.key from page_texts p
        where p.team_id = t.id and p.last_run_id < run_id_floor(${CUTOFF})
          and not exists (
            select from baselines b join monitors m on m.no = b.no
            where b.team_id = p.team_id and b.text_key = p.key and m.deleted_at is null
          )
        limit ${BATCH}
      ) p
      limit ${BATCH}
    ),
    gone as (
      delete from page_texts p using old o
      where p.team_id = o.team_id and p.key = o.key
      returning 1
    )
    select count(*) from gone
  `)
