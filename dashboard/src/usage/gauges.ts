import type { Usage } from '../api/types.ts'

/** How much of something is used, and what stops when all of it is. */
export interface Gauge {
  readonly name: string
  readonly used: number
  /** Null: without a limit. */
  readonly limit: number | null
  readonly unit: 'count' | 'bytes'
  /** What happens when it is used up. */
  readonly stops: string
}

/** Returns what the plan counts, in the order in which people ask for it. */
export function gaugesOf(usage: Usage): readonly Gauge[] {
  const { runs, visualRuns, serpRuns, limits, configurationBytes } = usage
  const wait = usage.runCredits > 0 ? 'Then credits pay for checks.' : 'Then checks wait for the next period.'
  return [
    { name: 'Runs', ...runs, unit: 'count', stops: wait },
    ...(visualRuns ? [{ name: 'Runs with pictures', ...visualRuns, unit: 'count', stops: wait } as const] : []),
    ...(serpRuns ? [{ name: 'Runs of searches', ...serpRuns, unit: 'count', stops: wait } as const] : []),
    {
      name: 'Questions to the model',
      used: usage.llmCallsThisMonth,
      limit: limits.llmCallsPerMonth,
      unit: 'count',
      stops: 'Then runs that read a page by a prompt fail, unless the page is as before.',
    },
    {
      name: 'Through the proxy',
      used: usage.proxyBytesThisMonth,
      limit: limits.proxyBytesPerMonth,
      unit: 'bytes',
      stops: 'Then pages that need the proxy fail.',
    },
    {
      name: 'Pictures',
      used: usage.screenshotBytesThisMonth,
      limit: limits.screenshotBytesPerMonth,
      unit: 'bytes',
      stops: 'Then no more pictures are stored.',
    },
    {
      name: 'Configurations',
      ...configurationBytes,
      unit: 'bytes',
      stops: 'Then no monitor can be made or grow.',
    },
  ]
}

const SIZES = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** Returns an amount in words: `1,204`, or `12.4 MB`. */
export function amountOf(value: number, unit: Gauge['unit']): string {
  if (unit === 'count') return value.toLocaleString('en')
  const step = value < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log10(value) / 3))
  return `${short.format(value / 1_000 ** step)} ${SIZES[step]}`
}

/** Returns which part is used, from 0 to 1. Null: without a limit. */
export const shareOf = ({ used, limit }: Pick<Gauge, 'used' | 'limit'>): number | null =>
  limit === null ? null : limit === 0 ? (used > 0 ? 1 : 0) : Math.min(1, used / limit)
