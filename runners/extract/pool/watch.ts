import { readFileSync } from 'node:fs'
import { type Job, QUICK_MS } from './job.ts'
import { monotonicMs, PROGRESS } from './worker-task.ts'

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
export class Watch {
  /** Why the signal was aborted: the time limit that was exceeded, in ms, or the need to make room. */
  end: number | 'made room' | null = null
  readonly #abort = new AbortController()
  readonly #watched: Watched
  readonly #since = monotonicMs()
  #timer: NodeJS.Timeout

  constructor(watched: Watched) {
    this.#watched = watched
    this.#timer = this.#lookIn(Math.min(watched.jobs[0]?.timeoutMs ?? 0, watched.mustMakeRoom ? QUICK_MS : Infinity))
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
    const place = progress[PROGRESS.place] ?? -1
    const since = progress[PROGRESS.since] ?? 0
    const limit = place < 0 ? START_MS : (jobs[place]?.timeoutMs ?? 0)
    const spent = monotonicMs() - (place < 0 ? this.#since : since)
    if (spent >= limit) this.#stopThread(limit)
    // Before the first task it is not known how soon the thread begins.
    else if (place < 0) this.#timer = this.#lookIn(Math.min(limit - spent, LOOK_AGAIN_MS))
    else if (mustMakeRoom === null) this.#timer = this.#lookIn(limit - spent + 1)
    else if (spent >= QUICK_MS && (place < jobs.length - 1 || mustMakeRoom()) && usedMs(progress, spent) >= QUICK_MS)
      this.#stopThread('made room')
    else this.#timer = this.#lookIn(Math.min(limit - spent, Math.max(QUICK_MS - spent, LOOK_AGAIN_MS)) + 1)
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
