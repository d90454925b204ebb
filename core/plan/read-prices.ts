import { SOLD_TIERS, type SoldTier, StripePrices } from '../../schema/account/billing.ts'
import { checkerOf } from '../../schema/validation/validate.ts'

/** What is sold, in the order of the plans, and at which prices of the payment provider. */
export interface Prices {
  readonly plans: readonly {
    readonly tier: SoldTier
    readonly serp: boolean
    /** The first is sold; the others are those of earlier buyers. */
    readonly ids: readonly [string, ...string[]]
  }[]
  /** By the number of runs. */
  readonly credits: readonly { readonly runs: number; readonly price: string }[]
}

/** Reads STRIPE_PRICES. Returns a sentence when it is wrong. */
export function readPrices(text: string): Prices | string {
  const value = parsed(text)
  if (value === undefined) return 'must be JSON, as in {"pro":"price_1abc","credits":{"5000":"price_2def"}}'
  const checked = checkerOf(StripePrices).validate(value)
  if (!checked.ok) return checked.issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ')
  const given = checked.value
  const plans = SOLD_TIERS.flatMap((tier) =>
    [false, true].flatMap((serp) => {
      const [first, ...others] = (given[serp ? (`${tier}_serp` as const) : tier] ?? '').split(/, ?/)
      return first ? [{ tier, serp, ids: [first, ...others] as const }] : []
    }),
  )
  const credits = Object.entries(given.credits ?? {})
    .map(([runs, price]) => ({ runs: Number(runs), price }))
    .sort((a, b) => a.runs - b.runs)
  const ids = [...plans.flatMap((plan) => plan.ids), ...credits.map(({ price }) => price)]
  const twice = ids.find((id, at) => ids.indexOf(id) < at)
  if (twice !== undefined) return `has the price ${twice} twice`
  return ids.length === 0 ? 'has no price' : { plans, credits }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
