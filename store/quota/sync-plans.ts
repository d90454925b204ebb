import type pg from 'pg'
import { PLANS } from '../../schema/account/plan.ts'

/**
 * Writes the plans into the store, where statements read them. A changed plan changes the pools of every team on it. A
 * tier that this program does not know is kept, because a team may be on it.
 */
export async function syncPlans(client: pg.Client): Promise<void> {
  await client.query(
    `insert into plans (tier, limits)
     select key, value from jsonb_each($1::jsonb)
     on conflict (tier) do update set limits = excluded.limits
     where plans.limits is distinct from excluded.limits`,
    [JSON.stringify(PLANS)],
  )
}
