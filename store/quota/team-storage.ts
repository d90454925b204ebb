import { sql } from 'slonik'
import Type from 'typebox'
import type { Tier } from '../../schema/account/plan.ts'
import type { Queryable, Transaction } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { limitOf } from './pool.ts'

type Fragment = ReturnType<typeof sql.fragment>

/**
 * Selects what the teams of a condition on `s` store, and the bytes that they may store (null: no limit), and locks it
 * until the end of the transaction. The triggers of 000008-storage.sql count what a statement writes, so a
 * statement that asks here first, and writes only what fits, never exceeds the limit.
 */
export const lockedStorage = (which: Fragment) => sql.fragment`
  select s.team_id, s.configuration_bytes as used, ${limitOf('configurationBytes')} as most
  from team_storage s cross join lateral team_limits(s.team_id) l
  where ${which}
  order by s.team_id
  for update of s`

/**
 * Is true when a configuration of so many bytes may replace that of `m`, a row of `monitors` that the transaction has
 * locked. `own` is a row of `lockedStorage`. One that is not larger always may.
 */
export const hasRoom = (bytes: Fragment) => sql.fragment`
  (own.most is null or ${bytes} <= m.configuration_bytes or own.used - m.configuration_bytes + ${bytes} <= own.most)`

/**
 * Locks what teams store. A transaction that writes monitors of several teams locks their monitors first, then all of
 * these rows, so that two such transactions do not wait for each other.
 */
export async function lockStorage(tx: Transaction, teamIds: readonly string[]): Promise<void> {
  await tx.query(sql.prepared('lock_storage', nothing)`
    select from team_storage where team_id = any(${sql.array([...teamIds], 'uuid')}) order by team_id for update
  `)
}

/** Bytes that a team stores. Without a limit, `limit` is null. */
interface TeamStorage {
  readonly tier: Tier
  readonly used: number
  readonly limit: number | null
}

const storage = row({
  tier: Type.Unsafe<Tier>({}),
  used: Type.Number(),
  limit: Type.Union([Type.Number(), Type.Null()]),
})

/** Returns what the team's configurations take; null when the team has ended. */
export async function findStorage(store: Queryable, teamId: string): Promise<TeamStorage | null> {
  return store.maybeOne(sql.type(storage)`
    select l.tier, s.configuration_bytes as used, ${limitOf('configurationBytes')} as limit
    from team_storage s join teams t on t.id = s.team_id cross join lateral team_limits(s.team_id) l
    where s.team_id = ${teamId}::uuid and t.ended_at is null
  `)
}
