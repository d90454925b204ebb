import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { joinPath } from '../../schema/validation/issue.ts'
import { describeLeaf } from './describe-leaf.ts'
import { fires, type Judged, leafHolds, type Leaf, type Matches } from './fires.ts'

/** The result of a leaf of a predicate. */
interface LeafVerdict {
  /** The path within the predicate: `conditions[0].conditions[2]`; '' when the predicate is the leaf. */
  readonly path: string
  readonly type: Leaf['type']
  readonly field: string | null
  readonly holds: boolean
  /** One sentence for a person: `price rose from 100 to 106; a rise by 5 percent or more was asked for`. */
  readonly why: string
}

/** The result of a predicate. `leaves` are the first ones, also those that did not decide it. */
interface Explanation {
  readonly fires: boolean
  readonly leaves: readonly LeafVerdict[]
}

/**
 * Returns the result of `fires` with the reasons of the first `most` leaves, for backtests. An unknown leaf counts as
 * not holding.
 */
export function explain(predicate: DiffPredicate, judged: Judged, matches: Matches, most = Infinity): Explanation {
  const leaves = leavesOf(predicate, '')
    .slice(0, most)
    .map(({ leaf, path }) => ({
      path,
      type: leaf.type,
      field: leaf.type === 'any_field_changes' ? null : leaf.field,
      holds: judged.diff !== null && leafHolds(leaf, judged.diff, judged, matches) === true,
      why: describeLeaf(leaf, judged),
    }))
  return { fires: fires(predicate, judged, matches) === true, leaves }
}

function leavesOf(predicate: DiffPredicate, path: string): { leaf: Leaf; path: string }[] {
  if (predicate.type !== 'composite') return [{ leaf: predicate, path }]
  return predicate.conditions.flatMap((condition, index) => leavesOf(condition, joinPath(path, 'conditions', index)))
}
