import Type, { type Static, type TSchema } from 'typebox'
import { Closed, Nullable } from '../shape/shape.ts'

/** What 100,000 monitors of ordinary size, 4 KiB each, need. */
const CONFIGURATION_BYTES = 409_600_000

/**
 * The plans. Null: no limit. For visual and SERP runs, null means that they are taken from `runsPerMonth`. Only the
 * free plan has trial pools, which count visual and SERP runs separately. On the other plans every check is taken from
 * `runsPerMonth`. The plan `unlimited` is not one that people choose: the operator of an installation gives it. This is
 * the only definition of the plans: each migration writes them into the store (store/quota/sync-plans.ts), where
 * statements read them.
 */
export const PLANS = {
  free: {
    runsPerMonth: 200,
    visualRunsPerMonth: 100,
    serpRunsPerMonth: 100,
    retentionDays: 14,
    maxDeliveriesPerMonitor: 1,
    llmCallsPerMonth: 50,
    proxyBytesPerMonth: 0,
    maxTeamMembers: 2,
    screenshotBytesPerMonth: 209_715_200,
    configurationBytes: CONFIGURATION_BYTES,
  },
  lite: {
    runsPerMonth: 1_000,
    visualRunsPerMonth: null,
    serpRunsPerMonth: null,
    retentionDays: 90,
    maxDeliveriesPerMonitor: 2,
    llmCallsPerMonth: 250,
    proxyBytesPerMonth: 0,
    maxTeamMembers: 2,
    screenshotBytesPerMonth: null,
    configurationBytes: CONFIGURATION_BYTES,
  },
  starter: {
    runsPerMonth: 5_000,
    visualRunsPerMonth: null,
    serpRunsPerMonth: null,
    retentionDays: 180,
    maxDeliveriesPerMonitor: 3,
    llmCallsPerMonth: 500,
    proxyBytesPerMonth: 52_428_800,
    maxTeamMembers: 3,
    screenshotBytesPerMonth: null,
    configurationBytes: CONFIGURATION_BYTES,
  },
  pro: {
    runsPerMonth: 15_000,
    visualRunsPerMonth: null,
    serpRunsPerMonth: null,
    retentionDays: 365,
    maxDeliveriesPerMonitor: 10,
    llmCallsPerMonth: 5_000,
    proxyBytesPerMonth: 524_288_000,
    maxTeamMembers: 10,
    screenshotBytesPerMonth: null,
    configurationBytes: CONFIGURATION_BYTES,
  },
  scale: {
    runsPerMonth: 100_000,
    visualRunsPerMonth: null,
    serpRunsPerMonth: null,
    retentionDays: 730,
    maxDeliveriesPerMonitor: 25,
    llmCallsPerMonth: 25_000,
    proxyBytesPerMonth: 5_368_709_120,
    maxTeamMembers: 25,
    screenshotBytesPerMonth: null,
    configurationBytes: CONFIGURATION_BYTES,
  },
  /** For people who run their own installation. Its machine is the limit. */
  unlimited: {
    runsPerMonth: null,
    visualRunsPerMonth: null,
    serpRunsPerMonth: null,
    retentionDays: 730,
    maxDeliveriesPerMonitor: 25,
    llmCallsPerMonth: null,
    proxyBytesPerMonth: null,
    maxTeamMembers: null,
    screenshotBytesPerMonth: null,
    configurationBytes: null,
  },
} as const
export type Tier = keyof typeof PLANS
/** The plan of an installation's first owner, and of the accounts that its operator creates without naming a plan. */
export const OWNER_PLAN: Tier = 'unlimited'
export const TIERS = Object.keys(PLANS) as readonly Tier[]

/** Limits of a plan. Null: no limit. */
export type PlanLimits = { readonly [K in keyof (typeof PLANS)['free']]: number | null } & {
  readonly retentionDays: number
  readonly maxDeliveriesPerMonitor: number
}

const Count = (minimum = 0, maximum = Number.MAX_SAFE_INTEGER) => Type.Integer({ minimum, maximum })
const CountOrNone = () => Nullable(Count())
const overrides = Closed({
  runsPerMonth: Type.Optional(CountOrNone()),
  visualRunsPerMonth: Type.Optional(CountOrNone()),
  serpRunsPerMonth: Type.Optional(CountOrNone()),
  retentionDays: Type.Optional(Count(1, 36_500)),
  maxDeliveriesPerMonitor: Type.Optional(Count(0, 25)),
  llmCallsPerMonth: Type.Optional(CountOrNone()),
  proxyBytesPerMonth: Type.Optional(CountOrNone()),
  maxTeamMembers: Type.Optional(Nullable(Count(1))),
  screenshotBytesPerMonth: Type.Optional(CountOrNone()),
  configurationBytes: Type.Optional(CountOrNone()),
} satisfies Record<keyof PlanLimits, TSchema>)

/** The content of TIDEMARK_PLANS_FILE: for each plan, the limits that differ from `PLANS`. Null: no limit. */
export const PlansFile = Closed({
  free: Type.Optional(overrides),
  lite: Type.Optional(overrides),
  starter: Type.Optional(overrides),
  pro: Type.Optional(overrides),
  scale: Type.Optional(overrides),
  unlimited: Type.Optional(overrides),
} satisfies Record<Tier, TSchema>)
export type PlansFile = Static<typeof PlansFile>

/** Days of a new account's free trial. */
export const TRIAL_DAYS = 14
