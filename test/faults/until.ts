import { setTimeout as pause } from 'node:timers/promises'

const LOOK_EVERY_MS = 50
/** Long enough for a machine that is busy with other things: what takes longer has hung. */
const PATIENCE_MS = 90_000

/** Looks until what it sees holds; answers how long that took, in milliseconds. Fails with what was seen last. */
export async function until<T>(
  look: () => Promise<T> | T,
  holds: (seen: T) => boolean,
  patienceMs = PATIENCE_MS,
): Promise<number> {
  const from = performance.now()
  for (;;) {
    const seen = await look()
    if (holds(seen)) return performance.now() - from
    if (performance.now() - from > patienceMs)
      throw new Error(`still not so after ${patienceMs} ms: ${JSON.stringify(seen)?.slice(0, 2000)}`)
    await pause(LOOK_EVERY_MS)
  }
}
