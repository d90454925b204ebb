import Type, { type Static } from 'typebox'
import { Choice, Closed, Instant, Nullable, Text, Whole } from '../shape/shape.ts'
import { TIERS } from './plan.ts'

/** The plans that people buy. `free` is the trial, and the operator of an installation gives `unlimited`. */
export const SOLD_TIERS = ['lite', 'starter', 'pro', 'scale'] as const
export type SoldTier = (typeof SOLD_TIERS)[number]

/**
 * The statuses of a subscription, as Stripe names them, and whether the plan holds in each of them. While Stripe tries
 * a failed payment again (`past_due`), the plan stays.
 */
export const SUBSCRIPTION_STATUSES = {
  trialing: true,
  active: true,
  past_due: true,
  incomplete: false,
  incomplete_expired: false,
  unpaid: false,
  paused: false,
  canceled: false,
} as const
export type SubscriptionStatus = keyof typeof SUBSCRIPTION_STATUSES

/** Who decides on plans: the installation's administrator, or payments. */
const BILLING_PROVIDERS = ['manual', 'stripe'] as const

const Serp = (description: string) => Type.Boolean({ description })
const MAX_RUNS = 999_999_999

/** Response of `GET /v1/billing`. */
export const Billing = Closed({
  provider: Choice(BILLING_PROVIDERS, {
    description: "`manual`: the installation's administrator sets plans, and nothing can be bought here.",
  }),
  tier: Choice(TIERS),
  serp: Choice(['trial', 'included', 'none']),
  subscription: Nullable(
    Closed({
      status: Choice(Object.keys(SUBSCRIPTION_STATUSES) as readonly SubscriptionStatus[]),
      period_ends_at: Instant('When it is renewed, or ends.'),
      cancel_at_period_end: Type.Boolean({ description: 'It ends then, and is not renewed.' }),
    }),
    { description: 'The latest subscription of the team.' },
  ),
  run_credits: Type.Integer({ minimum: 0 }),
  plans: Type.Array(Closed({ plan: Choice(SOLD_TIERS), serp: Serp('The variant with SERP.') }), {
    description: 'Plans that can be bought.',
  }),
  credit_packs: Type.Array(Type.Integer({ minimum: 1 }), { description: 'Numbers of run credits that can be bought.' }),
})
export type Billing = Static<typeof Billing>

/** Body of `POST /v1/billing/checkout`. */
export const PlanCheckout = Closed({
  plan: Choice(SOLD_TIERS),
  serp: Type.Optional(Type.Boolean({ default: false, description: 'The variant with SERP.' })),
})
export type PlanCheckout = Static<typeof PlanCheckout>

/** Body of `POST /v1/billing/credits`. */
export const CreditCheckout = Closed({ runs: Whole(1, MAX_RUNS, { description: 'One of `credit_packs`.' }) })

/** Response of the operations that send the owner to a page of the payment provider. */
export const PaymentPage = Closed({ url: Text(1, 8192, 'Page of the payment provider, to open in a browser.') })
export type PaymentPage = Static<typeof PaymentPage>

const PriceIds = Type.Optional(
  Type.String({ pattern: '^price_\\w+(, ?price_\\w+)*$', maxLength: 2000, description: 'The first one is sold.' }),
)

/** The content of STRIPE_PRICES: for each plan, and its variant with SERP, the ids of its prices. */
export const StripePrices = Closed({
  ...({
    lite: PriceIds,
    lite_serp: PriceIds,
    starter: PriceIds,
    starter_serp: PriceIds,
    pro: PriceIds,
    pro_serp: PriceIds,
    scale: PriceIds,
    scale_serp: PriceIds,
  } satisfies Record<SoldTier | `${SoldTier}_serp`, unknown>),
  credits: Type.Optional(
    Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      propertyNames: { pattern: '^[1-9][0-9]{0,8}$' },
      additionalProperties: { type: 'string', pattern: '^price_\\w+$', maxLength: 200 },
      maxProperties: 50,
      description: 'For each pack, the number of runs and the id of its price.',
    }),
  ),
})
export type StripePrices = Static<typeof StripePrices>
