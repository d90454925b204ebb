import { Fifo } from '../../../concurrency/host-gate.ts'
import { type Job, takeBatch } from './job.ts'
import { failed } from '../page.ts'

/** The queue for the thread for slow pages, which runs one job at a time. */
export interface SlowLine {
  add(job: Job): void
  /** Returns the next job, if there is one; completes those that have waited too long. */
  take(): Job | undefined
  drain(): Job[]
}

/**
 * The same limit as for a fetch: a waiting check keeps its slot among the checks in flight, and its page stays in
 * memory.
 */
const LONGEST_WAIT_MS = 30_000

export function createSlowLine(): SlowLine {
  const line = new Fifo<{ readonly job: Job; readonly since: number }>()
  return {
    add: (job) => line.push({ job, since: performance.now() }),
    take() {
      for (let next = line.shift(); next; next = line.shift()) {
        const { job, since } = next
        if (job.dropped) continue
        if (performance.now() - since <= LONGEST_WAIT_MS) return job
        job.settle(failed('extract_timeout', PUT_OFF))
      }
      return undefined
    },
    drain: () => line.drain().map(({ job }) => job),
  }
}

const PUT_OFF =
  'Pages of this monitor take long to read, and its turn among others of that kind did not come within 30 ' +
  'seconds. Simplify the selector or pattern, or watch a smaller page.'

/**
 * The queue of extraction jobs, except those of slow monitors. It separates monitors known to be quick from unknown
 * ones.
 */
export interface Line {
  add(job: Job, isKnown: boolean): void
  /** Returns the next jobs for one of the quick threads; empty if there are none. */
  takeForQuick(): Job[]
  /** Returns the next jobs for the trial thread, which is used only after a thread was killed. */
  takeForTrial(): Job[]
  /** Puts jobs back at the front. Their thread was killed because of another job. */
  putBack(jobs: readonly Job[], isKnown: (job: Job) => boolean): void
  /** Call this when a page took so long that its thread was killed. */
  trouble(): void
  readonly isEmpty: boolean
  readonly hasUnknown: boolean
  /** Removes and returns all jobs. */
  drain(): Job[]
}

/** For this long after a killed thread, unknown monitors get no thread that quick monitors need. */
const WARY_MS = 60_000
/** The exception: quick monitors have not needed the thread for this long. After a start all monitors are unknown. */
const IDLE_MS = 1_000

/**
 * A killed thread costs more than the trial (`QUICK_MS`) and the start of the next thread (200 ms). The new thread has
 * to compile everything again and is ten times slower for a while. With fifty unknown hostile monitors in the queue of
 * the quick ones, the quick ones waited up to 10 s on a busy machine.
 *
 * It is separate from the gates in concurrency/, because a thread takes a batch and not a slot.
 */
export function createLine(threads: number): Line {
  const known: Job[] = []
  const unknown: Job[] = []
  let troubleAt = -Infinity
  let knownAt = -Infinity

  // One at a time: if the thread is killed, all other jobs in it have to be repeated.
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
