import { eventually } from './eventually.ts'

const LOOK_EVERY_MS = 50
/** Long enough for a machine that is busy with other things: what takes longer has hung. */
const PATIENCE_MS = 90_000

/** Looks until what it sees holds; returns how long that took, in milliseconds. Fails with what was seen last. */
export async function until<T>(
  look: () => Promise<T> | T,
  holds: (seen: T) => boolean,
  patienceMs = PATIENCE_MS,
): Promise<number> {
  const from = performance.now()
  await eventually(look, holds, { forMs: patienceMs, everyMs: LOOK_EVERY_MS })
  return performance.now() - from
}
