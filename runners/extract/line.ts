import { takeBatch } from './job.ts'
import type { Job } from './job.ts'

/** Who waits for the quick threads: monitors that were quick before those that nobody knows, which have a share of the time all the same. */
export interface Line {
  add(job: Job, isKnown: boolean): void
  /** The next for one thread; empty when nobody waits. */
  take(): Taken
  readonly isEmpty: boolean
  /** Empties it and answers who stood in it. */
  drain(): Job[]
}

export interface Taken {
  readonly jobs: readonly Job[]
  /** To be called when the thread has done with them, with those that have to be done again. */
  back(again: readonly Job[]): void
}

/**
 * After a batch of unknown monitors the known ones have the threads for three times as long. An unknown one may hold a thread for a trial and for
 * the start of another thread (`QUICK_MS` and some 200 ms), and fifty of them may come at once.
 */
const KNOWN_SHARE = 3

export function createLine(threads: number): Line {
  const known: Job[] = []
  const unknown: Job[] = []
  let unknownFrom = 0

  function takeUnknown(): Taken {
    const jobs = takeBatch(unknown, threads)
    const startedAt = performance.now()
    return {
      jobs,
      back(again) {
        const now = performance.now()
        unknownFrom = now + KNOWN_SHARE * (now - startedAt)
        unknown.unshift(...again)
      },
    }
  }

  return {
    add: (job, isKnown) => void (isKnown ? known : unknown).push(job),
    take() {
      if (unknown.length > 0 && performance.now() >= unknownFrom) {
        const taken = takeUnknown()
        if (taken.jobs.length > 0) return taken
      }
      const jobs = takeBatch(known, threads)
      if (jobs.length === 0) return takeUnknown()
      return { jobs, back: (again) => void known.unshift(...again) }
    },
    get isEmpty() {
      return known.length === 0 && unknown.length === 0
    },
    drain: () => [...known.splice(0), ...unknown.splice(0)],
  }
}
