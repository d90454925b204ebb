import type { DashboardFigures } from '../dashboard/dashboard.ts'

const ms = (value: number): string => `${Math.round(value).toLocaleString('en')} ms`

/** Returns the figures of the dashboard as rows: what, what it came to, its goal. */
export function dashboardRows({ answers, browser, monitors }: DashboardFigures): string[][] {
  const [fewest] = monitors
  const p95 = (values: readonly number[]) => ms(values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0)
  const most = (values: readonly number[]) => ms(Math.max(...values))
  return [
    ...answers.map(({ monitors: count, what, p50Ms, p95Ms }) => [
      `\`/v1/overview\`, ${what}, ${count.toLocaleString('en')} monitors: p50, p95`,
      `${ms(p50Ms)}, ${ms(p95Ms)}`,
      what === 'counts' ? '' : count > 10_000 ? 'p95 ≤ 200 ms' : 'p95 ≤ 60 ms',
    ]),
    [`first rows of ${fewest?.toLocaleString('en')}, most`, most(browser.firstRowsMs), '≤ 1,000 ms'],
    ['the same, processor slowed four times', most(browser.slowedMs), '≤ 2,500 ms'],
    ['requests for data before them', String(browser.requests), '≤ 6'],
    ['scrolled from top to end: rows missing afterwards', ms(browser.gapMs), '≤ 300 ms'],
    ['the same: longest task', ms(browser.longestTaskMs), '≤ 100 ms'],
    ['the same: elements', browser.elements.toLocaleString('en'), '≤ 2,500'],
    ['the same: heap', `${Math.round(browser.heapBytes / 1e6)} MB`, '≤ 60 MB'],
    ['key to paint, p95', p95(browser.keyMs), '≤ 100 ms'],
    ['letter in the search to rows, p95', p95(browser.letterMs), '≤ 250 ms'],
  ]
}
