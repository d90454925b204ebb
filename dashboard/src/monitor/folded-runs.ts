import type { Run } from '../api/types.ts'
import { changesOf } from '../monitors/values.ts'

/** Runs in a row that say the same, the newest first. */
export interface Fold {
  readonly runs: readonly Run[]
  /** Where it begins in the list, and does not move when newer runs come: its oldest run. */
  readonly key: string
}

/** Joins runs in a row that found no difference, and those that failed for one reason. */
export function foldedRuns(runs: readonly Run[]): readonly Fold[] {
  const folds: Run[][] = []
  for (const run of runs) {
    const last = folds.at(-1)
    const saying = sayingOf(run)
    if (last?.[0] && saying !== null && sayingOf(last[0]) === saying) last.push(run)
    else folds.push([run])
  }
  return folds.map((own) => ({ runs: own, key: own.at(-1)?.id ?? '' }))
}

/** Returns what a run says that others may say as well. Null: it stands alone. */
function sayingOf(run: Run): string | null {
  if (run.status === 'running') return null
  if (run.status !== 'success') return `${run.status} ${run.error_code}`
  return hasFound(run) ? null : 'same'
}

/** Whether a run found something: a difference of fields, of pictures that fired, or another rank. */
export const hasFound = (run: Run): boolean =>
  changesOf(run).length > 0 || run.fired === true || (run.rank_delta ?? 0) !== 0
