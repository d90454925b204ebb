import { sql } from 'slonik'
import Type from 'typebox'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Transaction } from '../db/client.ts'
import { row } from '../db/row.ts'
import { CREDITS_ONLY_RESET, poolOf, RESERVE, TRIAL_OVER } from '../quota/pool.ts'
import { lockUsage } from '../quota/usage.ts'
import { isMonitor } from './is-monitor.ts'

const Null = Type.Null()
const outcome = row({
  name: Type.String(),
  locked: Type.Boolean(),
  waiting_run_id: Type.Union([Type.String(), Null]),
  new_run_id: Type.Union([Type.String(), Null]),
  used: Type.Union([Type.Number(), Null]),
  limit: Type.Union([Type.Number(), Null]),
  resets_at: Type.Union([Type.String(), Null]),
  credits: Type.Union([Type.Number(), Null]),
  cost: Type.Union([Type.Number(), Null]),
})

/** The result of a request for a run. */
type RunNow =
  | { readonly kind: 'missing' }
  | { readonly kind: 'locked' }
  /** `isNew` is false when a run was already waiting; that run is returned. */
  | { readonly kind: 'queued'; readonly runId: string; readonly name: string; readonly isNew: boolean }
  /** `needs`: the runs that it costs. */
  | { readonly kind: 'used_up'; readonly quota: UsedUp; readonly needs: number }

/** The one element of the `details` of RUN_LIMIT_REACHED. */
export interface UsedUp {
  readonly used: number
  readonly limit: number
  /** Null: this pool is never renewed, and only credits can pay. */
  readonly resets_at: string | null
  readonly credits_remaining: number
}

/**
 * Queues a run of a monitor, paused or not, and takes its cost from the team's quota: first from the pool, then from
 * the credits. One guarded statement does it, so that neither is overspent. A monitor has at most one waiting run.
 */
export async function runNow(tx: Transaction, teamId: string, id: string, kind: MonitorKind): Promise<RunNow> {
  await lockUsage(tx, teamId)
  const found = await tx.maybeOne(sql.type(outcome)`
    with t as (select clock() as at),
    target as materialized (
      select m.no, m.team_id, m.name, m.locked or ${TRIAL_OVER} as locked, c.queue, c.cost, c.queued_run_id
      from monitors m join checks c on c.no = m.no join team_usage u on u.team_id = m.team_id
      where ${isMonitor(teamId, id, kind)}
      for update of c
    ),
    own as materialized (
      select u.team_id, u.credits, u.resets_at, u.period_start, target.cost::bigint as cost, pool.*
      from target join team_usage u on u.team_id = target.team_id ${poolOf(sql.fragment`target.queue`)}
      where not target.locked and target.queued_run_id is null
      for update of u
    ),
    reserved as (${RESERVE}),
    queued as (
      update checks c
      set queued_run_id = new_run_id(t.at, c.no),
        -- For processes of the version before. The payment of a run that is under way stays.
        credits_paid = case when c.run_id is null then greatest(own.cost - own.room, 0) else c.credits_paid end,
        due_at = case when c.run_id is null then least(c.due_at, t.at) else c.due_at end
      from t, target, own, reserved
      where c.no = target.no
      returning c.no, c.queued_run_id
    ),
    asked as (
      insert into asked_work (id, no, kind, team_id, pool, from_pool, credits, period)
      select queued.queued_run_id, queued.no, 'run', own.team_id, own.kind, least(own.cost, own.room),
        greatest(own.cost - own.room, 0), own.period_start
      from queued, own
    )
    select target.name, target.locked, target.queued_run_id as waiting_run_id, queued.queued_run_id as new_run_id,
      own.used, own.most as limit, own.credits, own.cost,
      ${CREDITS_ONLY_RESET} as resets_at
    from target left join queued on true left join own on true
  `)
  if (!found) return { kind: 'missing' }
  if (found.locked) return { kind: 'locked' }
  const runId = found.waiting_run_id ?? found.new_run_id
  if (runId !== null) return { kind: 'queued', runId, name: found.name, isNew: found.waiting_run_id === null }
  const { used, limit, resets_at, credits, cost } = found
  const quota = { used: used ?? 0, limit: limit ?? 0, resets_at, credits_remaining: credits ?? 0 }
  return { kind: 'used_up', quota, needs: cost ?? 1 }
}
