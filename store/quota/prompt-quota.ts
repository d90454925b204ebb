import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { isSamePeriod, limitOf, renewPeriods } from './pool.ts'

const outcome = row({
  taken: Type.Boolean(),
  period: Type.String(),
  /** Null: no limit. */
  limit: Type.Union([Type.Number(), Type.Null()]),
  resets_at: Type.Union([Type.String(), Type.Null()]),
})

/**
 * The result of taking a call of the model: the call is counted in the named period, or the period's calls are used
 * up.
 */
type TakenCall =
  | { readonly kind: 'taken'; readonly period: string }
  | { readonly kind: 'used_up'; readonly limit: number; readonly resetsAt: string | null }

/** Counts one call of the model in the team's quota, in one guarded update, so that the quota is never overspent. */
export async function takeModelCall(store: Queryable, teamId: string): Promise<TakenCall> {
  await renewPeriods(store, teamId)
  const {
    taken,
    period,
    limit,
    resets_at: resetsAt,
  } = await store.one(sql.type(outcome)`
    with own as materialized (
      select u.team_id, u.llm_calls_used, u.period_start, u.resets_at, ${limitOf('llmCallsPerMonth')} as most
      from team_usage u cross join lateral team_limits(u.team_id) l
      where u.team_id = ${teamId}::uuid
      for update of u
    ),
    counted as (
      update team_usage u set llm_calls_used = u.llm_calls_used + 1
      from own where u.team_id = own.team_id and (own.most is null or own.llm_calls_used < own.most)
      returning u.team_id
    )
    select exists (select from counted) as taken, own.period_start::text as period, own.most as limit, own.resets_at
    from own
  `)
  return taken ? { kind: 'taken', period } : { kind: 'used_up', limit: limit ?? 0, resetsAt }
}

/** Refunds a call that got no answer. Only in the period in which it was counted. */
export async function giveBackModelCall(store: Queryable, teamId: string, period: string): Promise<void> {
  await store.query(sql.type(nothing)`
    update team_usage u set llm_calls_used = u.llm_calls_used - 1
    where u.team_id = ${teamId}::uuid and ${isSamePeriod(period)} and u.llm_calls_used > 0
  `)
}
