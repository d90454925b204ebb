import type { UsageDays } from '../api/types.ts'
import type { Gauge } from './gauges.ts'

type Day = UsageDays['data'][number]

/** What may be shown by day: its words, its unit, and how much of it a day has. */
export const MEASURES = {
  runs: ['Runs', 'count', (day: Day) => day.runs + day.visual_runs + day.serp_runs + day.credit_runs],
  model: ['Model', 'count', (day: Day) => day.llm_calls],
  pictures: ['Pictures', 'bytes', (day: Day) => day.picture_bytes],
  proxy: ['Proxy', 'bytes', (day: Day) => day.proxy_bytes],
} as const satisfies Readonly<
  Record<string, readonly [words: string, unit: Gauge['unit'], amount: (day: Day) => number]>
>
export type Measure = keyof typeof MEASURES

export const isMeasure = (name: string): name is Measure => Object.hasOwn(MEASURES, name)

/** A day, with how much was used of what is shown. */
interface DayBar {
  readonly day: string
  readonly amount: number
  /** Of the day that has most, from 0 to 1. */
  readonly share: number
}

/** Returns a bar for each day, the oldest first. */
export function barsOf(days: readonly Day[], measure: Measure): readonly DayBar[] {
  const [, , amountOn] = MEASURES[measure]
  const most = Math.max(1, ...days.map(amountOn))
  return days.map((day) => ({ day: day.day, amount: amountOn(day), share: amountOn(day) / most }))
}
