import Type, { type Static } from 'typebox'
import { Choice, Closed, Instant, Nullable } from '../shape/shape.ts'
import { TIERS } from './plan.ts'

const Count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) })
const Limit = (description: string) => Nullable(Type.Integer({ minimum: 0 }), { description })
const Pool = (description: string) =>
  Closed({ used: Count(), limit: Limit('Null: there is no limit.') }, { description })

const UsageLimits = Closed({
  runsPerMonth: Limit('Beyond the contract: null means that there is no limit.'),
  visualRunsPerMonth: Limit('Null: such runs are taken from `runsPerMonth`.'),
  serpRunsPerMonth: Limit('Null: such runs are taken from `runsPerMonth`.'),
  serp: Choice(['trial', 'included', 'none']),
  retentionDays: Type.Integer({ minimum: 0 }),
  maxDeliveriesPerMonitor: Type.Integer({ minimum: 0 }),
  llmCallsPerMonth: Limit('Beyond the contract: null means that there is no limit.'),
  proxyBytesPerMonth: Limit('Beyond the contract: null means that there is no limit.'),
  screenshotBytesPerMonth: Limit('Null: there is no limit.'),
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
  runs: Pool('Runs of the period. Beyond the contract: a null limit means that there is none.'),
  visualRuns: Nullable(Pool('Pool of a trial.'), { description: 'Null outside a trial: they are taken from `runs`.' }),
  serpRuns: Nullable(Pool('Pool of a trial.'), { description: 'Null outside a trial: they are taken from `runs`.' }),
  configurationBytes: Pool(
    "Beyond the contract: bytes of the configurations that the team stores now, and the plan's limit of them.",
  ),
  serpProviderPagesThisMonth: Count(
    'Beyond the contract: pages that the paid search provider was asked for in the period. They are no quota.',
  ),
  serpAllowed: Type.Boolean({ description: 'SERP monitors can run: through the plan, its trial, or credits.' }),
  serpViaCredits: Type.Boolean({ description: 'The plan does not include SERP: only credits pay for SERP monitors.' }),
  runCredits: Count(),
  serpTrialEndsAt: Nullable(Instant()),
  trialEndsAt: Nullable(Instant('Null on paid plans.')),
  trialActive: Type.Boolean(),
  runsPeriodStart: Instant(),
  runsResetAt: Instant('End of the period. For a trial: end of the trial.'),
  pace: Closed(
    {
      runsPerDay: Type.Number({ minimum: 0, description: 'Of the scheduled monitors at their intervals.' }),
      usedUpAt: Nullable(Instant(), {
        description: 'When a pool and the credits are used up at this pace. Null: not before `runsResetAt`.',
      }),
    },
    { description: 'Beyond the contract: how fast the scheduled monitors use runs.' },
  ),
  runsPeriodIsBilling: Type.Boolean({ description: 'The period is a billing period of a subscription.' }),
  tier: Choice(TIERS, {
    description:
      "Beyond the contract: `unlimited`, the plan of an installation of one's own. Its limits that are null are none.",
  }),
  limits: UsageLimits,
})
export type Usage = Static<typeof Usage>
