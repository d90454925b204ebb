import { readFileSync } from 'node:fs'
import { SLOW_MS, type Speeds } from '../../../concurrency/gates/speed.ts'
import { internalFault } from '../internal-fault.ts'
import { failed, type Extraction } from '../page.ts'
import { COPY_BYTES, type Job, PROGRESS, type Threads, type WorkerBatch, monotonicMs } from './job.ts'

/** The thread and the rules for a batch. */
interface BatchRun {
  readonly threads: Threads
  /** Speeds by the keys of jobs. */
  readonly speeds: Speeds<number>
  /** Returns whether a job that is not quick has to make room now; absent: all jobs may use their full time. */
  readonly mustMakeRoom?: () => boolean
}

/** The jobs that a batch did not complete. */
export interface Leftover {
  /** Jobs without a fault whose thread was killed. */
  readonly again: readonly Job[]
  /** A job that was stopped to make room. It has to run where it delays no other job. */
  readonly slow: Job | null
  /** A page took so much time or memory that its thread was killed. */
  readonly killed: boolean
}

/**
 * Runs some jobs in one thread and completes them. If one of them causes the thread to be killed, that job gets its
 * fault (or makes room). The others are returned to be run again, because extraction is pure. Never rejects.
 */
export async function runBatch(jobs: readonly Job[], run: BatchRun): Promise<Leftover> {
  const { threads, speeds, mustMakeRoom = null } = run
  const progress = new Float64Array(new SharedArrayBuffer(8 * (PROGRESS.used + jobs.length))).fill(-1)
  const batch: WorkerBatch = {
    tasks: jobs.map(({ page, config, unlessShell }) => ({ page, config, unlessShell })),
    progress,
  }
  const watch = new Watch({ jobs, progress, mustMakeRoom })
  try {
    // The body of a job that may have to make room is copied, because it may be needed again.
    const transferList = mustMakeRoom ? [] : transfers(jobs)
    const answers = await threads.run(batch, { signal: watch.signal, transferList })
    for (const [index, job] of jobs.entries()) {
      if (job.key !== null) speeds.took(job.key, progress[PROGRESS.used + index] ?? 0)
      job.settle(answers[index] ?? failed('internal', 'The extraction thread gave no answer.'))
    }
    return { again: [], slow: null, killed: false }
  } catch (error) {
    // If a thread dies before its first task, the cause is unknown. The fault is given to its first job, so that no job
    // is retried for ever.
    const culprit = jobs[Math.max(0, progress[PROGRESS.index] ?? 0)] ?? null
    const again = jobs.filter((job) => job !== culprit)
    if (culprit && culprit.key !== null) speeds.took(culprit.key, SLOW_MS.extraction)
    if (watch.end === 'made room') return { again, slow: culprit, killed: true }
    culprit?.settle(faultOf(error, watch))
    return { again, slow: null, killed: true }
  } finally {
    watch.stop()
  }
}

/** A body can be moved only if its buffer contains nothing else: small Buffers of Node share one. */
function transfers(jobs: readonly Job[]): ArrayBuffer[] {
  const [only, second] = jobs
  if (only === undefined || second !== undefined || only.page.body.byteLength <= COPY_BYTES) return []
  const { buffer, byteLength } = only.page.body
  return buffer instanceof ArrayBuffer && byteLength === buffer.byteLength ? [buffer] : []
}

function faultOf(error: unknown, { end }: Watch): Extraction {
  if (typeof end === 'number') {
    return failed(
      'extract_timeout',
      `Reading the page took longer than ${end} ms and was stopped. Simplify the selector or pattern.`,
    )
  }
  const { code } = error as { code?: unknown }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return failed(
      'extract_memory',
      'Reading the page needed more memory than a check may use. Watch a smaller page, or simplify the selector.',
    )
  }
  return internalFault(error)
}

/** The longest wait for a thread to begin. Starting one takes about 0.2 s, and more on a busy machine. */
const START_MS = 15_000
/** How often it is checked whether a slow task has to make room, and whether a thread has begun. */
const LOOK_AGAIN_MS = 50

interface Watched {
  readonly jobs: readonly Job[]
  /** As in `WorkerBatch`. */
  readonly progress: Float64Array
  readonly mustMakeRoom: (() => boolean) | null
}

/**
 * Watches the time of the task that a thread is running, and aborts its signal when the task has taken too long. One
 * timer serves a whole batch.
 */
class Watch {
  /** Why the signal was aborted: the time limit that was exceeded, in ms, or the need to make room. */
  end: number | 'made room' | null = null
  readonly #abort = new AbortController()
  readonly #watched: Watched
  readonly #since = monotonicMs()
  #timer: NodeJS.Timeout

  constructor(watched: Watched) {
    this.#watched = watched
    this.#timer = this.#lookIn(
      Math.min(watched.jobs[0]?.timeoutMs ?? 0, watched.mustMakeRoom ? SLOW_MS.extraction : Infinity),
    )
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #lookIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(), ms)
  }

  #look(): void {
    const { jobs, progress, mustMakeRoom } = this.#watched
    const index = progress[PROGRESS.index] ?? -1
    const since = progress[PROGRESS.since] ?? 0
    const limit = index < 0 ? START_MS : (jobs[index]?.timeoutMs ?? 0)
    const spent = monotonicMs() - (index < 0 ? this.#since : since)
    if (spent >= limit) this.#stopThread(limit)
    // Before the first task it is not known how soon the thread begins.
    else if (index < 0) this.#timer = this.#lookIn(Math.min(limit - spent, LOOK_AGAIN_MS))
    else if (mustMakeRoom === null) this.#timer = this.#lookIn(limit - spent + 1)
    else if (
      spent >= SLOW_MS.extraction &&
      (index < jobs.length - 1 || mustMakeRoom()) &&
      usedMs(progress, spent) >= SLOW_MS.extraction
    )
      this.#stopThread('made room')
    else this.#timer = this.#lookIn(Math.min(limit - spent, Math.max(SLOW_MS.extraction - spent, LOOK_AGAIN_MS)) + 1)
  }

  #stopThread(end: number | 'made room'): void {
    this.end = end
    this.#abort.abort()
  }
}

/**
 * Returns the processor time of the current task of the thread. On an overloaded machine every page takes long by
 * wall-clock time, and all of them would become slow at once. If the system does not report processor time, this
 * returns the elapsed time.
 */
function usedMs(progress: Float64Array, spent: number): number {
  const thread = progress[PROGRESS.thread] ?? -1
  if (thread < 0) return spent
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'latin1').split(' ')
    return Number(nanoseconds) / 1e6 - (progress[PROGRESS.usedBefore] ?? 0)
  } catch {
    return spent
  }
}
