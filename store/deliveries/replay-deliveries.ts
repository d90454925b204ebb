import { sql } from 'slonik'
import Type from 'typebox'
import type { DeliveryStatus } from '../../schema/run/delivery.ts'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'
import { retentionCutoff } from '../quota/pool.ts'
import { type DeliveryFilter, isWanted } from './delivery-filter.ts'
import { handOverDigests } from './digests.ts'

const replayed = row({ id: Type.String(), run_id: Type.String() })

const found = row({ id: Type.String() })

/** A delivery that was reset for a replay. */
interface Replayed {
  readonly id: string
  readonly run_id: string
}

/**
 * Makes deliveries `d` due now, or so much later, each by itself. The team has not ended, and does not until the
 * transaction does.
 */
const reset = (teamId: string, later = sql.fragment`interval '0'`) => sql.fragment`
  set status = 'pending', attempts = 0, held = null, digest = null, digest_of = null, fence = d.fence + 1,
    due_at = t.at + ${later}, next_attempt_at = t.at + ${later}
  from (select clock() as at from teams where id = ${teamId}::uuid and ended_at is null for share) t`

/**
 * Resets one `failed` or `dead` delivery to `pending`, due at once, with 0 attempts and the same id and payload. It is
 * sent by itself, also where it was part of a digest. Returns null when the team has ended, when it has no delivery
 * with that id, or when it is `pending` or `success`. An attempt in progress loses its fence.
 */
export async function replayDelivery(store: Queryable, teamId: string, id: string): Promise<Replayed | null> {
  await handOverDigests(store, teamId, [id])
  return store.maybeOne(sql.type(replayed)`
    update deliveries d
    ${reset(teamId)}
    where d.id = ${id}::uuid and d.team_id = ${teamId}::uuid and d.status in ('failed', 'dead')
    returning d.id, d.run_id
  `)
}

/**
 * Does the same as `replayDelivery` for every `failed` or `dead` delivery of a run, those that wait for their next
 * attempt included.
 */
export async function replayRunDeliveries(
  store: Queryable,
  teamId: string,
  runId: string,
): Promise<readonly Replayed[]> {
  const ids = await store.anyFirst(sql.type(found)`
    select id from deliveries where run_id = ${runId}::uuid and team_id = ${teamId}::uuid`)
  return replayDeliveries(store, teamId, ids)
}

/** Returns the ids of the failed and dead deliveries that a filter leaves, the oldest first, at most so many. */
export const listReplayable = (store: Queryable, filter: DeliveryFilter, most: number): Promise<readonly string[]> =>
  store.anyFirst(sql.type(found)`
    select d.id from deliveries d
    where ${isWanted(filter)} and d.status in ('failed', 'dead')
    order by d.created_at, d.id
    limit ${most}
  `)

const replayedOne = row({
  id: Type.String(),
  run_id: Type.String(),
  monitor_name: Type.String(),
  previous_status: Type.Unsafe<DeliveryStatus>({}),
})

/**
 * Does the same as `replayDelivery` for those of these deliveries that are `failed` or `dead` inside the plan's window,
 * in one transaction. The oldest is due first. Returns them, in no order.
 */
export async function replayDeliveries(tx: Queryable, teamId: string, ids: readonly string[]) {
  await handOverDigests(tx, teamId, ids)
  return tx.any(sql.type(replayedOne)`
    update deliveries d
    ${reset(teamId, sql.fragment`was.nth * interval '1 microsecond'`)}, (
      select o.id, o.status, m.name, row_number() over (order by o.created_at, o.id) as nth
      from deliveries o join monitors m on m.no = o.monitor_no
      where o.id = any(${sql.array([...ids], 'uuid')}) and o.team_id = ${teamId}::uuid
        and o.created_at >= ${retentionCutoff(teamId)}
    ) was
    where d.id = was.id and d.status in ('failed', 'dead')
    returning d.id, d.run_id, was.name as monitor_name, was.status as previous_status
  `)
}
