import type { Tier } from '../../schema/account/plan.ts'
import type { SerpAccess } from '../plan/serp-access.ts'

/**
 * What a team's plan lets run. A monitor that it does not let run is locked, and shows as `billing_paused`.
 *
 *     standing     holds                                    pages    searches
 *     trial        tier free, before trial_ends_at          run      run
 *     trial_over   tier free, from trial_ends_at on         locked   locked, whatever credits are left
 *     plan         another tier, with SERP                  run      run
 *                  another tier, without SERP               run      run while there are credits, else locked
 *
 *     event                    to           what happens
 *     the trial ends           trial_over   schedules stop; settings, history and credits are kept; what is queued or
 *                                           under way ends as a run
 *     a plan is chosen         plan         what is unlocked is due at once; a period of a month begins
 *     another plan is chosen   plan         the period and what was used in it stay; pools get the new sizes, and
 *                                           checks that rested for want of runs are due at once
 *     SERP leaves the plan     plan         searches go on with credits; without any they are locked
 *     credits run out          the same     searches without SERP in the plan are locked; other checks wait for the
 *                                           next period
 *     credits are bought       the same     searches are unlocked and due at once, but for trial_over
 *
 * A pause is independent of the lock: what a person paused is paused after the lock too. A locked monitor can be edited
 * and deleted, but not paused, resumed or run. A monitor with more deliveries than the plan allows keeps them and runs;
 * it is edited only when the edit reduces them. `fit_locks` (000007-quota.sql) applies the table.
 */
type Standing = 'trial' | 'trial_over' | 'plan'

/** What the table asks about a team. */
interface PlanFacts {
  readonly tier: Tier
  readonly serp: SerpAccess
  /** The trial has not ended. */
  readonly trialActive: boolean
  readonly credits: number
}

const standingOf = ({ tier, trialActive }: PlanFacts): Standing =>
  tier === 'free' ? (trialActive ? 'trial' : 'trial_over') : 'plan'

/** Returns which monitors run. */
export function allowedBy(facts: PlanFacts): { readonly pages: boolean; readonly searches: boolean } {
  switch (standingOf(facts)) {
    case 'trial':
      return { pages: true, searches: true }
    case 'trial_over':
      return { pages: false, searches: false }
    case 'plan':
      return { pages: true, searches: facts.serp !== 'none' || facts.credits > 0 }
  }
}
