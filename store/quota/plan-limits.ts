import Type from 'typebox'
import { sql } from 'slonik'
import { PLANS, type Tier, TIERS } from '../../schema/account/plan.ts'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'

/** A limit of the plan of the team in `teams t`, with the team's own override. Null: no limit. */
function planLimit(name: 'retentionDays' | 'maxDeliveriesPerMonitor') {
  const arms = TIERS.map((tier) => sql.fragment`when ${tier} then ${PLANS[tier][name]}::int`)
  return sql.fragment`coalesce((t.limits->>${name})::int, case t.tier ${sql.join(arms, sql.fragment` `)} end)`
}

/** Days that a team's window has, of `teams t`. */
export const RETENTION_DAYS = planLimit('retentionDays')

/** The instant before which runs, deliveries and audit events of a team are hidden, as a scalar subquery. */
export const retentionCutoff = (teamId: string) => sql.fragment`
  (select clock() - make_interval(days => ${RETENTION_DAYS}) from teams t where t.id = ${teamId}::uuid)`

/** The plan's window as columns of `teams t`: `tier`, `retention_days`, `cutoff_at`. */
export const RETENTION_COLUMNS = sql.fragment`
  t.tier, ${RETENTION_DAYS} as retention_days, clock() - make_interval(days => ${RETENTION_DAYS}) as cutoff_at`
export const retentionProperties = {
  tier: Type.Unsafe<Tier>({}),
  retention_days: Type.Integer(),
  cutoff_at: Type.String(),
}

const cap = row({ tier: Type.Unsafe<Tier>({}), deliveries: Type.Integer() })

/** How many deliveries one monitor of the team may have. */
export async function findDeliveryCap(store: Queryable, teamId: string) {
  return store.one(sql.type(cap)`
    select t.tier, ${planLimit('maxDeliveriesPerMonitor')} as deliveries from teams t where t.id = ${teamId}::uuid
  `)
}
