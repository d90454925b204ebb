import type { Run } from '../api/types.ts'

export type Result = NonNullable<Run['organic_results']>[number]

/** A result of a search, with where it stood before. */
export interface MovedResult {
  readonly result: Result
  /** Null: it was not listed. */
  readonly was: number | null
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
  const results = after.map((result) => ({ result, was: places.get(nameOf(result))?.shift()?.position ?? null }))
  return { results, gone: [...places.values()].flat().toSorted((a, b) => a.position - b.position) }
}

const nameOf = ({ domain, title }: Result): string => JSON.stringify([domain, title])
