import { PLANS, type PlanLimits, type Tier } from '../schema/account/plan.ts'

/** What an installation sets otherwise: limits by tier; null lifts a limit, an absent one stays as the plan has it. */
type PlanOverrides = { readonly [T in Tier]?: Partial<PlanLimits> | undefined }

/** The limits of a tier in this installation. */
export function limitsOf(tier: Tier, overrides: PlanOverrides = {}): PlanLimits {
  return { ...PLANS[tier], ...overrides[tier] }
}

/** Whether a plan has SERP monitors: as part of the trial, included, or not (then they run on credits). */
export type SerpAccess = 'trial' | 'included' | 'none'

/** `limits.serp` of the usage summary. `withSerp`: the account has the variant of its plan with SERP. */
export function serpAccess(tier: Tier, withSerp: boolean): SerpAccess {
  if (tier === 'free') return 'trial'
  return withSerp ? 'included' : 'none'
}
