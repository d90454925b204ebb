import { sql } from 'slonik'
import Type from 'typebox'
import { WORK_LEVEL } from '../../schema/level.ts'
import type { Queryable } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { IS_PAID, poolOf } from '../quota/pool.ts'
import { WAITING_ASKED } from './asked.ts'

const waiting = row({ no: Type.Integer() })
const seen = row({ are_seen: Type.Boolean() })

/**
 * Returns up to `limit` isolated checks that are due, that their teams can pay for, and that no live token is for.
 * Teams take turns: first come the checks of the teams that have the fewest pods, and of these the most overdue.
 * Isolated work that somebody waits for is among them. Of each team at most `limit` checks are read, however
 * many are due, and each team is found by one step in the index.
 */
export const isolatedChecks = (store: Queryable, limit: number): Promise<readonly number[]> =>
  store.anyFirst(sql.type(waiting)`
    with recursive t as materialized (select clock() as at),
    token as materialized (
      select check_no as no from runner_tokens
      where check_no is not null and revoked_at is null and expires_at > (select at from t)
    ),
    pods as (
      select team_id, count(*) as count
      from (
        select c.team_id from token join checks c using (no)
        union all
        select a.team_id from token join asked_work a using (no) where a.kind <> 'run'
      ) one
      group by team_id
    ),
    team (id) as (
      (select team_id from checks where is_isolated and due_at is not null order by team_id limit 1)
      union all
      select next.team_id
      from team cross join lateral (
        select c.team_id from checks c
        where c.is_isolated and c.due_at is not null and c.team_id > team.id
        order by c.team_id
        limit 1
      ) next
    ),
    waiting as (
      select due.*
      from team join team_usage u on u.team_id = team.id
      cross join lateral (
        select c.team_id, c.no, c.due_at
        from checks c ${poolOf(sql.fragment`c.queue`, sql.fragment`(select at from t)`)}
        where c.team_id = team.id and c.is_isolated and c.level <= ${WORK_LEVEL}::smallint
          and c.due_at <= (select at from t)
          and (${IS_PAID} or c.cost <= pool.remaining)
          and not exists (select from token where token.no = c.no)
        order by c.due_at
        limit ${limit}
      ) due
      union all
      select team_id, no, asked_at from (${WAITING_ASKED}) a
      where is_isolated and not exists (select from token where token.no = a.no)
    )
    select no
    from (
      select no, due_at, coalesce(pods.count, 0) + row_number() over (partition by team_id order by due_at, no) as turn
      from waiting left join pods using (team_id)
    ) one
    order by turn, due_at, no
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
