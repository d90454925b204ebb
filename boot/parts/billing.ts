import type { BillingProvider } from '../../accounts/billing/provider.ts'
import { stripeBilling } from '../../accounts/billing/stripe.ts'
import { readPrices } from '../../core/plan/read-prices.ts'
import type { Settings } from '../settings/read-config.ts'

/** Returns the payment provider of valid settings; undefined when there is none. */
export function billingOf(config: Settings): BillingProvider | undefined {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_PRICES: text } = config
  const prices = text === undefined ? undefined : readPrices(text)
  if (secretKey === undefined || webhookSecret === undefined || prices === undefined || typeof prices === 'string')
    return undefined
  return stripeBilling({ secretKey, webhookSecret, prices, apiUrl: config.STRIPE_API_URL })
}
