import type { BesideStreams } from '../dashboard/beside-streams.ts'
import type { DashboardFigures } from '../dashboard/dashboard.ts'
import type { InBrowser } from '../dashboard/in-browser.ts'
import { shareOf } from './stats.ts'
import { grid, kilobytes, megabytes, SHORT_NAMES, share, whole } from './text.ts'

const ms = (value: number): string => `${whole(value)} ms`
const p95 = (values: readonly number[]): string => ms(shareOf(values, 0.95))
const most = (values: readonly number[]): string => ms(Math.max(...values))

export function dashboardOf({ date, monitors, answers, browser, changesMs, streams }: DashboardFigures): string {
  return grid(
    [`the dashboard, ${date.slice(0, 10)}`, 'came to', 'goal'],
    [
      ...answers.map(({ monitors: count, what, p50Ms, p95Ms }) => [
        `\`/v1/overview\`, ${what}, ${whole(count)} monitors: p50, p95`,
        `${ms(p50Ms)}, ${ms(p95Ms)}`,
        what === 'counts' ? '' : count > 10_000 ? 'p95 ≤ 200 ms' : 'p95 ≤ 60 ms',
      ]),
      ...listOf(browser, monitors[0] ?? 0),
      [`a recorded change to the screen, ${whole(monitors.at(-1) ?? 0)} monitors, most`, most(changesMs), '≤ 3,000 ms'],
      ...streams.map(besideOf),
    ],
  )
}

const listOf = (list: InBrowser, monitors: number): string[][] => [
  ['code and styles until the list, compressed', `${kilobytes(list.codeBytes)} KB`, '≤ 190 KB'],
  [`first rows of ${whole(monitors)}, most`, most(list.firstRowsMs), '≤ 1,000 ms'],
  ['the same, processor slowed four times', most(list.slowedMs), '≤ 2,500 ms'],
  ['requests for data before them', whole(list.requests), '≤ 6'],
  ['scrolled from top to end: rows missing afterwards', ms(list.gapMs), '≤ 300 ms'],
  ['the same: longest task', ms(list.longestTaskMs), '≤ 100 ms'],
  ['the same: elements', whole(list.elements), '≤ 2,500'],
  ['the same: heap', `${megabytes(list.heapBytes)} MB`, '≤ 60 MB'],
  ['key to paint, p95', p95(list.keyMs), '≤ 100 ms'],
  ['letter in the search to rows, p95', p95(list.letterMs), '≤ 250 ms'],
]

const besideOf = ({ kind, streams, share: ofRate, cpu }: BesideStreams): string[] => [
  `checks per second beside ${whole(streams)} streams of events over those without, ${SHORT_NAMES[kind]}`,
  `${share(ofRate)}; ${whole(cpu.beside)} and ${whole(cpu.without)} µs of CPU a check`,
  'no row is worse',
]
