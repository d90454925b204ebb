import type { NeighbourWaits } from '../api/neighbour.ts'
import type { RetentionCost } from '../checks/retention.ts'
import { grid, megabytes, tenths, whole } from './text.ts'

export function retentionOf({ date, runs, monitors, ...cost }: RetentionCost): string {
  const statements = ({ p50Ms, p99Ms, mostMs }: RetentionCost['before']) =>
    `${tenths(p50Ms)}, ${tenths(p99Ms)} and ${tenths(mostMs)} ms`
  return grid(
    [`clean-up of ${whole(runs)} runs of ${whole(monitors)} monitors, ${date.slice(0, 10)}`, 'came to', 'goal'],
    [
      ['runs deleted one by one', `${whole(cost.deleted)} in ${tenths(cost.seconds)} s`, ''],
      ['runs dropped with their months', `${whole(cost.dropped)} in ${cost.months} months`, ''],
      ['claims and records before it: p50, p99, most', statements(cost.before), ''],
      ['claims and records beside it: p50, p99, most', statements(cost.during), ''],
      ['looks at the locks, and waits for a lock of the clean-up', `${whole(cost.looks)}, ${cost.waits}`, '0 waits'],
    ],
  )
}

export function neighbourOf({ date, rows, atOnce }: NeighbourWaits): string {
  return grid(
    [
      `waits of a neighbour beside ${atOnce} clients of a free team, ${date.slice(0, 10)}`,
      'p50, p99, most',
      'answers to the others, of these 429',
      'most memory of the API',
    ],
    rows.map(({ beside, p50Ms, p99Ms, mostMs, count, failed, answers, refused, mostBytes }) => [
      (beside ?? 'alone') + (failed === 0 ? '' : `; ${whole(failed)} of ${whole(count)} answers failed`),
      `${tenths(p50Ms)}, ${tenths(p99Ms)} and ${tenths(mostMs)} ms`,
      beside === null ? '' : `${whole(answers)}, ${whole(refused)}`,
      `${megabytes(mostBytes)} MB`,
    ]),
  )
}
