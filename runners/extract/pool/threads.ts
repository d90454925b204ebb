import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { Threads } from './worker-task.ts'

interface ThreadOptions {
  readonly threads: number
  /** Heap of each, in MB. */
  readonly heapMb: number
  /** How far they give way to everybody else. Only Linux has that for a thread. */
  readonly nice: number
}

/** Makes threads that run batches; they start when first needed. */
export function startThreads({ threads, heapMb, nice }: ThreadOptions): Threads {
  return new Piscina({
    filename: fileURLToPath(new URL('worker.ts', import.meta.url)),
    name: 'runBatch',
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 60_000,
    // One at a time: killing a thread must end nobody else's work.
    concurrentTasksPerWorker: 1,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 64 },
    // Nothing of the process' environment, flags or secrets is of use to a parser.
    env: {},
    execArgv: [],
    recordTiming: false,
    niceIncrement: process.platform === 'linux' ? nice : 0,
  })
}
