import { sleep } from './sleep.ts'

/** The first and the longest pause between attempts, in milliseconds. */
export interface Pauses {
  readonly firstMs: number
  readonly longestMs: number
}

/** Returns how long to wait before the next attempt. Each pause is twice as long as the one before. */
interface Backoff {
  next(): number
  /** Call this when an attempt succeeded: the next pause is the first one again. */
  reset(): void
}

export function createBackoff({ firstMs, longestMs }: Pauses): Backoff {
  let nextMs = firstMs
  return {
    next() {
      const ms = nextMs
      nextMs = Math.min(longestMs, nextMs * 2)
      return ms
    },
    reset: () => void (nextMs = firstMs),
  }
}

export interface RetryOptions {
  /** Attempts are repeated for this long. After that the last error is thrown. */
  readonly patienceMs: number
  /** Returns whether the work may succeed later. Any other error is thrown at once. */
  readonly isRetryable: (error: unknown) => boolean
  /** Called with each error after which the work is repeated. */
  readonly onRetry: (error: unknown) => void
  /** Ends the attempts: the last error is thrown. */
  readonly signal?: AbortSignal | undefined
}

/** The pauses where nothing speaks for others. */
export const PAUSES = { firstMs: 50, longestMs: 1_000 }

/** Repeats the work while its error is temporary, with doubling pauses. Use it only for work that is safe to repeat. */
export async function retryWhile<T>(
  work: () => Promise<T>,
  { patienceMs, isRetryable, onRetry, signal }: RetryOptions,
): Promise<T> {
  const until = performance.now() + patienceMs
  for (const pauses = createBackoff(PAUSES); ;) {
    try {
      return await work()
    } catch (error) {
      if (!isRetryable(error) || performance.now() > until) throw error
      onRetry(error)
      await sleep(pauses.next(), signal)
      if (signal?.aborted) throw error
    }
  }
}

/**
 * Returns the result of the work, or the result of `late` once the work has taken this many milliseconds. `late` may
 * throw. The work itself continues, and an error that it throws later is dropped.
 */
export async function withTimeout<T, L>(work: T | PromiseLike<T>, ms: number, late: () => L): Promise<T | L> {
  const timeout = Promise.withResolvers<typeof LATE>()
  const timer = setTimeout(() => timeout.resolve(LATE), ms)
  try {
    const first = await Promise.race([work, timeout.promise])
    return first === LATE ? late() : first
  } finally {
    clearTimeout(timer)
  }
}

const LATE = Symbol('late')
