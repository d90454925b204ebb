/** A value, and for how many more milliseconds it is valid; Infinity: as long as the cache keeps any value. */
export interface Remembered<V> {
  readonly value: V
  readonly livesMs: number
}

/** Caches for a moment what was just looked up. Callers that ask at the same time share one look-up. */
export interface ShortMemory<V> {
  get(key: string, load: () => Promise<Remembered<V> | null>): Promise<V | null>
  /** Discards everything, including look-ups under way. */
  forget(): void
}

const MOST = 10_000

/**
 * Returns a cache that keeps values for at most `keepMs`, counted from before the look-up began, so that a revoked
 * value is not used for longer than that. A value that was not found is not cached: guesses would fill the cache.
 */
export function createShortMemory<V>(keepMs: number): ShortMemory<V> {
  const known = new Map<string, { readonly value: V; readonly until: number }>()
  const asked = new Map<string, Promise<V | null>>()
  let age = 0
  return {
    get(key, load) {
      const entry = known.get(key)
      if (entry && performance.now() < entry.until) return Promise.resolve(entry.value)
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
    known.delete(key)
    const found = await load()
    if (!found) return null
    if (age !== bornAt) return found.value
    if (known.size >= MOST) known.clear()
    known.set(key, { value: found.value, until: began + Math.min(keepMs, found.livesMs) })
    return found.value
  }
}
