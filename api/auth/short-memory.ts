import { LRUCache } from 'lru-cache'

/** A value and for how many more milliseconds it may be believed; Infinity: as long as the memory keeps anything. */
interface Remembered<V> {
  readonly value: V
  readonly livesMs: number
}

/** Remembers for a moment what was just looked up; callers that ask at the same time share one look-up. */
interface ShortMemory<V> {
  get(key: string, load: () => Promise<Remembered<V> | null>): Promise<V | null>
  /** Believes nothing any longer, what is being looked up included. */
  forget(): void
}

const MOST = 10_000

/**
 * A memory of at most `keepMs`, counted from before the look-up began, so that what is revoked is not believed any
 * longer than that. What is not found is not remembered: guesses would fill it.
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
