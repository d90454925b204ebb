import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { ignoreLateErrors } from '../../../concurrency/threads/ignore-late-errors.ts'
import type { Threads } from './job.ts'

interface ThreadOptions {
  readonly threads: number
  /** The heap of each thread, in MB. */
  readonly heapMb: number
  /** The niceness of the threads. Only Linux supports it for a thread. */
  readonly nice: number
}

/** Creates threads that run batches. They start when they are first needed. */
export function startThreads({ threads, heapMb, nice }: ThreadOptions): Threads {
  return ignoreLateErrors(
    new Piscina({
      filename: fileURLToPath(new URL('run-batch.ts', import.meta.url)),
      name: 'runBatch',
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: 60_000,
      // One batch at a time: killing a thread must not end the work of another batch.
      concurrentTasksPerWorker: 1,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 64 },
      // A parser needs none of the process's environment, flags or secrets.
      env: compiledCode(),
      execArgv: [],
      recordTiming: false,
      niceIncrement: process.platform === 'linux' ? nice : 0,
    }),
  )
}

/** A thread has the process's cache of compiled code, if there is one. Node names the part of its own version in it. */
function compiledCode(): Record<string, string> {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}
