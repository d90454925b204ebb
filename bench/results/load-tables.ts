import type { NeighbourWaits } from '../api/neighbour.ts'
import type { RetentionCost } from '../checks/retention.ts'
import type { SoakFigures } from '../checks/soak.ts'
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

export function soakOf({ monitors, perSecond, date, first, last, memory, ...soak }: SoakFigures): string {
  const minutes = Math.round((soak.rounds * soak.roundSeconds) / 60)
  const bytes = ({ tableBytes, indexBytes }: Pick<SoakFigures, 'tableBytes' | 'indexBytes'>) =>
    `${megabytes(tableBytes)} + ${megabytes(indexBytes)} MB`
  const cpu = (of: typeof first) => `${whole(of.cpu.worker)} + ${whole(of.cpu.postgres)} µs`
  const growth = soak.mostBytes / (soak.tableBytes + soak.indexBytes)
  return grid(
    [
      `${whole(monitors)} monitors, ${whole(perSecond)} checks a second for ${minutes} minutes, ${date.slice(0, 10)}`,
      'at first',
      'at last',
      'goal',
    ],
    [
      ['checks a second', whole(first.checksPerSecond), whole(last.checksPerSecond), ''],
      ['claim of a check', `${tenths(first.claimUs)} µs`, `${tenths(last.claimUs)} µs`, '≤ 1.3 ×'],
      ['processor time of a check, worker + Postgres', cpu(first), cpu(last), ''],
      ['table of checks + its indexes', bytes(soak), bytes(last), ''],
      ['the most of them over the start', '', `${growth.toFixed(2)} ×`, '≤ 2 ×'],
      ['times that autovacuum was there', '', whole(soak.vacuums), ''],
      ['lateness: p50, p99', '', `${whole(soak.lateP50Ms)}, ${whole(soak.lateP99Ms)} ms`, 'p99 ≤ 1,000 ms'],
      ...residentOf(memory),
      ['its heap', `${megabytes(memory.warm.heapBytes)} MB`, `${megabytes(memory.end.heapBytes)} MB`, 'flat'],
      [
        `${whole(soak.edits.count)} edits${refusedOf(soak.edits)}: p50, p99`,
        '',
        `${tenths(soak.edits.p50Ms)}, ${tenths(soak.edits.p99Ms)} ms`,
        '',
      ],
    ],
  )
}

const refusedOf = ({ refused = 0 }: SoakFigures['edits']) => (refused === 0 ? '' : `, ${whole(refused)} more refused`)

/** What a busy worker holds says less than what is left after a rest. A short soak has no rest. */
function residentOf({ warm, end }: SoakFigures['memory']): string[][] {
  const busy = ['resident memory of the worker', `${megabytes(warm.rssBytes)} MB`, `${megabytes(end.rssBytes)} MB`]
  if (warm.restedBytes === undefined || end.restedBytes === undefined) return [[...busy, 'flat']]
  const rested = [`${megabytes(warm.restedBytes)} MB`, `${megabytes(end.restedBytes)} MB`]
  return [
    [...busy, ''],
    ['the same after a rest', ...rested, 'flat'],
  ]
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
