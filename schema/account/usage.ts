import Type, { type Static } from 'typebox'
import { TIERS } from './plan.ts'
import { Choice, Closed, Instant, Nullable } from '../shape/shape.ts'

const Count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) })
const Limit = () => Nullable(Type.Integer({ minimum: 0 }))
const Pool = (description: string) => Closed({ used: Count(), limit: Limit() }, { description })

/** Limits of the team's plan; null: none, or (visual and SERP runs) taken from `runsPerMonth`. */
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

/** What a team has used of its plan. */
export const Usage = Closed({
  monitorsActive: Count('Those that are scheduled, failing ones included.'),
  monitorsLocked: Count(),
  serpMonitorsLocked: Count(),
  llmCallsThisMonth: Count(),
  proxyBytesThisMonth: Count('Beyond the contract: bytes that the proxy has carried, of `limits.proxyBytesPerMonth`.'),
  screenshotBytesThisMonth: Count(
    'Beyond the contract: bytes of pictures stored in the period, of `limits.screenshotBytesPerMonth`.',
  ),
  runs: Pool("The period's runs; a limit of null: none."),
  visualRuns: Nullable(Pool('The pool of a trial.'), { description: 'Null on paid plans: taken from the runs.' }),
  serpRuns: Nullable(Pool('The pool of a trial.'), { description: 'Null on paid plans: taken from the runs.' }),
  serpAllowed: Type.Boolean({ description: 'SERP monitors can run: by the plan, by its trial, or on credits.' }),
  serpViaCredits: Type.Boolean({ description: 'The plan has no SERP: such monitors run only on credits.' }),
  runCredits: Count(),
  serpTrialEndsAt: Nullable(Instant()),
  trialEndsAt: Nullable(Instant('Null on paid plans.')),
  trialActive: Type.Boolean(),
  runsPeriodStart: Instant(),
  runsResetAt: Instant("The end of the period; a trial's is the end of the trial."),
  runsPeriodIsBilling: Type.Boolean({ description: 'The period is that of a subscription.' }),
  tier: Choice(TIERS),
  limits: UsageLimits,
})
export type Usage = Static<typeof Usage>
