import { COPY_BYTES } from './job.ts'
import type { Job } from './job.ts'
import { failed } from './page.ts'
import type { Extraction } from './page.ts'
import { monotonicMs } from './worker-task.ts'
import type { Threads, WorkerBatch } from './worker-task.ts'

/**
 * Runs some jobs in one thread and settles them. Where one of them has the thread killed, that one gets its fault and the others are returned, to
 * be run again (extraction is pure). Never rejects.
 */
export async function runBatchIn(piscina: Threads, jobs: readonly Job[]): Promise<readonly Job[]> {
  const progress = new Float64Array(new SharedArrayBuffer(16)).fill(-1)
  const batch: WorkerBatch = { tasks: jobs.map(({ page, config }) => ({ page, config })), progress }
  const watch = new Watch(jobs, progress)
  try {
    const answers = await piscina.run(batch, { signal: watch.signal, transferList: transfers(jobs) })
    for (const [place, job] of jobs.entries())
      job.settle(answers[place] ?? failed('internal', 'The extraction thread gave no answer.'))
    return []
  } catch (error) {
    return settleCulprit(jobs, progress, faultOf(error, watch))
  } finally {
    watch.stop()
  }
}

/** Only a buffer that holds nothing but the body can be moved: small Buffers of Node share one. */
function transfers(jobs: readonly Job[]): ArrayBuffer[] {
  const [only, second] = jobs
  if (only === undefined || second !== undefined || only.page.body.byteLength <= COPY_BYTES) return []
  const { buffer, byteLength } = only.page.body
  return buffer instanceof ArrayBuffer && byteLength === buffer.byteLength ? [buffer] : []
}

function settleCulprit(jobs: readonly Job[], progress: Float64Array, fault: Extraction): readonly Job[] {
  // A thread that dies before its first task dies of something else; its first job takes the blame, so that nothing is tried for ever.
  const culprit = jobs[Math.max(0, progress[0] ?? 0)]
  culprit?.settle(fault)
  return jobs.filter((job) => job !== culprit)
}

function faultOf(error: unknown, watch: Watch): Extraction {
  if (watch.expired !== null) {
    return failed(
      'extract_timeout',
      `Reading the page took longer than ${watch.expired} ms and was stopped. Simplify the selector or pattern.`,
    )
  }
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return failed(
      'extract_memory',
      'Reading the page needed more memory than a check may use. Watch a smaller page, or simplify the selector.',
    )
  }
  return failed('internal', `The extraction thread failed: ${String(message)}`)
}

/** Longest wait for a thread to begin: starting one takes about 0.2 s, more on a busy machine. */
const START_MS = 15_000

/** Watches the clock of the task that a thread is at. One timer serves a whole batch. */
class Watch {
  /** The limit that ran out, in ms. */
  expired: number | null = null
  readonly #abort = new AbortController()
  readonly #jobs: readonly Job[]
  readonly #progress: Float64Array
  readonly #since = monotonicMs()
  #timer: NodeJS.Timeout

  constructor(jobs: readonly Job[], progress: Float64Array) {
    this.#jobs = jobs
    this.#progress = progress
    this.#timer = setTimeout(() => this.#look(), jobs[0]?.timeoutMs ?? 0)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    const [place = -1, since = 0] = this.#progress
    const limit = place < 0 ? START_MS : (this.#jobs[place]?.timeoutMs ?? 0)
    const left = limit - (monotonicMs() - (place < 0 ? this.#since : since))
    // Before the first task there is no telling how soon the thread begins: look again soon.
    if (left > 0) this.#timer = setTimeout(() => this.#look(), place < 0 ? Math.min(left, 50) : left + 1)
    else {
      this.expired = limit
      this.#abort.abort()
    }
  }
}
