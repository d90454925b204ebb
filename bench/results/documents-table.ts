import type { Results } from './results.ts'
import { grid, spread, whole } from './text.ts'

export function documentsOf({ date, firstMs, cases }: NonNullable<Results['documents']>): string {
  return grid(
    [`documents and structured data, ${date.slice(0, 10)}`, 'came to', 'goal'],
    [
      ['the first file, with the start of its process', `${whole(firstMs)} ms`, ''],
      ...cases.map(({ name, goalMs, ms }) => [
        name,
        `${spread(ms, whole)} ms`,
        goalMs === null ? '' : `≤ ${whole(goalMs)} ms`,
      ]),
    ],
  )
}
