import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { IS_UNSENT } from '../deliveries/is-unsent.ts'
import { CUTOFF } from '../quota/pool.ts'

/** Monitors in one statement, and the most rows of another table that one statement deletes. */
const MONITORS = 200
const BATCH = 5_000

const gone = row({ no: Type.Integer() })
const counted = row({ count: Type.Integer() })

/** Tables that may have many rows of a monitor, and what tells its rows apart. */
const MANY = [
  ['runs', 'id'],
  ['run_stretches', 'last_id'],
  ['deliveries', 'id'],
  ['notice_events', 'id'],
  ['notices', 'id'],
  ['run_images', 'run_id'],
] as const
/** Tables with few rows of a monitor, and the column of its number. */
const FEW = [
  ['dead_destinations', 'monitor_no'],
  ['baselines', 'no'],
  ['visual_baselines', 'no'],
  ['seen_items', 'no'],
  ['monitor_resources', 'no'],
  ['forgotten_runs', 'no'],
  ['seen_marks', 'monitor_no'],
  ['usage_starts', 'no'],
  ['status_page_monitors', 'monitor_no'],
  ['checks', 'no'],
  ['monitors', 'no'],
] as const

/**
 * Deletes monitors that were deleted longer ago than their team's retention window, with all that belongs to them. All
 * of their runs are older then, so nobody could see them any more. A monitor with a message that is still to be sent
 * waits for the next time. The pictures are left to their own sweep, which deletes what nothing refers to. Returns how
 * many monitors are gone.
 */
export async function purgeDeletedMonitors(
  connection: Queryable & Pick<Store, 'transaction'>,
  signal: AbortSignal,
): Promise<number> {
  for (let all = 0; ;) {
    const numbers = await connection.anyFirst(sql.type(gone)`
      select m.no
      from monitors m cross join lateral team_limits(m.team_id) l
      where m.deleted_at < ${CUTOFF}
        and not exists (select from deliveries d where d.monitor_no = m.no and ${IS_UNSENT})
        and not exists (select from notices n where n.monitor_no = m.no and n.due_at is not null)
      order by m.deleted_at
      limit ${MONITORS}
    `)
    if (numbers.length === 0 || signal.aborted) return all
    for (const [table, key] of MANY) if (!(await deleteAll(connection, { table, key, numbers, signal }))) return all
    await connection.transaction(async (tx) => {
      for (const [table, column] of FEW)
        await tx.query(sql.type(nothing)`
          delete from ${sql.identifier([table])} where ${sql.identifier([column])} = any(${int8s(numbers)})
        `)
    })
    all += numbers.length
    if (numbers.length < MONITORS) return all
  }
}

interface Purge {
  readonly table: string
  readonly key: string
  readonly numbers: readonly number[]
  readonly signal: AbortSignal
}

/** Returns false when it was aborted before the end. */
async function deleteAll(connection: Queryable, { table, key, numbers, signal }: Purge): Promise<boolean> {
  const id = sql.identifier([key])
  for (;;) {
    const count = await connection.oneFirst(sql.type(counted)`
      with old as (
        select monitor_no, ${id} as id from ${sql.identifier([table])}
        where monitor_no = any(${int8s(numbers)})
        limit ${BATCH}
      ),
      deleted as (
        delete from ${sql.identifier([table])} t using old
        where t.monitor_no = old.monitor_no and t.${id} = old.id
        returning 1
      )
      select count(*) from deleted
    `)
    if (count < BATCH) return true
    if (signal.aborted) return false
  }
}

const int8s = (numbers: readonly number[]) => sql.array([...numbers], 'int8')

/**
 * Erases the signing secrets of deleted monitors that no message needs any more: none is to be sent, and none can be
 * replayed. Their destinations and headers were erased when they were deleted. Returns how many were erased.
 */
export const eraseSecretsOfDeleted = (store: Queryable): Promise<number> =>
  store.oneFirst(sql.type(counted)`
    with erased as (
      update monitors set signing_secret = null, old_signing_secret = null, old_secret_until = null
      where no in (
        select m.no from monitors m
        where m.deleted_at is not null and (m.signing_secret is not null or m.old_signing_secret is not null)
          and not exists (select from deliveries d where d.monitor_no = m.no and d.status <> 'success')
          and not exists (select from notices n where n.monitor_no = m.no and n.due_at is not null)
        limit ${BATCH}
        for update skip locked
      )
      returning 1
    )
    select count(*) from erased
  `)
