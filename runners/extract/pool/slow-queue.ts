import { Fifo } from '../../../concurrency/fifo.ts'
import type { Job } from './job.ts'
import { failed } from '../page.ts'

/** Who waits for the thread for slow pages, one after the other. */
export interface SlowLine {
  add(job: Job): void
  /** The next, if anybody waits; settles those who have waited for too long. */
  take(): Job | undefined
  drain(): Job[]
}

/**
 * As long as a fetch may take: a check that waits keeps its place among the checks in flight, and its page in memory.
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
