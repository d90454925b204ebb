import Type, { type Static } from 'typebox'
import { TIERS } from './plan.ts'
import { Choice, Closed, Instant, Nullable } from '../shape/shape.ts'

const Count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) })
const Limit = () => Nullable(Type.Integer({ minimum: 0 }))
const Pool = (description: string) => Closed({ used: Count(), limit: Limit() }, { description })

/** Limits of the team's plan. Null: no limit, or (visual and SERP runs) taken from `runsPerMonth`. */
const UsageLimits = Closed({
  runsPerMonth: Limit(),
  visualRunsPerMonth: Limit(),
  serpRunsPerMonth: Limit(),
  serp: Choice(['trial', 'included', 'none']),
  retentionDays: Type.Integer({ minimum: 0 }),
  maxDeliveriesPerMonitor: Type.Integer({ minimum: 0 }),
  llmCallsPerMonth: Limit(),
  proxyBytesPerMonth: Limit(),
  screenshotBytesPerMonth: Limit(),
})
type UsageLimits = Static<typeof UsageLimits>

/** A team's usage of its plan. */
export const Usage = Closed({
  monitorsActive: Count('Monitors that are scheduled, including failing ones.'),
  monitorsLocked: Count(),
  serpMonitorsLocked: Count(),
  llmCallsThisMonth: Count(),
  proxyBytesThisMonth: Count(
    'Beyond the contract: bytes transferred through the proxy, out of `limits.proxyBytesPerMonth`.',
  ),
  screenshotBytesThisMonth: Count(
    'Beyond the contract: bytes of pictures stored in the period, out of `limits.screenshotBytesPerMonth`.',
  ),
  runs: Pool('Runs of the period. A null limit means no limit.'),
  visualRuns: Nullable(Pool('Pool of a trial.'), { description: 'Null on paid plans: they are taken from `runs`.' }),
  serpRuns: Nullable(Pool('Pool of a trial.'), { description: 'Null on paid plans: they are taken from `runs`.' }),
  serpAllowed: Type.Boolean({ description: 'SERP monitors can run: through the plan, its trial, or credits.' }),
  serpViaCredits: Type.Boolean({ description: 'The plan does not include SERP: only credits pay for SERP monitors.' }),
  runCredits: Count(),
  serpTrialEndsAt: Nullable(Instant()),
  trialEndsAt: Nullable(Instant('Null on paid plans.')),
  trialActive: Type.Boolean(),
  runsPeriodStart: Instant(),
  runsResetAt: Instant('End of the period. For a trial: end of the trial.'),
  runsPeriodIsBilling: Type.Boolean({ description: 'The period is a billing period of a subscription.' }),
  tier: Choice(TIERS),
  limits: UsageLimits,
})
export type Usage = Static<typeof Usage>
