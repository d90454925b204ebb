import { PLANS, type PlanLimits, type Tier } from '../schema/account/plan.ts'

/** Limits that an installation overrides, by tier. Null removes a limit; an absent one stays as in the plan. */
type PlanOverrides = { readonly [T in Tier]?: Partial<PlanLimits> | undefined }

/** Returns the limits of a tier in this installation. */
export function limitsOf(tier: Tier, overrides: PlanOverrides = {}): PlanLimits {
  return { ...PLANS[tier], ...overrides[tier] }
}

/** Whether a plan has SERP monitors: as part of the trial, included, or not (then they run on credits). */
export type SerpAccess = 'trial' | 'included' | 'none'

/** Returns `limits.serp` of the usage summary. `withSerp`: the account has the variant of its plan with SERP. */
export function serpAccess(tier: Tier, withSerp: boolean): SerpAccess {
  if (tier === 'free') return 'trial'
  return withSerp ? 'included' : 'none'
}
