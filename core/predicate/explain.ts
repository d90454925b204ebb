import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { joinPath } from '../../schema/validation/issue.ts'
import { describeGroup } from './describe-group.ts'
import { describeLeaf } from './describe-leaf.ts'
import { fires, type Matches, type Truth } from './fires.ts'
import type { Judged } from './judged.ts'
import type { Leaf } from './leaf.ts'

/** The result of a part of a predicate: of a condition, or of a group of conditions. */
interface PartVerdict<Part extends DiffPredicate = DiffPredicate> {
  /** The path within the predicate: `conditions[0].conditions[2]`; '' of the whole. */
  readonly path: string
  readonly type: Part['type']
  /** Null: it is about no field in particular. */
  readonly field: string | null
  /** Unknown: it depends on a pattern that gave no answer. */
  readonly holds: Truth
  /** One sentence for a person: `price rose from 100 to 106; a rise by 5 percent or more was asked for`. */
  readonly why: string
}

/** The result of a predicate. `leaves` are the first ones, also those that did not decide it. */
interface Explanation {
  readonly fires: boolean
  readonly leaves: readonly (Omit<PartVerdict<Leaf>, 'holds'> & { readonly holds: boolean })[]
}

/**
 * Returns the result of `fires` with the reasons of the first `most` leaves, for backtests. An unknown leaf counts as
 * not holding.
 */
export function explain(predicate: DiffPredicate, judged: Judged, matches: Matches, most = Infinity): Explanation {
  const leaves = partsOf(predicate, '')
    .filter((part): part is At<Leaf> => part.part.type !== 'composite')
    .slice(0, most)
    .map((part) => {
      const verdict = verdictOf(part, judged, matches)
      return { ...verdict, holds: verdict.holds === true }
    })
  return { fires: fires(predicate, judged, matches) === true, leaves }
}

/** Returns the result of each part, a group before its conditions. The first one is the whole predicate. */
export const explainParts = (
  predicate: DiffPredicate,
  judged: Judged,
  matches: Matches,
): readonly [PartVerdict, ...PartVerdict[]] => {
  const [whole, ...inner] = partsOf(predicate, '')
  return [verdictOf(whole, judged, matches), ...inner.map((part) => verdictOf(part, judged, matches))]
}

interface At<Part extends DiffPredicate = DiffPredicate> {
  readonly part: Part
  readonly path: string
}

function verdictOf<Part extends DiffPredicate>({ part, path }: At<Part>, judged: Judged, matches: Matches) {
  const verdict: PartVerdict<Part> = {
    path,
    type: part.type,
    field: 'field' in part ? part.field : null,
    holds: fires(part, judged, matches),
    why: part.type === 'composite' ? describeGroup(part, judged, matches) : describeLeaf(part, judged),
  }
  return verdict
}

function partsOf(part: DiffPredicate, path: string): [At, ...At[]] {
  if (part.type !== 'composite') return [{ part, path }]
  const inner = part.conditions.flatMap((condition, index) => partsOf(condition, joinPath(path, 'conditions', index)))
  return [{ part, path }, ...inner]
}
