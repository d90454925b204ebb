import type { createPool } from '../../../concurrency/threads/pool.ts'
import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import { patternsOfClean } from '../clean/treatments.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import { type Extraction, type Page, failed } from '../page.ts'
import type { ReaderConfig } from './thread-reader.ts'

/** What a thread reads from a page: fields, or what another reader finds. */
export type ReadConfig = ExtractConfig | ReaderConfig

/** One call of the extractor, waiting or running. */
export interface Job {
  readonly page: Page
  readonly config: ReadConfig
  readonly timeoutMs: number
  /** A page that is a shell is not read. */
  readonly unlessShell: boolean
  /** The monitor of the page; null if its time is not to be remembered. */
  readonly key: number | null
  readonly settle: (extraction: Extraction) => void
  /** The caller has stopped waiting: the queue skips the job. */
  dropped: boolean
}

/** Pages up to this size share a batch with others; a larger page runs alone. */
export const COPY_BYTES = 256 * 1024
/**
 * Large enough to hide the cost of messages between threads, most of which the main thread has (see the figures in
 * extractor.ts), and small enough that a killed batch wastes little work.
 */
const BATCH_JOBS = 32
const BATCH_BYTES = 1024 * 1024

/** 1 s per rule, 5 s in total; full_page and prompt count as one, and so does each selector and pattern besides. */
export function defaultTimeoutMs(config: ReadConfig): number {
  if (config.method === 'reader') return config.timeoutMs
  return Math.min(Math.max(rulesOf(config), 1) * EXTRACT_LIMITS.ruleMs, EXTRACT_LIMITS.pageMs)
}

function rulesOf(config: ExtractConfig): number {
  const own = 'fields' in config ? Object.keys(config.fields).length : 1
  const { selectors = [], patterns = [] } = ('ignore' in config && config.ignore) || {}
  return own + selectors.length + patterns.length + patternsOfClean(config.clean)
}

/**
 * Takes the next jobs for one thread from the queue: its fair share, up to a small number. A large page is taken alone.
 */
function takeBatch(queue: Job[], threads: number): Job[] {
  const batch: Job[] = []
  const share = Math.min(BATCH_JOBS, Math.ceil(queue.length / threads))
  let bytes = 0
  while (batch.length < share) {
    const next = queue[0]
    if (next === undefined) break
    const size = next.page.body.byteLength
    if (batch.length > 0 && (size > COPY_BYTES || bytes + size > BATCH_BYTES)) break
    queue.shift()
    if (next.dropped) continue
    batch.push(next)
    bytes += size
    if (size > COPY_BYTES) break
  }
  return batch
}

/** A page, and what is read of it. */
type WorkerTask = Pick<Job, 'page' | 'config' | 'unlessShell'>

/** The message to a thread: some pages with their configs, to be run one after the other. */
export interface WorkerBatch {
  readonly tasks: readonly WorkerTask[]
  /**
   * Numbers in shared memory. From them the main thread sees what a busy thread is doing, which cannot respond to
   * messages (`PROGRESS`); -1: not known.
   */
  readonly progress: Float64Array<SharedArrayBuffer>
}

/** The indexes in `WorkerBatch.progress`. */
export const PROGRESS = {
  /** The current task of the thread; -1: not begun. */
  index: 0,
  /** When the current task began, by `monotonicMs`. */
  since: 1,
  /** The operating system's id of the thread, if the system reports it. */
  thread: 2,
  /** The processor time that the thread had used when it began the task, in ms. */
  usedBefore: 3,
  /** From this index on: the processor time of each completed task, in ms. */
  used: 4,
} as const

/** The pool of threads that run batches. */
export type Threads = ReturnType<typeof createPool<WorkerBatch, WorkerAnswer>>

export type WorkerAnswer = readonly Extraction[]

/** Milliseconds on the clock that all threads of a process share. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1e6
}

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
  /** Jobs, and when they came. */
  const line = new Map<Job, number>()
  return {
    add: (job) => void line.set(job, performance.now()),
    take() {
      for (const [job, since] of line) {
        line.delete(job)
        if (job.dropped) continue
        if (performance.now() - since <= LONGEST_WAIT_MS) return job
        job.settle(failed('extract_timeout', PUT_OFF))
      }
      return undefined
    },
    drain() {
      const left = [...line.keys()]
      line.clear()
      return left
    },
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
 * A killed thread costs more than the trial (200 ms) and the start of the next thread (200 ms). The new thread has to
 * compile everything again and is ten times slower for a while. With fifty unknown hostile monitors in the queue of the
 * quick ones, the quick ones waited up to 10 s on a busy machine.
 *
 * It is separate from the gates in concurrency/gates, because a thread takes a batch and not a slot.
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
