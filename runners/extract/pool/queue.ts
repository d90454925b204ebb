import { takeBatch } from './job.ts'
import type { Job } from './job.ts'

/** Who waits to be read, slow monitors left aside: those that have always been quick, and those that nobody knows. */
export interface Line {
  add(job: Job, isKnown: boolean): void
  /** The next for one of the quick threads; empty when there is nobody for it. */
  takeForQuick(): Job[]
  /** The next for the thread for trials, which is used once there was a reason to. */
  takeForTrial(): Job[]
  /** In front of the others: their thread was killed for a neighbour's sake. */
  putBack(jobs: readonly Job[], isKnown: (job: Job) => boolean): void
  /** A page took so long that its thread was killed. */
  trouble(): void
  readonly isEmpty: boolean
  readonly hasUnknown: boolean
  /** Empties it and answers who stood in it. */
  drain(): Job[]
}

/** As long as this after trouble, nobody unknown is let near a thread that quick monitors need. */
const WARY_MS = 60_000
/** Unless they have not needed it for this long: after a start everybody is unknown. */
const IDLE_MS = 1_000

/**
 * A thread that is killed costs more than the trial (`QUICK_MS`) and the start of the next (200 ms): the new one has to
 * compile everything anew, and reads ten times as slowly for a while. With fifty unknown hostile monitors in the line
 * of the quick ones, these waited up to 10 s on a busy machine.
 *
 * Apart from the gates in concurrency/: a thread takes a batch, not a slot.
 */
export function createLine(threads: number): Line {
  const known: Job[] = []
  const unknown: Job[] = []
  let troubleAt = -Infinity
  let knownAt = -Infinity

  // Alone: whoever shared a thread with one that is killed has to be read again.
  const takeOneUnknown = () => takeBatch(unknown, Math.max(1, unknown.length))
  const isWary = () => performance.now() - troubleAt < WARY_MS

  return {
    add: (job, isKnown) => void (isKnown ? known : unknown).push(job),
    takeForQuick() {
      const jobs = takeBatch(known, threads)
      if (jobs.length > 0) {
        knownAt = performance.now()
        return jobs
      }
      if (!isWary()) return takeBatch(unknown, threads)
      return performance.now() - knownAt < IDLE_MS ? [] : takeOneUnknown()
    },
    takeForTrial: () => (isWary() ? takeOneUnknown() : []),
    putBack(jobs, isKnown) {
      known.unshift(...jobs.filter(isKnown))
      unknown.unshift(...jobs.filter((job) => !isKnown(job)))
    },
    trouble: () => void (troubleAt = performance.now()),
    get isEmpty() {
      return known.length === 0 && unknown.length === 0
    },
    get hasUnknown() {
      return unknown.length > 0
    },
    drain: () => [...known.splice(0), ...unknown.splice(0)],
  }
}
