import type { Piscina } from 'piscina'
import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import type { Extraction, Page } from '../page.ts'

/** What a thread gets: some pages with their configs, one after the other. */
export interface WorkerBatch {
  readonly tasks: readonly { readonly page: Page; readonly config: ExtractConfig }[]
  /**
   * Numbers in shared memory, by which the main thread knows what a thread is doing that cannot answer (`PROGRESS`);
   * -1: not known.
   */
  readonly progress: Float64Array<SharedArrayBuffer>
}

/** What stands where in `WorkerBatch.progress`. */
export const PROGRESS = {
  /** The task that the thread is at; -1: not begun. */
  place: 0,
  /** Since when, by `monotonicMs`. */
  since: 1,
  /** The thread's id by the system, where that tells it. */
  thread: 2,
  /** The processor time that the thread had used when it began the task, in ms. */
  usedBefore: 3,
  /** From here on: the processor time of each task that is done, in ms. */
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
