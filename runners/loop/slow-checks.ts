import type { Task } from '../check/task.ts'

/** Which monitors took long last time. */
interface SlowChecks {
  has(task: Pick<Task, 'no'>): boolean
  ended(task: Pick<Task, 'no'>, tookMs: number): void
}

const SLOW_MS = 5_000
/** The one that was noted first is forgotten first, and noted again by its next check. */
const MOST_REMEMBERED = 10_000

/** Slow is what took this long. */
export function createSlowChecks(slowMs = SLOW_MS): SlowChecks {
  const slow = new Set<number>()
  return {
    has: ({ no }) => slow.has(no),
    ended({ no }, tookMs) {
      if (tookMs < slowMs) {
        slow.delete(no)
        return
      }
      slow.add(no)
      if (slow.size <= MOST_REMEMBERED) return
      for (const oldest of slow) {
        slow.delete(oldest)
        return
      }
    },
  }
}
