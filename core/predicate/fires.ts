import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { type Judged, leafHolds, type Matches, type Truth } from './leaf.ts'

/**
 * Returns whether a predicate is true for a difference. Without a difference no predicate is. `before` and `after` are
 * the whole readings: equals and matches test a field's new value also when another field changed. The caller ensures
 * that a monitor's first run never fires: it has no difference to test. The result is unknown only where it depends on
 * an unknown leaf: unknown OR true is true.
 */
export function fires(predicate: DiffPredicate, judged: Judged, matches: Matches): Truth {
  if (judged.diff === null) return false
  if (predicate.type !== 'composite') return leafHolds(predicate, judged.diff, judged, matches)
  const { operator, conditions } = predicate
  const decisive = operator === 'OR'
  let outcome: Truth = !decisive
  for (const condition of conditions) {
    const truth = fires(condition, judged, matches)
    if (truth === decisive) return decisive
    if (truth === 'unknown') outcome = 'unknown'
  }
  return outcome
}
