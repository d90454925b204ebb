/** Seconds that a page of results takes to load, and the pause before a later one, on average. */
const PAGE_SECONDS = 5
const PAUSE_SECONDS = 4

/** A scheduled search. */
interface Scheduled {
  readonly pages: number
  readonly intervalSeconds: number
}

/**
 * Returns the part of its time that one exit spends on a search at its engine: 1 is all of it. One check of an engine
 * is under way at an exit at a time, and `spacingMs` pass before the next one. So an exit does about seventeen searches
 * of one page every ten minutes.
 */
export function exitLoad({ pages, intervalSeconds }: Scheduled, spacingMs: number): number {
  const check = PAGE_SECONDS * pages + PAUSE_SECONDS * (pages - 1)
  return (check + spacingMs / 1000) / intervalSeconds
}
