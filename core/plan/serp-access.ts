import type { Tier } from '../../schema/account/plan.ts'

/** Whether a plan has SERP monitors: as part of the trial, included, or not (then they run on credits). */
export type SerpAccess = 'trial' | 'included' | 'none'

/**
 * Returns `limits.serp` of the usage summary. `withSerp`: the account has the variant of its plan with SERP. The plan
 * without limits always has it.
 */
export function serpAccess(tier: Tier, withSerp: boolean): SerpAccess {
  if (tier === 'free') return 'trial'
  return withSerp || tier === 'unlimited' ? 'included' : 'none'
}
