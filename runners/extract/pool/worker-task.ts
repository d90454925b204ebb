import type { Piscina } from 'piscina'
import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import type { Extraction, Page } from '../page.ts'

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
