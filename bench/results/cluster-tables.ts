import type { OperatorCost } from '../cluster/operator.ts'
import type { PodsOverTime } from '../cluster/pods.ts'
import type { ImageSizes } from '../installation/image-sizes.ts'
import { grid, megabytes, spread, tenths, whole } from './text.ts'

export function operatorOf({ date, resources, first, again, resultsMs, firstRun, rest }: OperatorCost): string {
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
  const cpu = (ms: number): string => `${seconds(ms)} of CPU`
  return grid(
    [`operator of ${whole(resources)} resources, ${date.slice(0, 10)}`, 'came to', 'goal'],
    [
      ['started the first time: all records', seconds(first.recordsMs), '< 60 s'],
      ['started the first time: all statuses', `${seconds(first.statusesMs)}; ${cpu(first.cpuMs)}`, '< 300 s'],
      ['the same: requests that the API server refused (429)', whole(first.refused), '0'],
      ['the same: most resident memory', `${megabytes(first.mostBytes)} MB`, ''],
      ['started again, nothing to change', `${spread(again.ms, seconds)}; ${cpu(again.cpuMs)}`, '< 30 s'],
      ['the same: most resident memory', `${megabytes(again.mostBytes)} MB`, '< 300 MB'],
      ['the same: writes to the cluster', whole(again.writes), '0'],
      ['first run of all, last record to last status', seconds(resultsMs), ''],
      [
        `one resource, applied to its recorded run, ${firstRun.applied} times`,
        `${spread(firstRun.ms)} ms`,
        '< 1,000 ms',
      ],
      [`status writes of ${whole(rest.runs)} unchanged runs, as in an hour`, whole(rest.statusWrites), '0'],
      ['processor time at rest', `${tenths(rest.cpuMsASecond)} ms a second`, ''],
    ],
  )
}

export function imagesOf({ date, images }: ImageSizes): string {
  return grid(
    [`images, ${date.slice(0, 10)}`, 'on a node', 'compressed'],
    images.map(({ name, bytes, compressed }) => [
      `\`${name}\``,
      `${megabytes(bytes)} MB`,
      `${megabytes(compressed)} MB`,
    ]),
  )
}

export function podsOf({ date, checks, max, slots, idleSeconds, pods, ...at }: PodsOverTime): string {
  const seconds = (time: number): string => `${tenths(time)} s`
  return grid(
    [`${whole(checks)} browser checks at once, ${max} pods of ${slots} at most, ${date.slice(0, 10)}`, 'came to'],
    [
      ['all resources applied', seconds(at.appliedS)],
      ['the first check began', seconds(at.firstClaimS)],
      ['the last check ended', seconds(at.doneS)],
      [`no pods any more, each of which waits ${idleSeconds} s for work`, seconds(at.noPodsS)],
      ['most pods', whole(Math.max(...pods))],
      ['pods, every fifth second', pods.filter((_, n) => n % 5 === 4).join(' ')],
    ],
  )
}
