import type { Piscina } from 'piscina'
import type { ExtractConfig } from '../../schema/extract-config.ts'
import type { Extraction, Page } from './page.ts'

/** What a thread gets: some pages with their configs, one after the other. */
export interface WorkerBatch {
  readonly tasks: readonly { readonly page: Page; readonly config: ExtractConfig }[]
  /**
   * Numbers in shared memory, by which the main thread knows what a thread is doing that cannot answer: the place of the task it is at, and
   * since when (`monotonicMs`); behind them how long each task took, in milliseconds. -1: not begun.
   */
  readonly progress: Float64Array<SharedArrayBuffer>
}

/** The pool of threads that run batches. */
export type Threads = Piscina<WorkerBatch, WorkerAnswer>

export type WorkerAnswer = readonly Extraction[]

/** Milliseconds on the clock that all threads of a process share. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1e6
}
