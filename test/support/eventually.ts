const LOOK_EVERY_MS = 10
const PATIENCE_MS = 45_000

/** Looks again and again until the condition holds; fails with what was seen last. */
export async function eventually<T>(look: () => Promise<T> | T, condition: (seen: T) => boolean): Promise<T> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const seen = await look()
    if (condition(seen)) return seen
    if (performance.now() > until)
      throw new Error(`still not so after ${PATIENCE_MS} ms: ${JSON.stringify(seen)?.slice(0, 2000)}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
