import type { DiffPredicate } from '../../schema/diff-predicate.ts'
import { type Judged, leafHolds, type Matches } from './leaf.ts'

/**
 * Whether a predicate is true of a difference (spec, Diff predicate; DESIGN §4.11). Without a difference nothing is. `before` and `after` are
 * the whole readings: equals and matches look at a field's new value also when another field changed. That a monitor's first run never
 * fires is the caller's matter: it has no difference to judge.
 */
export function fires(predicate: DiffPredicate, judged: Judged, matches: Matches): boolean {
  if (judged.diff === null) return false
  if (predicate.type !== 'composite') return leafHolds(predicate, judged.diff, judged, matches)
  const { operator, conditions } = predicate
  return operator === 'AND'
    ? conditions.every((condition) => fires(condition, judged, matches))
    : conditions.some((condition) => fires(condition, judged, matches))
}
