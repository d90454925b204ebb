import { sql } from 'slonik'
import type { Queryable } from '../db/client.ts'
import { nothing } from '../db/row.ts'

/**
 * Creates the pools of a new team, with the sizes of its limits. The pools of a trial are never renewed. Those of a
 * plan are renewed each month from now, until a subscription changes that.
 */
export async function openUsage(tx: Queryable, teamId: string, kind: 'trial' | 'plan'): Promise<void> {
  await tx.query(sql.type(nothing)`
    insert into team_usage (team_id, runs_limit, visual_limit, serp_limit, period_start, anchor_at, resets_at)
    select ${teamId}::uuid, p.runs_limit, p.visual_limit, p.serp_limit, clock(), clock(),
      case when ${kind === 'plan'} then (clock() at time zone 'UTC' + interval '1 month') at time zone 'UTC' end
    from team_pools(${teamId}::uuid) p`)
}
