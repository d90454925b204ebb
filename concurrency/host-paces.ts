/** How long the checks of each host take. */
export interface HostPaces {
  ended(host: string, tookMs: number): void
  /** In milliseconds, at least 1; undefined while nothing of it has ended. */
  of(host: string): number | undefined
}

/** What one check counts beside all before it: a dozen of another pace are believed. */
const SHARE = 0.1
/** The one that was noted first is forgotten first. */
const MOST_REMEMBERED = 10_000

export function createHostPaces(): HostPaces {
  const paces = new Map<string, number>()
  return {
    ended(host, tookMs) {
      const before = paces.get(host)
      paces.set(host, before === undefined ? tookMs : before + SHARE * (tookMs - before))
      if (paces.size <= MOST_REMEMBERED) return
      for (const oldest of paces.keys()) {
        paces.delete(oldest)
        return
      }
    },
    of(host) {
      const pace = paces.get(host)
      return pace === undefined ? undefined : Math.max(1, pace)
    },
  }
}
