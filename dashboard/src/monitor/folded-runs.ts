import type { Run } from '../api/types.ts'
import { changesOf } from '../monitors/values.ts'

/** Runs in a row that say the same, the newest first. */
export interface Fold {
  readonly runs: readonly Run[]
  /** Its oldest run, which stays the same when newer ones come. */
  readonly key: string
  /** It is one run that found a difference, or what is to be told of. */
  readonly hasFound: boolean
}

/**
 * Joins runs in a row that found no difference, and those that failed for one reason. The list goes from the newest
 * run to the oldest one. With `onlyFound`, each run of the list is known to have found something.
 */
export function foldedRuns(runs: readonly Run[], onlyFound: boolean): readonly Fold[] {
  const found = new Set(onlyFound ? runs.map(({ id }) => id) : findingRuns(runs))
  const folds: Run[][] = []
  for (const run of runs) {
    const last = folds.at(-1)
    const saying = sayingOf(run, found)
    if (last?.[0] && saying !== null && sayingOf(last[0], found) === saying) last.push(run)
    else folds.push([run])
  }
  return folds.map((own) => ({
    runs: own,
    key: own.at(-1)?.id ?? '',
    hasFound: own.some((run) => run.status === 'success' && found.has(run.id)),
  }))
}

/** Returns what a run says that others may say as well. Null: it stands alone. */
function sayingOf(run: Run, found: ReadonlySet<string>): string | null {
  if (run.status === 'running') return null
  if (run.status !== 'success') return `${run.status} ${run.error_code}`
  return found.has(run.id) ? null : 'same'
}

/** Returns the ids of runs that found something. Of a search, that is another list of results than the one before. */
function findingRuns(runs: readonly Run[]): readonly string[] {
  const found: string[] = []
  let before: string | null = null
  for (const run of runs.toReversed()) {
    const results = resultsOf(run)
    if (hasFound(run) || (before !== null && results !== null && results !== before)) found.push(run.id)
    before = results ?? before
  }
  return found
}

const resultsOf = ({ status, organic_results: results }: Run): string | null =>
  status === 'success' && results !== undefined ? JSON.stringify(results) : null

/** Whether a run says by itself that it found a difference of fields, another rank, or what is to be told of. */
export const hasFound = (run: Run): boolean =>
  changesOf(run).length > 0 || run.fired === true || (run.rank_delta ?? 0) !== 0
