import type { SerpResult } from '../../schema/serp/serp-result.ts'

/** The part of a search check's results that deciding needs. */
export interface SearchReading {
  readonly results: readonly SerpResult[]
  /** How many results the first page gave, the first two, and so on. Pages that were not reached are absent. */
  readonly pageEnds: readonly number[]
  /** The last page had no further one: nothing is listed beyond these results. */
  readonly isEnd: boolean
  /** A later page could not be loaded, so the check is shorter than asked for. */
  readonly isPartial: boolean
  /** The names in the page were unknown, and the results are a guess (runners/serp/). */
  readonly isGuess: boolean
}

/** What the next check is compared with: the last full one, and the last shorter one after it. */
export interface ComparedReading extends SearchReading {
  /** Its differences from the full one have been decided about already. Absent: there is none. */
  readonly shorter?: SearchReading
}

/** The results of two checks as far as both reach. */
interface Covered {
  readonly before: readonly SerpResult[]
  readonly after: readonly SerpResult[]
}

/**
 * Returns what two checks can be compared by: the pages that both obtained. A check that reached the end of the list
 * reaches as far as any other.
 */
export function covered(before: SearchReading, after: SearchReading): Covered {
  const pages = Math.min(reach(before), reach(after))
  return { before: upTo(before, pages), after: upTo(after, pages) }
}

/** Returns how many pages a check is known by. Infinity: it reached the end of the list. */
export const reach = ({ pageEnds, isEnd }: SearchReading): number => (isEnd ? Infinity : pageEnds.length)

function upTo({ results, pageEnds }: SearchReading, pages: number): readonly SerpResult[] {
  return pages >= pageEnds.length ? results : results.slice(0, pageEnds[pages - 1] ?? 0)
}

/**
 * Returns what the next check is compared with. A cut check replaces one that it covers. It does not replace a longer
 * one, and is only remembered, so that the next one like it does not fire again. A guess replaces nothing: the first
 * right reading after it would differ from it everywhere.
 */
export function nextBaseline(baseline: ComparedReading | null, current: SearchReading): ComparedReading | null {
  if (current.isGuess) return baseline
  const isShorter = current.isPartial && baseline !== null && reach(current) < reach(baseline)
  return isShorter ? { ...baseline, shorter: current } : current
}
