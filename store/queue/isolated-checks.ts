import Type from 'typebox'
import { sql } from 'slonik'
import type { Queryable } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { WAITING_PREVIEWS } from '../previews/previews.ts'
import { IS_PAID, poolOf } from '../quota/pool.ts'

const waiting = row({ no: Type.Integer() })
const seen = row({ are_seen: Type.Boolean() })

/**
 * Returns up to `limit` isolated checks that are due, that their teams can pay for, and that no live token is for; the
 * most overdue first. Isolated previews that wait are among them, by their numbers.
 */
export const isolatedChecks = (store: Queryable, limit: number): Promise<readonly number[]> =>
  store.anyFirst(sql.type(waiting)`
    select one.no
    from (
      select c.no, c.due_at
      from checks c join team_usage u on u.team_id = c.team_id ${poolOf(sql.fragment`c.queue`)}
      where c.is_isolated and c.due_at <= clock() and (${IS_PAID} or c.cost <= pool.remaining)
      union all
      ${WAITING_PREVIEWS} and p.is_isolated
    ) one
    where not exists (
      select from runner_tokens t where t.check_no = one.no and t.revoked_at is null and t.expires_at > clock())
    order by one.due_at
    limit ${limit}
  `)

/** Notes that a leader starts runner pods. */
export async function noteRunnerPods(store: Queryable, clusterId: string, epoch: number): Promise<void> {
  await store.query(sql.type(nothing)`
    update operator_epochs set runners_seen_at = clock() where cluster_id = ${clusterId} and epoch = ${epoch}
      and coalesce(runners_seen_at < clock() - interval '20 seconds', true)
  `)
}

/** Returns whether an operator of any cluster has started runner pods lately. */
export const areRunnerPodsStarted = (store: Pick<Queryable, 'oneFirst'>): Promise<boolean> =>
  store.oneFirst(sql.type(seen)`
    select exists (
      select from operator_epochs where runners_seen_at > clock() - interval '2 minutes'
    ) as are_seen
  `)
