import type { Speeds } from '../../../concurrency/speed.ts'
import { COPY_BYTES, type Job, QUICK_MS } from './job.ts'
import { failed } from '../page.ts'
import type { Extraction } from '../page.ts'
import { Watch } from './watch.ts'
import { PROGRESS } from './worker-task.ts'
import type { Threads, WorkerBatch } from './worker-task.ts'

/** Where and how a batch runs. */
interface BatchRun {
  readonly threads: Threads
  /** By the keys of jobs. */
  readonly speeds: Speeds<number>
  /** Whether a job that is not quick has to make room now; absent: all have all of their time. */
  readonly mustMakeRoom?: () => boolean
}

/** What a batch left to be done. */
export interface Leftover {
  /** Had no fault, but their thread was killed. */
  readonly again: readonly Job[]
  /** Was stopped to make room, and has to be done where it holds up nobody. */
  readonly slow: Job | null
  /** A page took so long, or so much memory, that its thread was killed. */
  readonly killed: boolean
}

/**
 * Runs some jobs in one thread and settles them. Where one of them has the thread killed, that one gets its fault (or
 * makes room) and the others are left, to be run again: extraction is pure. Never rejects.
 */
export async function runBatch(jobs: readonly Job[], run: BatchRun): Promise<Leftover> {
  const { threads, speeds, mustMakeRoom = null } = run
  const progress = new Float64Array(new SharedArrayBuffer(8 * (PROGRESS.used + jobs.length))).fill(-1)
  const batch: WorkerBatch = { tasks: jobs.map(({ page, config }) => ({ page, config })), progress }
  const watch = new Watch({ jobs, progress, mustMakeRoom })
  try {
    // What may have to make room is copied: it is needed once more.
    const transferList = mustMakeRoom ? [] : transfers(jobs)
    const answers = await threads.run(batch, { signal: watch.signal, transferList })
    for (const [place, job] of jobs.entries()) {
      if (job.key !== null) speeds.took(job.key, progress[PROGRESS.used + place] ?? 0)
      job.settle(answers[place] ?? failed('internal', 'The extraction thread gave no answer.'))
    }
    return { again: [], slow: null, killed: false }
  } catch (error) {
    // A thread that dies before its first task dies of something else; its first job takes the blame, so that nothing
    // is tried for ever.
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

/** Only a buffer that holds nothing but the body can be moved: small Buffers of Node share one. */
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
