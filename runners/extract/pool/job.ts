import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import type { Extraction, Page } from '../page.ts'
import type { Piscina } from 'piscina'

/** One call of `Extractor.extract`, waiting or running. */
export interface Job {
  readonly page: Page
  readonly config: ExtractConfig
  readonly timeoutMs: number
  /** The monitor of the page; null if its time is not to be remembered. */
  readonly key: number | null
  readonly settle: (extraction: Extraction) => void
  /** The caller has stopped waiting: the queue skips the job. */
  dropped: boolean
}

/**
 * A job within this many milliseconds of processor time is quick. A page of 20 KB takes 1 ms, one of 5 MB about 200.
 */
export const QUICK_MS = 200
/** Pages up to this size share a batch with others; a larger page runs alone. */
export const COPY_BYTES = 256 * 1024
/**
 * Large enough to hide the cost of messages between threads (see the figures in pool.ts), and small enough that a
 * killed batch wastes little work.
 */
const BATCH_JOBS = 8
const BATCH_BYTES = 1024 * 1024

/** 1 s per rule, 5 s in total; full_page and prompt count as one rule, and what full_page ignores as one each. */
export function defaultTimeoutMs(config: ExtractConfig): number {
  return Math.min(Math.max(rulesOf(config), 1) * EXTRACT_LIMITS.ruleMs, EXTRACT_LIMITS.pageMs)
}

function rulesOf(config: ExtractConfig): number {
  if ('fields' in config) return Object.keys(config.fields).length
  if (config.method !== 'full_page' || !config.ignore) return 1
  const { selectors = [], patterns = [] } = config.ignore
  return 1 + selectors.length + patterns.length
}

/**
 * Takes the next jobs for one thread from the queue: its fair share, up to a small number. A large page is taken alone.
 */
export function takeBatch(queue: Job[], threads: number): Job[] {
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

/** The message to a thread: some pages with their configs, to be run one after the other. */
export interface WorkerBatch {
  readonly tasks: readonly { readonly page: Page; readonly config: ExtractConfig }[]
  /**
   * Numbers in shared memory. From them the main thread sees what a busy thread is doing, which cannot respond to
   * messages (`PROGRESS`); -1: not known.
   */
  readonly progress: Float64Array<SharedArrayBuffer>
}

/** The indexes in `WorkerBatch.progress`. */
export const PROGRESS = {
  /** The current task of the thread; -1: not begun. */
  place: 0,
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
export type Threads = Piscina<WorkerBatch, WorkerAnswer>

export type WorkerAnswer = readonly Extraction[]

/** Milliseconds on the clock that all threads of a process share. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1e6
}
