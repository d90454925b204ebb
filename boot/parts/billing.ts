import type { BillingProvider } from '../../accounts/billing/provider.ts'
import { stripeBilling } from '../../accounts/billing/stripe.ts'
import { readPrices } from '../../core/plan/read-prices.ts'
import type { Settings } from '../settings/read-config.ts'

/** Returns the payment provider of valid settings; undefined when there is none. */
export function billingOf(config: Settings): BillingProvider | undefined {
  const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_PRICES: text } = config
  const prices = text === undefined ? undefined : readPrices(text)
  if (STRIPE_SECRET_KEY === undefined || STRIPE_WEBHOOK_SECRET === undefined) return undefined
  if (prices === undefined || typeof prices === 'string') return undefined
  return stripeBilling({
    secretKey: () => config.STRIPE_SECRET_KEY ?? STRIPE_SECRET_KEY,
    webhookSecret: () => config.STRIPE_WEBHOOK_SECRET ?? STRIPE_WEBHOOK_SECRET,
    prices,
    apiUrl: config.STRIPE_API_URL,
  })
}
