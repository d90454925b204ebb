import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { createInTurn, type Whose } from '../../concurrency/gates/in-turn.ts'
import { createKeyedBudget } from '../../concurrency/gates/keyed-budget.ts'
import { ignoreLateErrors } from '../../concurrency/threads/ignore-late-errors.ts'
import type { TextChange } from '../../schema/run/delivery.ts'
import type { TextDiff } from '../../schema/run/run-diff.ts'
import type { TextPair } from './diff-texts.ts'

/** Compares texts of pages in a thread that can be terminated. */
export interface TextDiffer {
  /**
   * Returns the whole difference; null when it took too long or too much memory, when too many others wait, or when the
   * signal came. Teams take turns: `key` is the team's.
   */
  diff(pair: TextPair, whose: Whose): Promise<TextDiff | null>
  /** Returns what a message shows of the difference; null as above. */
  excerpt(pair: TextPair, whose: Whose): Promise<TextChange | null>
  close(): Promise<void>
}

/** The thread ends its search long before. This is for a text on which it does not get that far. */
const LIMIT_MS = 5_000
/** Each waiting pair is held in memory. */
const MOST_WAITING = 64
/** Of one team, so that its many texts leave room to those of others. */
const MOST_OF_TEAM = 16

/** Creates a differ. Its one thread starts when it is first needed. */
export function createTextDiffer({ timeoutMs = LIMIT_MS }: { timeoutMs?: number } = {}): TextDiffer {
  const threads = ignoreLateErrors(
    new Piscina({
      filename: fileURLToPath(new URL('diff-texts.ts', import.meta.url)),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 60_000,
      concurrentTasksPerWorker: 1,
      resourceLimits: { maxOldGenerationSizeMb: 256 },
      env: {},
      execArgv: [],
      recordTiming: false,
    }),
  )
  // One at a time, so that a pair's time limit starts when it runs, not when it waits.
  const turns = createInTurn()
  const room = createKeyedBudget<string>({ total: MOST_WAITING, perKey: MOST_OF_TEAM })
  return {
    diff: (pair, whose) => inTurn<TextDiff>('diffTexts', pair, whose),
    excerpt: (pair, whose) => inTurn<TextChange>('excerptTexts', pair, whose),
    close: () => threads.destroy(),
  }

  async function inTurn<T>(name: Exported, pair: TextPair, whose: Whose): Promise<T | null> {
    const leave = room.take(whose.key, 1)
    if (typeof leave === 'string') return null
    try {
      return await turns.do(() => run<T>(name, pair, whose), whose)
    } finally {
      leave()
    }
  }

  async function run<T>(name: Exported, pair: TextPair, whose: Whose): Promise<T | null> {
    // The start of the thread does not count as the pair's time.
    if (threads.threads.length === 0) await threads.run({ before: '', after: '' }, { name })
    const limit = AbortSignal.timeout(timeoutMs)
    const signal = whose.signal ? AbortSignal.any([limit, whose.signal]) : limit
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
