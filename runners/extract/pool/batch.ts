import type { Speeds } from '../../../concurrency/speed.ts'
import { COPY_BYTES, type Job, QUICK_MS } from './job.ts'
import { failed } from '../page.ts'
import type { Extraction } from '../page.ts'
import { Watch } from './watch.ts'
import { PROGRESS } from './worker-task.ts'
import type { Threads, WorkerBatch } from './worker-task.ts'

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
  const batch: WorkerBatch = { tasks: jobs.map(({ page, config }) => ({ page, config })), progress }
  const watch = new Watch({ jobs, progress, mustMakeRoom })
  try {
    // The body of a job that may have to make room is copied, because it may be needed again.
    const transferList = mustMakeRoom ? [] : transfers(jobs)
    const answers = await threads.run(batch, { signal: watch.signal, transferList })
    for (const [place, job] of jobs.entries()) {
      if (job.key !== null) speeds.took(job.key, progress[PROGRESS.used + place] ?? 0)
      job.settle(answers[place] ?? failed('internal', 'The extraction thread gave no answer.'))
    }
    return { again: [], slow: null, killed: false }
  } catch (error) {
    // If a thread dies before its first task, the cause is unknown. The fault is given to its first job, so that no job
    // is retried for ever.
    const culprit = jobs[Math.max(0, progress[PROGRESS.place] ?? 0)] ?? null
    const again = jobs.filter((job) => job !== culprit)
    if (culprit && culprit.key !== null) speeds.took(culprit.key, QUICK_MS)
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
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return failed(
      'extract_memory',
      'Reading the page needed more memory than a check may use. Watch a smaller page, or simplify the selector.',
    )
  }
  return failed('internal', `The extraction thread failed: ${String(message)}`)
}
