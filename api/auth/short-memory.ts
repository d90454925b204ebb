import { LRUCache } from 'lru-cache'

/** A value and for how many more milliseconds it may be believed; Infinity: as long as the memory keeps anything. */
interface Remembered<V> {
  readonly value: V
  readonly livesMs: number
}

/** Caches for a moment what was just looked up. Callers that ask at the same time share one look-up. */
interface ShortMemory<V> {
  get(key: string, load: () => Promise<Remembered<V> | null>): Promise<V | null>
  /** Discards everything, including look-ups under way. */
  forget(): void
}

const MOST = 10_000

/**
 * Returns a cache that keeps values for at most `keepMs`, counted from before the look-up began, so that a revoked
 * value is not used for longer than that. A value that was not found is not cached: guesses would fill the cache.
 */
export function createShortMemory<V extends {}>(keepMs: number): ShortMemory<V> {
  const known = new LRUCache<string, V>({ max: MOST, ttl: keepMs, ttlResolution: 0 })
  const asked = new Map<string, Promise<V | null>>()
  let age = 0
  return {
    get(key, load) {
      const value = known.get(key)
      if (value !== undefined) return Promise.resolve(value)
      const running = asked.get(key)
      if (running) return running
      const started = lookUp(key, load).finally(() => {
        if (asked.get(key) === started) asked.delete(key)
      })
      asked.set(key, started)
      return started
    },
    forget() {
      age += 1
      known.clear()
      asked.clear()
    },
  }

  async function lookUp(key: string, load: () => Promise<Remembered<V> | null>): Promise<V | null> {
    const began = performance.now()
    const bornAt = age
    const found = await load()
    if (!found) return null
    const ttl = Math.min(keepMs, found.livesMs)
    if (age === bornAt && ttl > 0) known.set(key, found.value, { ttl, start: began })
    return found.value
  }
}
