import { setImmediate as breathe } from 'node:timers/promises'
import { valueOf } from '../../core/diff/diff-values.ts'
import { canonicalValue } from '../../core/diff/reading-hash.ts'
import type { UnseenAges } from '../../core/predicate/judged.ts'
import { unseenFields } from '../../core/predicate/unseen-items.ts'
import { see } from '../../core/seen/see.ts'
import { comparedItems } from '../../core/seen/seen-items.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { Json, Values } from '../../schema/shape/json.ts'
import type { StoredChange } from '../../store/monitors/monitor-stored-runs.ts'
import { startOf } from './kept-runs.ts'

/** What changes gained against all that was shown before them, by the ids of their runs. */
export type UnseenInChanges = ReadonlyMap<string, UnseenAges>

type Items = ReturnType<typeof comparedItems<number>>

/** A change as it is kept until the older ones are known: numbers in place of items, since values take much memory. */
interface KeptChange {
  readonly id: string
  readonly atMs: number
  readonly items: ReadonlyMap<string, Items>
}

/**
 * Returns what changes gained against all that the changes before them have shown. What was shown before the oldest
 * one is not known. Reading ends when `isOver` says so: then older changes are missing from the result.
 *
 * @param changes newest first
 */
export async function unseenInChanges(
  changes: AsyncIterable<StoredChange> | Iterable<StoredChange>,
  predicate: DiffPredicate,
  isOver: () => boolean,
): Promise<UnseenInChanges> {
  const asked = unseenFields(predicate)
  const numberOf = numbersOfItems()
  const kept: KeptChange[] = []
  for await (const change of changes) {
    if (isOver()) break
    const { id, diff, extracted } = change
    const before = { ...extracted, ...(diff.before as Values) }
    const itemsOf = (field: string) => comparedItems(valueOf(before, field) ?? [], valueOf(extracted, field), numberOf)
    kept.push({
      id,
      atMs: Date.parse(startOf(change)),
      items: new Map([...asked.keys()].map((field) => [field, itemsOf(field)])),
    })
    await breathe()
  }
  const days = new Map([...asked.keys()].map((field) => [field, new Map<number, number>()]))
  return new Map(
    kept.toReversed().map(({ id, atMs, items }) => {
      const ages = [...items].map(([field, compared]) => {
        const forgetAfterDays = asked.get(field)
        return [
          field,
          see(days.get(field) ?? new Map<number, number>(), { ...compared, atMs, forgetAfterDays }).ages,
        ] as const
      })
      return [id, new Map(ages)]
    }),
  )
}

/** Returns what gives equal items the same number. */
function numbersOfItems(): (item: Json) => number {
  const numbers = new Map<string, number>()
  return (item) => {
    const text = canonicalValue(item)
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }
}

/** The warning of a backtest that asks what was shown. */
export const SINCE_OLDEST =
  'list_gains_unseen_items begins with the oldest run that is read: an item that only earlier ones had counts as ' +
  'never shown.'
