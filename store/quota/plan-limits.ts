import Type from 'typebox'
import { sql } from 'slonik'
import type { PlanLimits, Tier } from '../../schema/account/plan.ts'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'

/** Selects a limit of `l`, a row of `team_limits(…)`. Null: no limit. */
export const limitOf = (name: keyof PlanLimits) => sql.fragment`(l.limits->>${sql.literalValue(name)})::bigint`

/** Days of a team's retention window, from `l`. Every plan has this limit. */
const RETENTION_DAYS = sql.fragment`${limitOf('retentionDays')}::int`

/** The instant before which runs, deliveries and audit events are hidden, from `l`. */
export const CUTOFF = sql.fragment`clock() - make_interval(days => ${RETENTION_DAYS})`

/** Returns that instant for one team, as a scalar subquery. */
export const retentionCutoff = (teamId: string) => sql.fragment`
  (select ${CUTOFF} from team_limits(${teamId}::uuid) l)`

/** The plan's window as columns of `l`: `tier`, `retention_days`, `cutoff_at`. */
export const RETENTION_COLUMNS = sql.fragment`l.tier, ${RETENTION_DAYS} as retention_days, ${CUTOFF} as cutoff_at`
export const retentionProperties = {
  tier: Type.Unsafe<Tier>({}),
  retention_days: Type.Integer(),
  cutoff_at: Type.String(),
}

const cap = row({ tier: Type.Unsafe<Tier>({}), deliveries: Type.Integer() })

/** Returns how many deliveries one monitor of the team may have. Every plan has this limit. */
export async function findDeliveryCap(store: Queryable, teamId: string) {
  return store.one(sql.type(cap)`
    select l.tier, ${limitOf('maxDeliveriesPerMonitor')} as deliveries from team_limits(${teamId}::uuid) l
  `)
}
