import { availableParallelism } from 'node:os'
import type { ExtractConfig } from '../../schema/extract-config.ts'
import { runBatch } from './batch.ts'
import type { Leftover } from './batch.ts'
import { extract } from './extract.ts'
import { COPY_BYTES, defaultTimeoutMs } from './job.ts'
import type { Job } from './job.ts'
import { EXTRACT_LIMITS } from './limits.ts'
import { createLine } from './line.ts'
import type { Line } from './line.ts'
import { failed } from './page.ts'
import type { Extraction, Page } from './page.ts'
import { isJsonType, mediaType } from './page-kind.ts'
import { createSlowLine } from './slow-line.ts'
import type { SlowLine } from './slow-line.ts'
import { createStandings } from './standings.ts'
import type { Standings } from './standings.ts'
import { startThreads } from './threads.ts'
import type { Threads } from './worker-task.ts'

export interface ExtractorOptions {
  /** Threads at most, besides the one for slow pages; default: one less than the cores, at least one. They start when first needed. */
  readonly threads?: number
  /** Heap of a thread in MB. */
  readonly heapMb?: number
}

export interface ExtractCall {
  /** Wall-clock time in the thread; waiting for one does not count. Default 1 s per rule, 5 s in all. */
  readonly timeoutMs?: number
  /** Whose page it is: by it the pool remembers who held others up. The number of a monitor. */
  readonly key?: number
  /** Ends the wait with the fault `timeout`; a thread at work goes on until its own limit. */
  readonly signal?: AbortSignal
}

export interface Extractor {
  /**
   * `extract` of extract.ts in a thread that is killed when it takes too long (`extract_timeout`) or too much memory (`extract_memory`);
   * other calls are not harmed. Never rejects. A body over 256 KiB that owns its buffer may be moved to a thread: do not use it afterwards.
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
 *
 * Fifty monitors whose patterns never end would keep any number of threads busy for ever, and everybody behind them waiting. So who takes longer than
 * `QUICK_MS` while others wait is stopped, begins anew in a thread for slow pages, which gives way to all others, and goes there at once from then on, until
 * its pages are quick again. What that does for the rest is measured in test/hostile.
 */
export function createExtractor(options: ExtractorOptions = {}): Extractor {
  return new ThreadedExtractor(options)
}

/** Nobody's check waits for the processor because of the slow ones. */
const PATIENT_NICE = 10

class ThreadedExtractor implements Extractor {
  readonly #threads: number
  readonly #quick: Threads
  readonly #patient: Threads
  readonly #line: Line
  readonly #slow: SlowLine = createSlowLine()
  readonly #standings: Standings = createStandings()
  readonly #running = new Set<Promise<void>>()
  #quickRunning = 0
  #isPatientRunning = false
  #pumping = false
  #closing = false

  constructor({ threads = Math.max(1, availableParallelism() - 1), heapMb = EXTRACT_LIMITS.heapMb }: ExtractorOptions) {
    this.#threads = threads
    this.#line = createLine(threads)
    this.#quick = startThreads({ threads, heapMb, nice: 0 })
    this.#patient = startThreads({ threads: 1, heapMb, nice: PATIENT_NICE })
  }

  extract(page: Page, config: ExtractConfig, call: ExtractCall = {}): Promise<Extraction> {
    if (this.#closing) return Promise.resolve(closing())
    if (runsInline(page, config)) return Promise.resolve(extract(page, config))
    const { signal, timeoutMs = defaultTimeoutMs(config), key = null } = call
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
      const job: Job = { page, config, timeoutMs, key, settle, dropped: false }
      signal?.addEventListener('abort', leave, { once: true })
      const standing = this.#standings.of(key)
      if (standing === 'slow') this.#slow.add(job)
      else this.#line.add(job, standing === 'quick')
      this.#pumpSoon()
    })
  }

  async close(): Promise<void> {
    this.#closing = true
    for (const job of [...this.#line.drain(), ...this.#slow.drain()]) job.settle(closing())
    await Promise.all(this.#running)
    await Promise.all([this.#quick.destroy(), this.#patient.destroy()])
  }

  /** Calls of one turn of the event loop come together, so that they can share a way to the thread. */
  #pumpSoon(): void {
    if (this.#pumping) return
    this.#pumping = true
    queueMicrotask(() => {
      this.#pumping = false
      this.#pump()
    })
  }

  #pump(): void {
    while (this.#quickRunning < this.#threads && this.#startQuick());
    if (this.#isPatientRunning) return
    const job = this.#slow.take()
    if (!job) return
    this.#isPatientRunning = true
    this.#track(runBatch([job], { threads: this.#patient, standings: this.#standings }), () => {
      this.#isPatientRunning = false
    })
  }

  #startQuick(): boolean {
    const { jobs, back } = this.#line.take()
    if (jobs.length === 0) return false
    this.#quickRunning += 1
    const mustMakeRoom = (): boolean => !this.#line.isEmpty
    const run = runBatch(jobs, { threads: this.#quick, standings: this.#standings, mustMakeRoom })
    this.#track(run, ({ again, slow }) => {
      this.#quickRunning -= 1
      if (this.#closing) for (const job of slow ? [slow, ...again] : again) job.settle(closing())
      else {
        back(again)
        if (slow) this.#slow.add(slow)
      }
    })
    return true
  }

  #track(run: Promise<Leftover>, then: (leftover: Leftover) => void): void {
    const done = run.then((leftover) => {
      this.#running.delete(done)
      then(leftover)
      this.#pump()
    })
    this.#running.add(done)
  }
}

function closing(): Extraction {
  return failed('internal', 'The worker is shutting down.')
}

function stopped(): Extraction {
  return failed('timeout', 'The check was stopped before its page was read.')
}

/**
 * What needs no thread: a hash of bytes is linear and about 1 ms per MB, and so is sorting the keys of a small JSON answer.
 */
function runsInline(page: Page, config: ExtractConfig): boolean {
  return (
    config.method === 'full_page' && (!isJsonType(mediaType(page.contentType)) || page.body.byteLength <= COPY_BYTES)
  )
}
