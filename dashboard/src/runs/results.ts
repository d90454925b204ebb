import type { Run } from '../api/types.ts'

export type Result = NonNullable<Run['organic_results']>[number]

/** A result of a search, with where it stood before. */
export interface MovedResult {
  readonly result: Result
  /** Null: it was not listed. */
  readonly was: number | null
  /** What it said before. Null: it was not listed, or said nothing. */
  readonly said: string | null
}

/** Results of a search compared with earlier ones. */
interface ComparedResults {
  readonly results: readonly MovedResult[]
  /** Those that are not listed any more, by their earlier position. */
  readonly gone: readonly Result[]
}

/** Returns what moved, what is new and what is gone. Two results are one where their site and title are equal. */
export function compareResults(before: readonly Result[], after: readonly Result[]): ComparedResults {
  const places = new Map<string, Result[]>()
  for (const result of before) places.set(nameOf(result), [...(places.get(nameOf(result)) ?? []), result])
  const results = after.map((result) => {
    const earlier = places.get(nameOf(result))?.shift()
    return { result, was: earlier?.position ?? null, said: earlier?.description ?? null }
  })
  return { results, gone: [...places.values()].flat().toSorted((a, b) => a.position - b.position) }
}

const nameOf = ({ domain, title }: Result): string => JSON.stringify([domain, title])

/**
 * Returns whether a result is of the site that a search watches. The check has found which result stands for it; all
 * others of the same site are recognized by their domain.
 */
export const isWatched = ({ position, domain }: Result, target: string | null, rank: number | null): boolean =>
  target !== null && (position === rank || domain === target || domain.endsWith(`.${target}`))
