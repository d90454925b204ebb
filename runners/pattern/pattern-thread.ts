import { Thread, type Whose } from '../../concurrency/threads/thread.ts'
import type { PatternQuestion } from '../../core/predicate/pattern-question.ts'

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
  const file = new URL('match-pattern.ts', import.meta.url)
  const warmUp = { pattern: '', text: '' }
  const thread = new Thread<PatternQuestion, boolean>({
    file,
    name: 'matchPattern',
    heapMb: 128,
    warmUp,
    perKey: perTeam,
    total,
  })
  return {
    async ask(question, whose, isNeeded) {
      try {
        const done = await thread.do(question, { ...whose, timeoutMs, isNeeded })
        if (done.ok) return done.result
        return done.why === 'memory' ? 'timeout' : done.why
      } catch (error) {
        // The API refuses patterns that do not compile. An engine that became stricter would find one here.
        if (error instanceof Error && error.name === 'SyntaxError') return false
        throw error
      }
    },
    get waiting() {
      return thread.waiting
    },
    close: () => thread.close(),
  }
}
