import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { diffIfLists } from '../diff/diff-lists.ts'
import { valueOf } from '../diff/diff-values.ts'
import type { Judged } from './judged.ts'
import type { Leaf } from './leaf.ts'
import { listBefore } from './list-changes.ts'
import { perField } from './per-field.ts'

type UnseenLeaf = Extract<Leaf, { type: 'list_gains_unseen_items' }>

/**
 * Returns the fields of which a predicate asks what they have shown, each with the days after which an item counts as
 * never shown: the most that a condition says. Undefined: it is never forgotten.
 */
export function unseenFields(predicate: DiffPredicate): ReadonlyMap<string, number | undefined> {
  const fields = new Map<string, number | undefined>()
  collect(predicate, fields)
  return fields
}

function collect(predicate: DiffPredicate, fields: Map<string, number | undefined>): void {
  if (predicate.type === 'composite') for (const one of predicate.conditions) collect(one, fields)
  if (predicate.type !== 'list_gains_unseen_items') return
  const { field, forget_after_days: days } = predicate
  const known = fields.get(field)
  const isForgotten = days !== undefined && (!fields.has(field) || known !== undefined)
  fields.set(field, isForgotten ? Math.max(days, known ?? 0) : undefined)
}

/**
 * Returns how many items a list gained that it has never shown, or not for longer than the condition says. Where only
 * two readings are known, all others count as never made: each item that was gained was never shown.
 */
export function gainedUnseen({ field, forget_after_days: most = Infinity }: UnseenLeaf, judged: Judged): number {
  let count = 0
  for (const age of agesOf(judged, field)) if (age === null || age > most) count += 1
  return count
}

const agesOf = perField(({ before, after, lists, unseen }: Judged, field): readonly (number | null)[] => {
  const known = unseen?.get(field)
  if (known) return known
  const gained = diffIfLists(listBefore(field, before, lists) ?? [], valueOf(after, field))?.added ?? []
  return gained.map(() => null)
})
