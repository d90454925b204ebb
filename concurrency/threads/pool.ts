import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { ignoreLateErrors } from './ignore-late-errors.ts'

export interface PoolOptions {
  /** The module that the threads load. */
  readonly file: URL
  /** The function that a task calls. Default: each task names its own. */
  readonly name?: string
  /** The heap of a thread in MB. */
  readonly heapMb: number
  /** Default 1. */
  readonly threads?: number
  /** The niceness of the threads. Only Linux supports it for a thread. Default 0. */
  readonly nice?: number
  /** Variables of the environment. Default: none, because a thread needs no flags or secrets of the process. */
  readonly env?: Readonly<Record<string, string>>
}

/** Creates threads that may be killed. They start when they are first needed, and end when they are idle. */
export function createPool<Task, Result>(options: PoolOptions): Piscina<Task, Result> {
  const { file, name, heapMb, threads = 1, nice = 0, env = {} } = options
  return ignoreLateErrors(
    new Piscina<Task, Result>({
      filename: fileURLToPath(file),
      ...(name !== undefined && { name }),
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: 60_000,
      // One task at a time: killing a thread must not end the work of another task.
      concurrentTasksPerWorker: 1,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 64 },
      env,
      execArgv: [],
      recordTiming: false,
      niceIncrement: process.platform === 'linux' ? nice : 0,
    }),
  )
}
