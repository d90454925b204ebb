/**
 * Work that takes at least this many milliseconds is slow, and what is slow may not hold up what is quick. Each kind of
 * work has one line here, and nothing else in the service decides what is slow.
 */
export const SLOW_MS = {
  /** Reading values from a page, in processor time. A page of 20 KB takes 1 ms, one of 5 MB about 200. */
  extraction: 200,
  /** An attempt to deliver. Healthy receivers answer within a fraction of it. */
  attempt: 1_000,
  /** A slot of a gate. A name server that never answers takes five seconds. */
  slot: 4_000,
  /** A check of a page that is fetched. */
  check: 5_000,
  /**
   * A check of a page that is rendered. A page takes a few seconds until it is stable, at most twelve. One that takes
   * longer hangs or has no content.
   */
  renderedCheck: 14_000,
} as const

/** The time that the work of each key takes. It is kept in memory only. */
export interface Speeds<K> {
  took(key: K, ms: number): void
  /**
   * `slow`: the last work took long, and too few quick ones followed. `unknown`: no work has ended yet, or the key was
   * forgotten.
   */
  of(key: K): 'quick' | 'slow' | 'unknown'
  /** The mean in milliseconds, at least 1; undefined while no work of the key has ended. */
  mean(key: K): number | undefined
}

interface SpeedOptions {
  /** Work that takes at least this many ms is slow. Default: no work is slow. */
  readonly slowMs?: number
  /** After this many quick ones in a row a slow key is quick again. Default 1. */
  readonly toMakeGood?: number
  /**
   * The most keys that are remembered. Beyond that, the key that was added first is forgotten; its next work adds it
   * again. Default 10,000.
   */
  readonly mostRemembered?: number
  /** Quick keys are not remembered, because they would displace slow ones. Default false. */
  readonly onlySlow?: boolean
}

interface Known {
  mean: number
  /** Quick ones that are still needed until the key is quick: 0 is quick. */
  owed: number
}

/** The weight of one time in the mean. After about a dozen times at another pace the mean has followed. */
const SHARE = 0.1

export function createSpeeds<K>(options: SpeedOptions = {}): Speeds<K> {
  const { slowMs = Infinity, toMakeGood = 1, mostRemembered = 10_000, onlySlow = false } = options
  const known = new Map<K, Known>()

  function forgetOldest(): void {
    for (const oldest of known.keys()) {
      known.delete(oldest)
      return
    }
  }

  return {
    took(key, ms) {
      const before = known.get(key)
      const owed = ms >= slowMs ? toMakeGood : Math.max(0, (before?.owed ?? 0) - 1)
      if (onlySlow && owed === 0) known.delete(key)
      else if (before) {
        before.mean += SHARE * (ms - before.mean)
        before.owed = owed
      } else {
        known.set(key, { mean: ms, owed })
        if (known.size > mostRemembered) forgetOldest()
      }
    },
    of(key) {
      const found = known.get(key)
      if (!found) return 'unknown'
      return found.owed === 0 ? 'quick' : 'slow'
    },
    mean(key) {
      const found = known.get(key)
      return found && Math.max(1, found.mean)
    },
  }
}
