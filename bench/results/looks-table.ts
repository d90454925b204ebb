import type { LooksFigures } from '../dashboard/looks.ts'
import { shareOf } from './stats.ts'
import { grid, share, tenths, whole } from './text.ts'

const seconds = (ms: number): string => `${tenths(ms / 1_000)} s`
const p95 = (values: readonly number[]): string => `${whole(shareOf(values, 0.95))} ms`

export function looksOf(figures: LooksFigures): string {
  const { date, items, boxes, lookMs, elements, outlineMs, pressMs, letterMs, firstValue } = figures
  return grid(
    [`making a monitor by pointing, ${date.slice(0, 10)}`, 'came to', 'goal'],
    [
      [`a look at a page of ${whole(items)} items: p50`, seconds(shareOf(lookMs, 0.5)), '≤ 3 s'],
      ['a render with its elements over one with its picture alone', share(elements), '≤ 115 %'],
      [`pointer to outline, ${whole(boxes)} elements: p95`, `${shareOf(outlineMs, 0.95).toFixed(2)} ms`, '≤ 16 ms'],
      [`press to candidates and value, ${whole(items)} items: p95`, p95(pressMs), '≤ 150 ms'],
      ['letter in a selector to boxes and value: p95', p95(letterMs), '≤ 150 ms'],
      [
        'from an empty installation to the first value, by script: most',
        seconds(Math.max(...firstValue.map(({ ms }) => ms))),
        '≤ 30 s',
      ],
      ['the same: actions', whole(Math.max(...firstValue.map(({ actions }) => actions))), '≤ 6'],
    ],
  )
}
