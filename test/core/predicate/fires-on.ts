import { diffValues } from '../../../core/diff/diff-values.ts'
import { fires, type Truth } from '../../../core/predicate/fires.ts'
import { matchPattern } from '../../../runners/pattern/match-pattern.ts'
import type { DiffPredicate } from '../../../schema/monitor/diff-predicate.ts'
import type { Json, Values } from '../../../schema/shape/json.ts'

/** Whether the predicate fires on a change from one reading to another. */
export function firesOn(predicate: DiffPredicate, before: Values, after: Values): Truth {
  const diff = diffValues(before, after, Object.keys({ ...before, ...after }))
  return fires(predicate, { diff, before, after }, matchPattern)
}

/** The same for one field `f`. */
export const onField = (predicate: DiffPredicate, before: Json, after: Json) =>
  firesOn(predicate, { f: before }, { f: after })
