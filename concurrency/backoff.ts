/** The first pause between tries, and the longest. In milliseconds. */
export interface Pauses {
  readonly firstMs: number
  readonly longestMs: number
}

/** Says how long to wait before the next try: twice as long each time. */
interface Backoff {
  next(): number
  /** A try succeeded: the next pause is the first again. */
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
