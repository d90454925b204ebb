import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { DeliveryStatus } from '../../schema/run/delivery.ts'
import type { Queryable, Transaction } from '../db/client.ts'
import { nothing, rowOf } from '../db/row.ts'

const Ended = Type.Object({ id: Type.String(), run_id: Type.String(), monitor_name: Type.String() })
/** A delivery whose wait somebody has ended. */
type EndedHold = Static<typeof Ended>
const ended = rowOf(Ended)
const found = rowOf(Type.Object({ id: Type.String(), status: Type.Unsafe<DeliveryStatus>({}) }))

/** Deliveries `d` that wait for a later hour. One whose hour has come may be under way. */
const WAITS = sql.fragment`
  d.held is not null and d.status = 'pending' and d.attempts = 0 and d.digest_of is null
    and d.next_attempt_at > clock()`

const among = (teamId: string, ids: readonly string[]) =>
  sql.fragment`d.team_id = ${teamId}::uuid and d.id = any(${sql.array([...ids], 'uuid')})`

/** Makes those that wait due now. Returns them. */
export const sendHeld = (store: Queryable, teamId: string, ids: readonly string[]): Promise<readonly EndedHold[]> =>
  store.any(sql.type(ended)`
    with t as materialized (select clock() as at),
    released as (
      update deliveries d set due_at = t.at, next_attempt_at = t.at, held = null, digest = null
      from t
      where ${among(teamId, ids)} and ${WAITS}
      returning d.id, d.run_id, d.monitor_no
    )
    select r.id, r.run_id, m.name as monitor_name from released r join monitors m on m.no = r.monitor_no
  `)

/**
 * Deletes those that wait, and says so in their runs: a run whose last delivery is deleted has sent nothing. Returns
 * them.
 */
export async function dropHeld(tx: Transaction, teamId: string, ids: readonly string[]): Promise<readonly EndedHold[]> {
  // Two that drop deliveries of one run do so one after the other, so that the second one sees what the first one left.
  await tx.query(sql.type(nothing)`
    select from runs r
    where (r.monitor_no, r.id) in (select d.monitor_no, d.run_id from deliveries d where ${among(teamId, ids)})
    order by r.monitor_no, r.id
    for update
  `)
  return tx.any(sql.type(ended)`
    with dropped as (
      delete from deliveries d where ${among(teamId, ids)} and ${WAITS} returning d.id, d.run_id, d.monitor_no
    ),
    noted as (
      update runs r
      set held = 'dropped', delivery_triggered = exists (
        select from deliveries d where d.run_id = r.id and d.id not in (select id from dropped))
      from (select distinct run_id, monitor_no from dropped) o
      where r.monitor_no = o.monitor_no and r.id = o.run_id
    )
    select d.id, d.run_id, m.name as monitor_name from dropped d join monitors m on m.no = d.monitor_no
  `)
}

/** Returns the status of each of these deliveries that the team has. */
export async function statusesOf(
  store: Queryable,
  teamId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DeliveryStatus>> {
  const rows = await store.any(sql.type(found)`select d.id, d.status from deliveries d where ${among(teamId, ids)}`)
  return new Map(rows.map(({ id, status }) => [id, status]))
}
