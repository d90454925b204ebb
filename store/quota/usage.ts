import { sql } from 'slonik'
import type { Queryable } from '../db/client.ts'
import { nothing } from '../db/row.ts'

/**
 * Opens the pools of a new team, as large as its limits say. A trial's pools are never renewed; a plan's are each
 * month from now, until a subscription says otherwise.
 */
export async function openUsage(tx: Queryable, teamId: string, kind: 'trial' | 'plan'): Promise<void> {
  await tx.query(sql.type(nothing)`
    insert into team_usage (team_id, runs_limit, visual_limit, serp_limit, period_start, resets_at)
    select ${teamId}::uuid, p.runs_limit, p.visual_limit, p.serp_limit, clock(),
      case when ${kind === 'plan'} then clock() + interval '1 month' end
    from team_pools(${teamId}::uuid) p`)
}
