interface Patience {
  /** Milliseconds until it is too late. Default 45,000. */
  readonly forMs?: number
  /** Milliseconds between two looks. Default 10. */
  readonly everyMs?: number
}

/** Looks again and again until the condition holds, and returns what was seen then; fails with what was seen last. */
export async function eventually<T>(
  look: () => Promise<T> | T,
  condition: (seen: T) => boolean,
  { forMs = 45_000, everyMs = 10 }: Patience = {},
): Promise<T> {
  const until = performance.now() + forMs
  for (;;) {
    const seen = await look()
    if (condition(seen)) return seen
    if (performance.now() > until)
      throw new Error(`still not so after ${forMs} ms: ${JSON.stringify(seen)?.slice(0, 2000)}`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
