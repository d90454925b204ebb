import { sql } from 'slonik'
import type { PlanLimits } from '../../schema/account/plan.ts'
import type { Queryable } from '../db/client.ts'
import { nothing } from '../db/row.ts'

/** Stands in `runs_limit` where a plan has no limit. */
export const NO_LIMIT = '1000000000000000'

/**
 * Opens the pools of a new team. A trial's pools are never renewed; a plan's are each month from now, until a
 * subscription says otherwise.
 */
export async function openUsage(
  tx: Queryable,
  teamId: string,
  limits: PlanLimits,
  kind: 'trial' | 'plan',
): Promise<void> {
  await tx.query(sql.type(nothing)`
    insert into team_usage (team_id, runs_limit, visual_limit, serp_limit, period_start, resets_at)
    values (
      ${teamId}, ${limits.runsPerMonth ?? NO_LIMIT}, ${limits.visualRunsPerMonth}, ${limits.serpRunsPerMonth}, clock(),
      case when ${kind === 'plan'} then clock() + interval '1 month' end
    )`)
}
