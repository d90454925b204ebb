import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { createInTurn, type Whose } from '../../concurrency/gates/in-turn.ts'
import { createKeyedBudget } from '../../concurrency/gates/keyed-budget.ts'
import { ignoreLateErrors } from '../../concurrency/threads/ignore-late-errors.ts'

/** A pattern, and the text that it is tried on. */
export interface PatternQuestion {
  readonly pattern: string
  readonly text: string
}

/**
 * Why a pattern was not tried: so many of its team, or of all teams, are ahead; nobody waits for the answer; or it was
 * not needed any more.
 */
type Untried = 'crowded' | 'busy' | 'stopped' | 'unneeded'

/** A thread for patterns, which can be terminated. It tries one at a time, and teams take turns. */
interface PatternThread {
  /**
   * Returns `timeout` when the pattern took longer than it may, or all of its memory. `key` is the team. `isNeeded` is
   * asked when the turn of the question has come.
   */
  ask(question: PatternQuestion, whose: Whose, isNeeded: () => boolean): Promise<boolean | 'timeout' | Untried>
  /** How many are being tried, or wait. */
  readonly waiting: number
  /** Ends the thread. What waits is answered with `stopped`. */
  close(): Promise<void>
}

interface ThreadLimits {
  /** The time of one pattern. */
  readonly timeoutMs: number
  /** The most patterns that are tried or wait, of a team and of all. */
  readonly perTeam: number
  readonly total: number
}

/** Creates it. The thread starts when it is first needed. */
export function createPatternThread({ timeoutMs, perTeam, total }: ThreadLimits): PatternThread {
  const threads = ignoreLateErrors(
    new Piscina({
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
    }),
  )
  // One at a time, so that a pattern's time limit starts when it runs, not when it waits.
  const turns = createInTurn()
  const room = createKeyedBudget<string>({ total, perKey: perTeam })
  let waiting = 0
  let isClosed = false

  const ask: PatternThread['ask'] = async (question, whose, isNeeded) => {
    const leave = room.take(whose.key, 1)
    if (typeof leave === 'string') return leave === 'key' ? 'crowded' : 'busy'
    waiting += 1
    try {
      const work = async () => (isNeeded() ? run(question, whose.signal) : ('unneeded' as const))
      return (await turns.do(work, whose)) ?? 'stopped'
    } finally {
      waiting -= 1
      leave()
    }
  }

  async function run(question: PatternQuestion, stopped?: AbortSignal): Promise<boolean | 'timeout' | 'stopped'> {
    if (isClosed) return 'stopped'
    const limit = new AbortController()
    const signal = stopped ? AbortSignal.any([limit.signal, stopped]) : limit.signal
    let timer: NodeJS.Timeout | undefined
    try {
      // The start of the thread does not count as the pattern's time.
      if (threads.threads.length === 0) await threads.run({ pattern: '', text: '' })
      timer = setTimeout(() => limit.abort(), timeoutMs)
      return (await threads.run(question, { signal })) as boolean
    } catch (error) {
      if (isClosed || stopped?.aborted) return 'stopped'
      if (limit.signal.aborted || isOutOfMemory(error)) return 'timeout'
      // The API refuses patterns that do not compile. An engine that became stricter would find one here.
      if (error instanceof Error && error.name === 'SyntaxError') return false
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    ask,
    get waiting() {
      return waiting
    },
    async close() {
      isClosed = true
      await threads.destroy()
      await turns.rests()
    },
  }
}

const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
