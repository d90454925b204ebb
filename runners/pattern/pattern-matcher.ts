import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'

/** Tests patterns of predicates in a thread that can be terminated. */
export interface PatternMatcher {
  /**
   * Returns true or false; `timeout` when the pattern took longer than it may, or all of its memory. Never rejects
   * because of a pattern.
   */
  matches(pattern: string, text: string): Promise<boolean | 'timeout'>
  close(): Promise<void>
}

/** Creates a matcher. Its one thread starts when it is first needed. `timeoutMs` is per pattern, default 1,000. */
export function createPatternMatcher({ timeoutMs = 1000 }: { timeoutMs?: number } = {}): PatternMatcher {
  const threads = new Piscina({
    filename: fileURLToPath(new URL('match-pattern.ts', import.meta.url)),
    name: 'matchPattern',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    concurrentTasksPerWorker: 1,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
    env: {},
    execArgv: [],
    recordTiming: false,
  })
  // One at a time, so that a pattern's time limit starts when it runs, not when it waits.
  let queue: Promise<unknown> = Promise.resolve()
  return {
    matches(pattern, text) {
      const result = queue.then(() => run(pattern, text))
      queue = result.catch(() => undefined)
      return result
    },
    close: () => threads.destroy(),
  }

  async function run(pattern: string, text: string): Promise<boolean | 'timeout'> {
    // The start of the thread does not count as the pattern's time.
    if (threads.threads.length === 0) await threads.run({ pattern: '', text: '' })
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      return (await threads.run({ pattern, text }, { signal })) as boolean
    } catch (error) {
      if (signal.aborted || isOutOfMemory(error)) return 'timeout'
      // The API refuses patterns that do not compile. An engine that became stricter would find one here.
      if (error instanceof Error && error.name === 'SyntaxError') return false
      throw error
    }
  }
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
