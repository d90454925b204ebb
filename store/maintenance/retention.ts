import Type from 'typebox'
import { sql } from 'slonik'
import type { Queryable, Store } from '../db/client.ts'
import { deleteNotices } from '../deliveries/notices.ts'
import { CUTOFF } from '../quota/pool.ts'
import { nothing, row } from '../db/row.ts'
import { purgeDeletedMonitors } from './deleted-monitors.ts'
import { sqlStateOf } from '../db/store-fault.ts'

/** The number of deleted rows and months that retention hides. */
interface Forgotten {
  readonly months: number
  readonly runs: number
  readonly deliveries: number
  readonly auditEvents: number
  readonly pageTexts: number
  readonly notices: number
  readonly monitors: number
}

/** Largest number of rows that one statement deletes, so that no statement delays a check for long. */
const BATCH = 5_000
/** Monitors whose runs one statement looks through. */
const MONITORS = 500

const counted = row({ count: Type.Integer() })
const month = row({ name: Type.String() })
const page = row({ count: Type.Integer(), last: Type.Union([Type.Integer(), Type.Null()]), deleted: Type.Integer() })

/**
 * Deletes data that is older than its team's retention window. Whole months of runs are dropped when no team can see
 * them any more. Other runs, deliveries that have ended, audit events, texts of pages, notices, and monitors that were
 * deleted, are deleted in small batches.
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
        pageTexts: await inBatches(signal, () => deletePageTexts(connection)),
        notices: await inBatches(signal, () => deleteNotices(connection)),
        monitors: await purgeDeletedMonitors(connection, signal),
      }
    } finally {
      await connection.query(sql.type(nothing)`select pg_advisory_unlock(hashtext('tidemark.retention'))`)
    }
  })
}

const NOTHING: Forgotten = { months: 0, runs: 0, deliveries: 0, auditEvents: 0, pageTexts: 0, notices: 0, monitors: 0 }

async function inBatches(signal: AbortSignal, deleteSome: () => Promise<number>): Promise<number> {
  for (let all = 0; ;) {
    const count = await deleteSome()
    all += count
    if (count < BATCH || signal.aborted) return all
  }
}

/** Drops the months that ended before the start of every team's window. */
async function dropMonths(connection: Queryable & Pick<Store, 'transaction'>, signal: AbortSignal): Promise<number> {
  const names = await connection.anyFirst(sql.type(month)`
    select c.relname as name
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'runs'::regclass
      and (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC'
        <= (select min(${CUTOFF}) from teams t cross join lateral team_limits(t.id) l)
    order by c.relname
  `)
  let dropped = 0
  for (const name of names) if (!signal.aborted && (await dropMonth(connection, name))) dropped += 1
  return dropped
}

/**
 * Returns false when it would have had to wait for a lock. Dropping a month is not urgent; the work that holds the
 * lock is.
 */
async function dropMonth(connection: Pick<Store, 'transaction'>, name: string): Promise<boolean> {
  const months = sql.identifier([name])
  try {
    await connection.transaction(async (tx) => {
      // Shorter than deadlock_timeout. If a record holds one lock and waits for the other, this statement gives up
      // first.
      await tx.query(sql.type(nothing)`select set_config('lock_timeout', '900ms', true)`)
      await tx.query(sql.type(nothing)`lock table checks in share row exclusive mode`)
      await tx.query(sql.type(nothing)`lock table runs in access exclusive mode`)
      await tx.query(sql.type(nothing)`
        update checks c set runs_total = c.runs_total - n.count
        from (select monitor_no, count(*) from ${months} group by monitor_no) n
        where c.no = n.monitor_no
      `)
      await tx.query(sql.type(nothing)`drop table ${months}`)
    })
    return true
  } catch (error) {
    if (sqlStateOf(error) === LOCK_NOT_AVAILABLE) return false
    throw error
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Deletes runs before each team's window, monitor by monitor. Runs stay while a later run or the next one refers to
 * them.
 */
async function deleteRuns(connection: Queryable, signal: AbortSignal): Promise<number> {
  for (let all = 0, after = 0; ;) {
    const { count, last, deleted } = await connection.one(sql.type(page)`
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
      -- Never waits for a record, because the record may wait for this statement.
      free as materialized (
        select no from checks where no in (select monitor_no from old) order by no for update skip locked
      ),
      gone as (
        delete from runs r using old o
        where r.monitor_no = o.monitor_no and r.id = o.id and o.monitor_no in (select no from free)
        returning r.monitor_no
      ),
      lowered as (
        update checks c set runs_total = c.runs_total - n.count
        from (select monitor_no, count(*) from gone group by monitor_no) n
        where c.no = n.monitor_no
      )
      select count(*), max(no) as last, (select count(*) from gone) as deleted from batch
    `)
    all += deleted
    if (count === 0 || last === null || signal.aborted) return all
    if (deleted < BATCH) after = last
  }
}

const deleteDeliveries = (connection: Queryable): Promise<number> =>
  connection.oneFirst(sql.type(counted)`
    with old as (
      select d.id
      from teams t cross join lateral team_limits(t.id) l cross join lateral (
        select id from deliveries d
        where d.team_id = t.id and d.due_at is null and d.created_at < ${CUTOFF}
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
