import { Fifo } from '../../../concurrency/fifo.ts'
import type { Job } from './job.ts'
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
