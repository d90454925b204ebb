import { readPrices } from '../../../core/plan/read-prices.ts'
import type { Config } from '../../../schema/config/config.ts'
import type { Issue } from '../../../schema/validation/issue.ts'

const OTHERS = ['STRIPE_WEBHOOK_SECRET', 'STRIPE_PRICES'] as const
type StripeSettings = Pick<Config, 'STRIPE_SECRET_KEY' | 'STRIPE_API_URL' | (typeof OTHERS)[number]>

/** Returns what is wrong with the settings of the payment provider. */
export function stripeIssues(config: StripeSettings): Issue[] {
  const { STRIPE_SECRET_KEY: key, STRIPE_PRICES: text, STRIPE_API_URL: url } = config
  const prices = text === undefined ? null : readPrices(text)
  return [
    ...OTHERS.filter((path) => (config[path] === undefined) !== (key === undefined)).map((path) => ({
      path,
      message: key === undefined ? 'needs STRIPE_SECRET_KEY' : 'is required with STRIPE_SECRET_KEY',
    })),
    ...(typeof prices === 'string' ? [{ path: 'STRIPE_PRICES', message: prices }] : []),
    ...(url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? '')
      ? [{ path: 'STRIPE_API_URL', message: 'must be an http:// or https:// address' }]
      : []),
  ]
}
