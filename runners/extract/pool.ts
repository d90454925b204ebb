import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { ExtractConfig } from '../../schema/extract-config.ts'
import { runBatchIn } from './batch.ts'
import { extract } from './extract.ts'
import { COPY_BYTES, defaultTimeoutMs, takeBatch } from './job.ts'
import type { Job } from './job.ts'
import { EXTRACT_LIMITS } from './limits.ts'
import { failed } from './page.ts'
import type { Extraction, Page } from './page.ts'
import type { Threads } from './worker-task.ts'
import { isJsonType, mediaType } from './page-kind.ts'

export interface ExtractorOptions {
  /** Threads at most; default: one less than the cores, at least one. They start when first needed. */
  readonly threads?: number
  /** Heap of a thread in MB. */
  readonly heapMb?: number
}

export interface ExtractCall {
  /** Wall-clock time in the thread; waiting for one does not count. Default 1 s per rule, 5 s in all. */
  readonly timeoutMs?: number
  /** Ends the wait with the fault `timeout`; a thread at work goes on until its own limit. */
  readonly signal?: AbortSignal
}

export interface Extractor {
  /**
   * `extract` of extract.ts in a thread that is killed when it takes too long (`extract_timeout`) or too much memory (`extract_memory`);
   * other calls are not harmed. Never rejects. A body over 256 KiB that owns its buffer is moved to the thread: do not use it afterwards.
   */
  extract(page: Page, config: ExtractConfig, call?: ExtractCall): Promise<Extraction>
  /** Waits for what is running, refuses what is not, and ends the threads. */
  close(): Promise<void>
}

/**
 * Makes a pool of extraction threads (DESIGN §3, hostile input; security.md §3).
 *
 * What it costs, on 2 cores with one thread, one CSS field on a 20 KB page: bare parse5 + css-select in the main thread 766 µs; `extract` there
 * 871 µs (the scan before parsing is 60 of it); through the pool one call at a time 1,150 µs, eight at a time and more 915 µs. On a page of five
 * bytes: inline 11 µs, one call at a time 211 µs, many 33 µs. Hence batches: a thread that waits for the main thread's next turn after each
 * page stands idle for longer than a small page takes. The first call waits 0.15 s for its thread.
 */
export function createExtractor(options: ExtractorOptions = {}): Extractor {
  return new ThreadedExtractor(options)
}

class ThreadedExtractor implements Extractor {
  readonly #threads: number
  readonly #piscina: Threads
  readonly #queue: Job[] = []
  readonly #running = new Set<Promise<void>>()
  #closing = false

  constructor({ threads = Math.max(1, availableParallelism() - 1), heapMb = EXTRACT_LIMITS.heapMb }: ExtractorOptions) {
    this.#threads = threads
    this.#piscina = new Piscina({
      filename: fileURLToPath(new URL('worker.ts', import.meta.url)),
      name: 'runBatch',
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: 60_000,
      // One at a time: killing a thread must end nobody else's work.
      concurrentTasksPerWorker: 1,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 64 },
      // Nothing of the process' environment, flags or secrets is of use to a parser.
      env: {},
      execArgv: [],
      recordTiming: false,
    })
  }

  extract(page: Page, config: ExtractConfig, call: ExtractCall = {}): Promise<Extraction> {
    if (this.#closing) return Promise.resolve(failed('internal', 'The worker is shutting down.'))
    if (runsInline(page, config)) return Promise.resolve(extract(page, config))
    const { signal, timeoutMs = defaultTimeoutMs(config) } = call
    if (signal?.aborted) return Promise.resolve(stopped())
    return new Promise((resolve) => {
      const leave = (): void => {
        job.dropped = true
        resolve(stopped())
      }
      const settle = (extraction: Extraction): void => {
        signal?.removeEventListener('abort', leave)
        resolve(extraction)
      }
      const job: Job = { page, config, timeoutMs, settle, dropped: false }
      signal?.addEventListener('abort', leave, { once: true })
      this.#queue.push(job)
      // Calls of one turn of the event loop come together, so that they can share a way to the thread.
      if (this.#queue.length === 1) queueMicrotask(() => this.#pump())
    })
  }

  async close(): Promise<void> {
    this.#closing = true
    for (const job of this.#queue.splice(0)) job.settle(failed('internal', 'The worker is shutting down.'))
    await Promise.all(this.#running)
    await this.#piscina.destroy()
  }

  #pump(): void {
    while (this.#queue.length > 0 && this.#running.size < this.#threads) {
      const batch = takeBatch(this.#queue, this.#threads)
      if (batch.length === 0) return
      const done = runBatchIn(this.#piscina, batch).then((again) => {
        this.#running.delete(done)
        if (this.#closing) for (const job of again) job.settle(failed('internal', 'The worker is shutting down.'))
        else this.#queue.unshift(...again)
        this.#pump()
      })
      this.#running.add(done)
    }
  }
}

function stopped(): Extraction {
  return failed('timeout', 'The check was stopped before its page was read.')
}

/**
 * What needs no thread: `prompt` only answers that there is no model; a hash of bytes is linear and about 1 ms per MB, and so is sorting the
 * keys of a small JSON answer.
 */
function runsInline(page: Page, config: ExtractConfig): boolean {
  if (config.method === 'prompt') return true
  return (
    config.method === 'full_page' && (!isJsonType(mediaType(page.contentType)) || page.body.byteLength <= COPY_BYTES)
  )
}
