/** What earlier pages of a monitor have shown: read quickly, not yet read, or held a thread up. */
type Standing = 'quick' | 'unknown' | 'slow'

/** Who held a thread up, and who never did. Forgotten when the process ends. */
export interface Standings {
  of(key: number | null): Standing
  /** A page was read to its end in so many milliseconds of the processor. */
  read(key: number | null, usedMs: number): void
  /** A page took more than `QUICK_MS` while others waited, or all that it may. */
  heldUp(key: number | null): void
}

/**
 * What is read within this, in milliseconds of the processor, is quick: a page of 20 KB takes 1 ms, one of 5 MB some
 * 200.
 */
export const QUICK_MS = 200
/**
 * So many quick pages in a row make good for a slow one: one alone would let a site hold up others at every second
 * check.
 */
const TO_MAKE_GOOD = 5
/** The oldest are forgotten beyond this: they are unknown again, and wait behind the quick ones once more. */
const MOST_REMEMBERED = 50_000

export function createStandings(): Standings {
  /** Quick pages that are still owed: 0 is quick. */
  const owed = new Map<number, number>()

  function set(key: number, pages: number): void {
    owed.set(key, pages)
    if (owed.size <= MOST_REMEMBERED) return
    for (const oldest of owed.keys()) {
      owed.delete(oldest)
      return
    }
  }

  return {
    of(key) {
      const pages = key === null ? undefined : owed.get(key)
      if (pages === undefined) return 'unknown'
      return pages === 0 ? 'quick' : 'slow'
    },
    read(key, usedMs) {
      if (key === null) return
      const before = owed.get(key)
      if (before === 0 && usedMs <= QUICK_MS) return
      set(key, usedMs > QUICK_MS ? TO_MAKE_GOOD : Math.max(0, (before ?? 1) - 1))
    },
    heldUp(key) {
      if (key !== null) set(key, TO_MAKE_GOOD)
    },
  }
}
