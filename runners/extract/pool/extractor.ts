import { createSpeeds, SLOW_MS } from '../../../concurrency/gates/speed.ts'
import { Running } from '../../../concurrency/loops/wakeable-loop.ts'
import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import { createDocumentOpener, type DocumentOpener, type OpenedPage } from '../documents/document-opener.ts'
import type { DocumentForm } from '../documents/opened-document.ts'
import { documentFormOf } from '../documents/reads-document.ts'
import type { InternalErrorReport } from '../internal-fault.ts'
import { EXTRACT_LIMITS } from '../limits.ts'
import { failed, type Extraction, type Failed, type Page } from '../page.ts'
import { readsText } from '../reads-text.ts'
import { isShell, SHELL } from '../shell/is-shell.ts'
import { isJsonType, mediaType } from '../text/page-kind.ts'
import { runBatch, type Leftover } from './batch.ts'
import {
  COPY_BYTES,
  defaultTimeoutMs,
  type Job,
  type ReadConfig,
  type Threads,
  createLine,
  type Line,
  createSlowLine,
  type SlowLine,
} from './job.ts'
import type { ThreadReader } from './thread-reader.ts'
import { startThreads } from './threads.ts'

interface ExtractorOptions {
  /**
   * The most threads, without those for slow pages and for trials; default 1. They start when they are first needed.
   */
  readonly threads?: number
  /** The heap of a thread in MB. */
  readonly heapMb?: number
  /** Is told of each unexpected error: where it was thrown, and the run. */
  readonly onInternalError?: InternalErrorReport | undefined
}

interface ExtractCall {
  /** Wall-clock time in the thread; waiting for a thread does not count. Default 1 s per rule, 5 s in total. */
  readonly timeoutMs?: number
  /** The number of the monitor. By it the pool remembers which monitors delayed others. */
  readonly key?: number
  /** The team. Teams take turns where files are opened. */
  readonly team?: string | undefined
  /** A page that is a shell (extract/shell) is not read: its extraction says no more. Default: every page is. */
  readonly unlessShell?: boolean
  /** The run, for the log. */
  readonly runId?: string | undefined
  /** Ends the wait with the fault `timeout`. A thread that is working continues until its own limit. */
  readonly signal?: AbortSignal
}

type DocumentCall = ExtractCall & { readonly form: DocumentForm }

export interface Extractor {
  /**
   * Runs `extract` of extract.ts in a thread. The thread is killed when it takes too long (`extract_timeout`) or too
   * much memory (`extract_memory`); other calls are not affected. Never rejects. A body over 256 KiB that owns its
   * buffer may be moved to a thread: do not use it afterwards.
   */
  extract(page: Page, config: ExtractConfig, call?: ExtractCall): Promise<Extraction>
  /** Runs another reader in a thread, likewise. */
  read<Read>(reader: ThreadReader<Read>, page: Page, call?: ExtractCall): Promise<ReadPage<Read>>
  /** Returns a file as rules read it: as HTML, or as JSON for those of JSONPath. The same holds for its body. */
  open(page: Page, form: DocumentForm, call?: ExtractCall): Promise<OpenedPage | Failed>
  /** Waits for running jobs, refuses waiting ones, and ends the threads. */
  close(): Promise<void>
}

/** The result of another reader. */
type ReadPage<Read> = { readonly ok: true; readonly read: Read } | Failed

/**
 * Creates a pool of extraction threads.
 *
 * Its cost, on 2 cores with one thread, for one CSS field on a 20 KB page: bare parse5 + css-select in the main thread
 * 766 µs; `extract` there 871 µs (about 0.55 of that since HTML is read by stretches, html-tokenizer.ts); through the
 * pool one call at a time 1,150 µs, eight at a time and more 915 µs. On a page of five bytes: inline 11 µs, one call at
 * a time 211 µs, many 33 µs. The reason for batches: a thread that waits for the main thread's next turn after each
 * page is idle for longer than a small page takes. The first call waits 0.15 s for its thread. The main thread spends
 * 30 µs on a page of 20 KB among many, a third of what it was with batches of eight and a measure of the page there
 * (extract/shell).
 *
 * Fifty monitors whose patterns never end would keep any number of threads busy for ever, and all others would wait. So
 * a job that is slow (`SLOW_MS.extraction`) while others wait is stopped. It starts again in a thread for slow pages.
 * Its monitor then uses that thread at once, until its pages are quick again. After the first such page, unknown
 * monitors are tried in a third thread. The thread for slow pages has a lower priority than everything else. Neither
 * thread is started before it is needed. The effect on other monitors is measured in test/hostile/lateness.fault.ts.
 */
export function createExtractor(options: ExtractorOptions = {}): Extractor {
  return new ThreadedExtractor(options)
}

/**
 * If one quick page were enough, a site could delay others at every second check. A monitor that is forgotten is
 * unknown again, and waits behind the quick ones once more.
 */
const SPEEDS = { slowMs: SLOW_MS.extraction, toMakeGood: 5, mostRemembered: 50_000 }
/** The priority that keeps slow pages from taking processor time from other checks. */
const SLOW_NICENESS = 10

class ThreadedExtractor implements Extractor {
  readonly #quick: ThreadGroup
  readonly #trial: ThreadGroup
  readonly #patient: ThreadGroup
  readonly #line: Line
  readonly #slow: SlowLine = createSlowLine()
  /** Which monitors delayed a thread, and which never did. */
  readonly #speeds = createSpeeds<number | null>(SPEEDS)
  readonly #documents: DocumentOpener = createDocumentOpener()
  readonly #running = new Running()
  readonly #onInternalError: InternalErrorReport | undefined
  #pumping = false
  #closing = false

  constructor(options: ExtractorOptions) {
    const { threads = 1, heapMb = EXTRACT_LIMITS.heapMb } = options
    this.#onInternalError = options.onInternalError
    this.#line = createLine(threads)
    this.#quick = groupOf(threads, heapMb, 0)
    this.#trial = groupOf(1, heapMb, 0)
    this.#patient = groupOf(1, heapMb, SLOW_NICENESS)
  }

  async extract(page: Page, config: ExtractConfig, call: ExtractCall = {}): Promise<Extraction> {
    const form = documentFormOf(config)
    if (form !== null) return this.#ofDocument(page, config, { ...call, form })
    if (!hashesInline(page, config)) return this.#inThread(page, config, call)
    // The parsers come with it, which this thread needs for nothing else.
    const { extractHash } = await import('../extract.ts')
    const hashed = extractHash(page)
    if (!hashed.ok) return hashed
    // A page whose text cannot be read still has its hash.
    const read = await this.#inThread(page, config, call)
    if (read.ok) return read
    // A body that was moved to a thread was measured there first, and is empty here.
    return call.unlessShell === true && page.body.byteLength > 0 && isShell(page.body) ? SHELL : hashed
  }

  open(page: Page, form: DocumentForm, call: ExtractCall = {}): Promise<OpenedPage | Failed> {
    return this.#open(page, { ...call, form }, (opened) => opened)
  }

  async #open<Used extends { readonly ok: boolean }>(
    page: Page,
    call: DocumentCall,
    use: (opened: OpenedPage) => Used | Promise<Used>,
  ): Promise<Used | Failed> {
    if (this.#closing) return closing()
    const { form, key = null, signal, team, runId } = call
    let isOpen = false
    const isSlow = this.#speeds.of(key) === 'slow'
    const using = this.#documents.open(page, { form, key, signal, team, isSlow }, (opened) => {
      isOpen = true
      return use(opened)
    })
    this.#running.add(using)
    const used = await using
    // Of what is read then, the thread reports.
    if (!isOpen && 'trace' in used && used.trace !== undefined) this.#onInternalError?.(used.trace, runId)
    return used
  }

  /** Rules read what a process makes of a file, as if that had been sent. */
  #ofDocument(page: Page, config: ExtractConfig, call: DocumentCall): Promise<Extraction> {
    return this.#open<Extraction>(page, call, async (opened) => {
      const read = await this.#inThread(opened.page, config, call)
      return read.ok ? { ...read, warnings: [...opened.warnings, ...read.warnings] } : read
    })
  }

  async read<Read>(reader: ThreadReader<Read>, page: Page, call: ExtractCall = {}): Promise<ReadPage<Read>> {
    const { isRead, ...config } = reader
    const extraction = await this.#inThread(page, { method: 'reader', ...config }, call)
    if (!extraction.ok) return extraction
    const { read } = extraction
    return isRead(read) ? { ok: true, read } : failed('internal', 'The page was read as another one.')
  }

  #inThread(page: Page, config: ReadConfig, call: ExtractCall): Promise<Extraction> {
    if (this.#closing) return Promise.resolve(closing())
    const { signal, timeoutMs = defaultTimeoutMs(config), key = null, unlessShell = false } = call
    if (signal?.aborted) return Promise.resolve(stopped())
    return new Promise((resolve) => {
      const leave = (): void => {
        job.dropped = true
        resolve(stopped())
      }
      const settle = (extraction: Extraction): void => {
        signal?.removeEventListener('abort', leave)
        if (extraction.trace !== undefined) this.#onInternalError?.(extraction.trace, call.runId)
        resolve(extraction)
      }
      const job: Job = { page, config, timeoutMs, unlessShell, key, settle, dropped: false }
      signal?.addEventListener('abort', leave, { once: true })
      const speed = this.#speeds.of(key)
      if (speed === 'slow') this.#slow.add(job)
      else this.#line.add(job, speed === 'quick')
      this.#pumpSoon()
    })
  }

  async close(): Promise<void> {
    this.#closing = true
    for (const job of [...this.#line.drain(), ...this.#slow.drain()]) job.settle(closing())
    await Promise.all([this.#documents.close(), this.#running.settled()])
    await Promise.all([this.#quick, this.#trial, this.#patient].map(({ threads }) => threads.destroy()))
  }

  /** Calls within one turn of the event loop are collected, so that they can share a message to the thread. */
  #pumpSoon(): void {
    if (this.#pumping) return
    this.#pumping = true
    queueMicrotask(() => {
      this.#pumping = false
      this.#pump()
    })
  }

  #pump(): void {
    while (this.#quick.running < this.#quick.size && this.#startTrusting(this.#quick, this.#line.takeForQuick()));
    if (this.#trial.running === 0) this.#startTrusting(this.#trial, this.#line.takeForTrial())
    if (this.#patient.running === 0) this.#startPatient()
  }

  /**
   * Runs a batch of monitors of which none is known to be slow. A job that turns out to be slow has to make room for
   * waiting ones.
   */
  #startTrusting(group: ThreadGroup, jobs: readonly Job[]): boolean {
    if (jobs.length === 0) return false
    const mustMakeRoom = (): boolean => (group === this.#trial ? this.#line.hasUnknown : !this.#line.isEmpty)
    this.#start(group, runBatch(jobs, { threads: group.threads, speeds: this.#speeds, mustMakeRoom }))
    return true
  }

  #startPatient(): void {
    const job = this.#slow.take()
    if (job) this.#start(this.#patient, runBatch([job], { threads: this.#patient.threads, speeds: this.#speeds }))
  }

  #start(group: ThreadGroup, run: Promise<Leftover>): void {
    group.running += 1
    const done = run.then(({ again, slow, killed }) => {
      group.running -= 1
      if (killed) this.#line.trouble()
      if (this.#closing) for (const job of slow ? [slow, ...again] : again) job.settle(closing())
      else {
        this.#line.putBack(again, (job) => this.#speeds.of(job.key) === 'quick')
        if (slow) this.#slow.add(slow)
      }
      this.#pump()
    })
    this.#running.add(done)
  }
}

/** Threads for one kind of work. */
interface ThreadGroup {
  readonly threads: Threads
  readonly size: number
  running: number
}

function groupOf(size: number, heapMb: number, nice: number): ThreadGroup {
  return { threads: startThreads({ threads: size, heapMb, nice }), size, running: 0 }
}

function closing(): Failed {
  return failed('internal', 'The worker is shutting down.')
}

function stopped(): Extraction {
  return failed('timeout', 'The check was stopped before its page was read.')
}

/**
 * Returns whether a page's hash needs no thread. A hash of bytes is linear and takes about 1 ms per MB, and so does
 * sorting the keys of a small JSON response.
 */
function hashesInline(page: Page, config: ExtractConfig): boolean {
  if (config.method !== 'full_page' || readsText(config)) return false
  return !isJsonType(mediaType(page.contentType)) || page.body.byteLength <= COPY_BYTES
}
