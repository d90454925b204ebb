import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import type { UsedUp } from '../monitors/monitor-run-now.ts'
import { IS_ASKING } from '../queue/asked.ts'
import { giveBack } from '../quota/give-back.ts'
import { CREDITS_ONLY_RESET, type Pool, poolOf, renewPeriods, RESERVE, TRIAL_OVER } from '../quota/pool.ts'

/** Work that somebody asked for, as the process has it that was asked. */
export interface AskedWork {
  readonly id: string
  readonly no: number
  readonly teamId: string
}

interface Wanted {
  readonly kind: string
  readonly teamId: string
  /** `visual` and `serp` pay where the team has a separate pool of that kind. */
  readonly pool: Pool
  /** In runs. */
  readonly cost: number
}

/** The work is paid, the quota is used up, or the trial has ended, after which credits pay for nothing either. */
type Asked =
  | { readonly kind: 'asked'; readonly work: AskedWork }
  | { readonly kind: 'used_up'; readonly quota: UsedUp; readonly needs: number }
  | { readonly kind: 'trial_over' }

const Null = Type.Null()
const outcome = row({
  id: Type.Union([Type.String(), Null]),
  no: Type.Union([Type.Integer(), Null]),
  used: Type.Number(),
  /** Null: no limit. */
  limit: Type.Union([Type.Number(), Null]),
  resets_at: Type.Union([Type.String(), Null]),
  credits: Type.Number(),
  is_over: Type.Boolean(),
})

/** The process that was asked has ended long before, whatever it did. */
const LONGEST_SECONDS = 600

/**
 * Takes what the work costs from the team's quota, first from the pool, then from the credits, and writes both down in
 * one guarded statement, so that neither is overspent. `endWork` ends it.
 */
export async function askWork(store: Queryable, { kind, teamId, pool, cost }: Wanted): Promise<Asked> {
  await renewPeriods(store, teamId)
  const { id, no, used, limit, resets_at, credits, is_over } = await store.one(sql.type(outcome)`
    with own as materialized (
      select u.team_id, u.credits, u.resets_at, u.period_start, ${TRIAL_OVER} as is_over, ${cost}::bigint as cost,
        pool.*
      from team_usage u ${poolOf(sql.fragment`${pool}`)}
      where u.team_id = ${teamId}::uuid
      for update of u
    ),
    reserved as (${RESERVE}),
    asked as (
      insert into asked_work (no, kind, team_id, deadline_at, pool, from_pool, credits, period)
      select nextval(pg_get_serial_sequence('monitors', 'no')), ${kind}, own.team_id,
        clock() + make_interval(secs => ${LONGEST_SECONDS}), own.kind, least(own.cost, own.room),
        greatest(own.cost - own.room, 0), own.period_start
      from own join reserved using (team_id)
      returning id, no
    )
    select asked.id, asked.no, own.used, own.most as limit, own.credits, own.is_over, ${CREDITS_ONLY_RESET} as resets_at
    from own left join asked on true
  `)
  if (is_over) return { kind: 'trial_over' }
  if (id !== null && no !== null) return { kind: 'asked', work: { id, no, teamId } }
  return { kind: 'used_up', needs: cost, quota: { used, limit: limit ?? used, resets_at, credits_remaining: credits } }
}

/** Ends the work. Unless it was done, what paid for it is given back, once. */
export async function endWork(store: Queryable, { id }: AskedWork, isDone: boolean): Promise<void> {
  if (isDone) await store.query(sql.type(nothing)`delete from asked_work where id = ${id}::uuid`)
  else await undone(store, sql.fragment`a.id = ${id}::uuid`)
}

/**
 * Ends the work of processes that ended before they could end it, and returns how much there was. Forgets the payments
 * of runs that have ended: who gives one back does so when it ends the run.
 */
export async function sweepAsked(store: Queryable): Promise<number> {
  await store.query(sql.type(nothing)`
    delete from asked_work a where a.kind = 'run' and not exists (
      select from checks c where c.no = a.no and a.id in (c.run_id, c.queued_run_id))`)
  return undone(store, sql.fragment`(a.deadline_at < clock() - interval '10 seconds' and not ${IS_ASKING})`)
}

const counted = row({ count: Type.Integer() })

/**
 * Gives back what paid for the work that `which` selects, and deletes it. A search that a runner makes goes on without
 * a payment, so that its exit stays taken and a refusal counts.
 */
const undone = (store: Queryable, which: ReturnType<typeof sql.fragment>): Promise<number> =>
  store.oneFirst(sql.type(counted)`
    -- The quota first, as whatever ends a team locks both.
    with team as materialized (
      select u.team_id, u.period_start from team_usage u
      where u.team_id in (select a.team_id from asked_work a where ${which})
      order by u.team_id
      for update of u
    ),
    -- An answer may have come, or a runner, while the locks were waited for.
    own as materialized (
      select a.id, a.team_id, a.pool, a.from_pool, a.credits, a.period, ${IS_ASKING} as is_asking
      from asked_work a join team using (team_id)
      where ${which}
      order by a.id
      for update of a
    ),
    left_on as (
      update asked_work a set deadline_at = least(a.deadline_at, clock()), pool = null
      from own where a.id = own.id and own.is_asking
    ),
    given_back as (
      ${giveBack(sql.fragment`select * from own where pool is not null`, sql.fragment`team`)}
    ),
    ended as (delete from asked_work a using own where a.id = own.id and not own.is_asking returning a.id)
    select count(*)::int as count from ended
  `)
