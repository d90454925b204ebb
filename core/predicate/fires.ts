import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { type Judged, leafHolds, type Matches, type Truth } from './leaf.ts'

/**
 * Whether a predicate is true of a difference. Without a difference nothing is. `before` and `after` are the whole
 * readings: equals and matches look at a field's new value also when another field changed. That a monitor's first run
 * never fires is the caller's matter: it has no difference to judge. Unknown only where the outcome hangs on what is:
 * unknown OR true is true.
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
