import { readFileSync } from 'node:fs'
import { type Job, QUICK_MS } from './job.ts'
import { monotonicMs, PROGRESS } from './worker-task.ts'

/** Longest wait for a thread to begin: starting one takes about 0.2 s, more on a busy machine. */
const START_MS = 15_000
/** Whether a slow task has to make room, and whether a thread has begun, is looked at this often. */
const LOOK_AGAIN_MS = 50

interface Watched {
  readonly jobs: readonly Job[]
  /** As in `WorkerBatch`. */
  readonly progress: Float64Array
  readonly mustMakeRoom: (() => boolean) | null
}

/**
 * Watches the clock of the task that a thread is at, and aborts its signal when that has taken too long. One timer
 * serves a whole batch.
 */
export class Watch {
  /** Why the signal was aborted: the limit that ran out, in ms, or to make room. */
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
    // Before the first task it is unknown how soon the thread begins.
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
 * Processor time of the task that the thread is at. On a machine that has more to do than it can, every page takes
 * long, and if that counted, all would be slow at once. Where the system does not tell, the time that went by.
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
