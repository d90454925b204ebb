import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { TextChange } from '../../schema/run/delivery.ts'
import type { TextDiff } from '../../schema/run/run-diff.ts'
import type { TextPair } from './diff-texts.ts'

/** Compares texts of pages in a thread that can be terminated. */
export interface TextDiffer {
  /** Returns the whole difference; null when it took too long or too much memory, or too many others wait. */
  diff(pair: TextPair): Promise<TextDiff | null>
  /** Returns what a message shows of the difference; null as above. */
  excerpt(pair: TextPair): Promise<TextChange | null>
  close(): Promise<void>
}

/** The thread ends its search long before. This is for a text on which it does not get that far. */
const LIMIT_MS = 5_000
/** Each waiting pair is held in memory. */
const MOST_WAITING = 32

/** Creates a differ. Its one thread starts when it is first needed. */
export function createTextDiffer({ timeoutMs = LIMIT_MS }: { timeoutMs?: number } = {}): TextDiffer {
  const threads = new Piscina({
    filename: fileURLToPath(new URL('diff-texts.ts', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    concurrentTasksPerWorker: 1,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
    env: {},
    execArgv: [],
    recordTiming: false,
  })
  // One at a time, so that a pair's time limit starts when it runs, not when it waits.
  let queue: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return {
    diff: (pair) => inTurn<TextDiff>('diffTexts', pair),
    excerpt: (pair) => inTurn<TextChange>('excerptTexts', pair),
    close: () => threads.destroy(),
  }

  async function inTurn<T>(name: Exported, pair: TextPair): Promise<T | null> {
    if (waiting >= MOST_WAITING) return null
    waiting += 1
    const result = queue.then(() => run<T>(name, pair)).finally(() => (waiting -= 1))
    queue = result.catch(() => undefined)
    return result
  }

  async function run<T>(name: Exported, pair: TextPair): Promise<T | null> {
    // The start of the thread does not count as the pair's time.
    if (threads.threads.length === 0) await threads.run({ before: '', after: '' }, { name })
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      return (await threads.run(pair, { name, signal })) as T
    } catch (error) {
      if (signal.aborted || isOutOfMemory(error)) return null
      throw error
    }
  }
}

/** What the thread does. */
type Exported = 'diffTexts' | 'excerptTexts'

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
