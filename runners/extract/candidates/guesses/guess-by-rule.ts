import type { Element } from 'domhandler'
import type { DiffPredicate } from '../../../../schema/monitor/diff-predicate.ts'
import type { Tree } from '../../tree.ts'
import type { Candidate } from '../candidate.ts'
import { candidatesOf } from '../candidates.ts'
import type { Guess, GuessKind } from './guess.ts'

interface Given {
  readonly kind: GuessKind
  readonly label: string
  readonly field: string
  readonly predicate: DiffPredicate
}

/** Returns a guess whose one field is read by a candidate. */
export const guessBy = ({ method, rule, value }: Candidate, { kind, label, field, predicate }: Given): Guess => ({
  kind,
  label,
  extract_config: { method, fields: { [field]: rule } },
  values: { [field]: value },
  diff_predicate: predicate,
  address: null,
})

/** Returns the best rule for the text of an element. */
export const bestRule = (tree: Tree, element: Element): Candidate | null =>
  candidatesOf(tree, element).values[0] ?? null

/** Returns the rule of the longest list that an element belongs to. */
export function bestList(tree: Tree, element: Element): Candidate | null {
  const { lists } = candidatesOf(tree, element)
  return lists.toSorted((one, other) => other.matches - one.matches)[0] ?? null
}
