interface Patience {
  /** Milliseconds until it is too late. Default 45,000. */
  readonly forMs?: number
  /** Milliseconds between two looks. Default: a tenth of the time waited so far, and between 10 and 50. */
  readonly everyMs?: number
}

const OFTEN_MS = 10
const SELDOM_MS = 50

/** Looks again and again until the condition holds, and returns what was seen then; fails with what was seen last. */
export async function eventually<T>(
  look: () => Promise<T> | T,
  condition: (seen: T) => boolean,
  { forMs = 45_000, everyMs }: Patience = {},
): Promise<T> {
  const startedAt = performance.now()
  for (;;) {
    const seen = await look()
    if (condition(seen)) return seen
    const waitedMs = performance.now() - startedAt
    if (waitedMs > forMs) throw new Error(`still not so after ${forMs} ms: ${JSON.stringify(seen)?.slice(0, 2000)}`)
    // A look is often a request to an API with a store. One that waits for seconds must not keep a processor busy.
    const pauseMs = everyMs ?? Math.min(SELDOM_MS, Math.max(OFTEN_MS, waitedMs / 10))
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
