import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import type { Extraction, Page } from '../page.ts'

/** One call of `Extractor.extract`, waiting or in a thread. */
export interface Job {
  readonly page: Page
  readonly config: ExtractConfig
  readonly timeoutMs: number
  /** Whose page it is; null when nobody is to remember how long it took. */
  readonly key: number | null
  readonly settle: (extraction: Extraction) => void
  /** The caller has gone: its place in the queue is skipped. */
  dropped: boolean
}

/**
 * What is read within this, in milliseconds of the processor, is quick: a page of 20 KB takes 1 ms, one of 5 MB some
 * 200.
 */
export const QUICK_MS = 200
/** Pages up to this size share a thread's time with others; a larger one goes alone. */
export const COPY_BYTES = 256 * 1024
/**
 * Enough to hide the way between threads (see the figures in pool.ts), few enough that a killed batch wastes little.
 */
const BATCH_JOBS = 8
const BATCH_BYTES = 1024 * 1024

/** 1 s per rule, 5 s in all; full_page and prompt count as one rule. */
export function defaultTimeoutMs(config: ExtractConfig): number {
  const rules = 'fields' in config ? Object.keys(config.fields).length : 1
  return Math.min(Math.max(rules, 1) * EXTRACT_LIMITS.ruleMs, EXTRACT_LIMITS.pageMs)
}

/** Takes the next jobs for one thread off the queue: its fair share, up to a few; a large page goes alone. */
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
