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
