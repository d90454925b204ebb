/** How long the work of each key takes. Forgotten when the process ends. */
export interface Speeds<K> {
  took(key: K, ms: number): void
  /** Slow: it took long last time, and has not made good for it. Unknown: it has not ended yet, or was forgotten. */
  of(key: K): 'quick' | 'slow' | 'unknown'
  /** In milliseconds, at least 1; undefined while nothing of it has ended. */
  mean(key: K): number | undefined
}

interface SpeedOptions {
  /** What takes this long, in ms, is slow. Default: nothing is. */
  readonly slowMs?: number
  /** So many quick ones in a row make good for a slow one. Default 1. */
  readonly toMakeGood?: number
  /** The key that was noted first is forgotten first, beyond so many; its next work notes it again. Default 10,000. */
  readonly mostRemembered?: number
  /** Quick keys are not remembered: they would push slow ones out. Default false. */
  readonly onlySlow?: boolean
}

interface Known {
  mean: number
  /** Quick ones that are still owed: 0 is quick. */
  owed: number
}

/** What one time counts in the mean beside all before it: a dozen of another pace are believed. */
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
