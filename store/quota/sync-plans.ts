import type pg from 'pg'
import { PLANS, type PlansFile, TIERS } from '../../schema/account/plan.ts'

/**
 * Writes the plans into the store, where statements read them, with the limits that differ in this installation. A
 * changed plan changes the pools of every team on it. A tier that this program does not know is kept, because a team
 * may be on it. `overrides` null: the caller does not know them, so existing plans stay as they are.
 */
export async function syncPlans(client: pg.Client, overrides: PlansFile | null): Promise<void> {
  const plans = Object.fromEntries(TIERS.map((tier) => [tier, { ...PLANS[tier], ...overrides?.[tier] }]))
  await client.query(
    `insert into plans (tier, limits)
     select key, value from jsonb_each($1::jsonb)
     on conflict (tier) do update set limits = excluded.limits
     where $2 and plans.limits is distinct from excluded.limits`,
    [JSON.stringify(plans), overrides !== null],
  )
}
