import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { sqlStateOf } from '../db/store-fault.ts'
import { CUTOFF } from '../quota/pool.ts'
import { ADDED } from './forgotten-runs.ts'

type Connection = Queryable & Pick<Store, 'transaction'>

const month = row({ name: Type.String(), is_pending: Type.Boolean(), is_detached: Type.Boolean() })
const last = row({ last: Type.Union([Type.Integer(), Type.Null()]) })

const NAME = '^runs_[0-9]{4}_[0-9]{2}$'

/**
 * Drops the months that ended before the start of every team's window. First a month is detached, which waits for
 * others and lets nobody wait. Then its runs are counted and the table is dropped: it is nobody else's any more. What
 * was interrupted goes on the next time.
 */
export async function dropMonths(connection: Connection, signal: AbortSignal): Promise<number> {
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
