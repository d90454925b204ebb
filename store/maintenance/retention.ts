import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { sqlStateOf } from '../db/store-fault.ts'
import { deleteNotices } from '../deliveries/delete-notices.ts'
import { IS_UNSENT } from '../deliveries/is-unsent.ts'
import { CUTOFF } from '../quota/pool.ts'
import { purgeDeletedMonitors } from './deleted-monitors.ts'
import { purgeEndedTeams } from './ended-teams.ts'

type Connection = Queryable & Pick<Store, 'transaction'>

/** The number of deleted rows and months that retention hides. */
interface Forgotten {
  readonly months: number
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
const month = row({ name: Type.String(), is_pending: Type.Boolean(), is_detached: Type.Boolean() })
const last = row({ last: Type.Union([Type.Integer(), Type.Null()]) })
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
        runs: await deleteRuns(connection, signal),
        deliveries: await inBatches(signal, () => deleteDeliveries(connection)),
        auditEvents: await inBatches(signal, () => deleteAuditEvents(connection)),
        apiKeys: await inBatches(signal, () => deleteApiKeys(connection)),
        pageTexts: await inBatches(signal, () => deletePageTexts(connection)),
        notices: await inBatches(signal, () => deleteNotices(connection)),
        monitors: await purgeDeletedMonitors(connection, signal),
        teams: await purgeEndedTeams(connection, signal),
      }
    } finally {
      await connection.query(sql.type(nothing)`select pg_advisory_unlock(hashtext('tidemark.retention'))`)
    }
  })
}

const NOTHING: Forgotten = {
  months: 0,
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

const NAME = '^runs_[0-9]{4}_[0-9]{2}$'

/**
 * Drops the months that ended before the start of every team's window. First a month is detached, which waits for
 * others and lets nobody wait. Then its runs are counted and the table is dropped: it is nobody else's any more. What
 * was interrupted goes on the next time.
 */
async function dropMonths(connection: Connection, signal: AbortSignal): Promise<number> {
  const found = await connection.any(sql.type(month)`
    select c.relname as name, coalesce(i.inhdetachpending, false) as is_pending, i.inhrelid is null as is_detached
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = 'runs'::regclass
    where c.relnamespace = (select relnamespace from pg_class where oid = 'runs'::regclass)
      and c.relkind = 'r' and c.relname ~ ${NAME}
      and (i.inhrelid is null or i.inhdetachpending
        or (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC'
          <= (select min(${CUTOFF}) from teams t cross join lateral team_limits(t.id) l))
    order by c.relname
  `)
  let dropped = 0
  for (const one of found)
    if (!signal.aborted && (await detachMonth(connection, one)) && (await dropMonth(connection, one.name, signal)))
      dropped += 1
  return dropped
}

interface Month {
  readonly name: string
  /** A detach was interrupted. */
  readonly is_pending: boolean
  readonly is_detached: boolean
}

/** Returns false when somebody reads the table for so long that it is left for the next time. */
async function detachMonth(connection: Connection, { name, is_pending, is_detached }: Month): Promise<boolean> {
  if (is_detached) return true
  const how = is_pending ? sql.fragment`finalize` : sql.fragment`concurrently`
  await connection.query(sql.type(nothing)`set lock_timeout = '5s'`)
  try {
    await connection.query(sql.type(nothing)`alter table runs detach partition ${sql.identifier([name])} ${how}`)
    return true
  } catch (error) {
    if (sqlStateOf(error) === LOCK_NOT_AVAILABLE) return false
    throw error
  } finally {
    await connection.query(sql.type(nothing)`reset lock_timeout`)
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

/** Monitors whose runs of a month one statement counts. */
const COUNTED = 100

/** Returns false when it was aborted; then nothing has changed. */
async function dropMonth(connection: Connection, name: string, signal: AbortSignal): Promise<boolean> {
  const table = sql.identifier([name])
  try {
    await connection.transaction(async (tx) => {
      for (let after: number | null = 0; after !== null;) {
        signal.throwIfAborted()
        after = await tx.oneFirst(sql.type(last)`
          with batch as materialized (select no from checks where no > ${after} order by no limit ${COUNTED}),
          counted as (
            insert into forgotten_runs (no, count)
            select b.no, n.count from batch b
            cross join lateral (select count(*) from ${table} r where r.monitor_no = b.no) n
            where n.count > 0
            ${ADDED}
          )
          select max(no) as last from batch
        `)
      }
      await tx.query(sql.type(nothing)`drop table ${table}`)
    })
    return true
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}

const ADDED = sql.fragment`on conflict (no) do update set count = forgotten_runs.count + excluded.count`

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
      with batch as materialized (
        select c.no, c.reading_id, run_id_floor(${CUTOFF}) as floor
        from checks c cross join lateral team_limits(c.team_id) l
        where c.no > ${after}
        order by c.no
        limit ${MONITORS}
      ),
      old as materialized (
        select r.monitor_no, r.id
        from batch b
        left join lateral (
          select coalesce(r.reading_id, r.id) as id from runs r
          where r.monitor_no = b.no and r.id >= b.floor and r.status = 'success'
          order by r.id limit 1
        ) needed on true
        cross join lateral (
          select r.monitor_no, r.id from runs r
          where r.monitor_no = b.no and r.id < b.floor
            and r.id is distinct from b.reading_id and r.id is distinct from needed.id
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
