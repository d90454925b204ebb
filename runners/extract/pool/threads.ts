import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { createPool } from '../../../concurrency/threads/pool.ts'
import type { Threads, WorkerAnswer, WorkerBatch } from './job.ts'

interface ThreadOptions {
  readonly threads: number
  /** The heap of each thread, in MB. */
  readonly heapMb: number
  readonly nice: number
}

/** Creates threads that run batches. */
export function startThreads(options: ThreadOptions): Threads {
  const file = new URL('run-batch.ts', import.meta.url)
  return createPool<WorkerBatch, WorkerAnswer>({ file, name: 'runBatch', env: compiledCode(), ...options })
}

/**
 * A thread has the process's cache of compiled code, if there is one. Node adds the folder of its version to the path.
 */
function compiledCode(): Record<string, string> {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}
