import { valueOf } from '../../core/diff/diff-values.ts'
import type { UnseenAges } from '../../core/predicate/judged.ts'
import { listBefore } from '../../core/predicate/list-changes.ts'
import { unseenFields } from '../../core/predicate/unseen-items.ts'
import { MOST_SEEN } from '../../core/seen/see.ts'
import { seeItems } from '../../core/seen/seen-items.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { Queryable } from '../../store/db/client.ts'
import { findSeenItems, type SeenField } from '../../store/queue/seen-items.ts'

/** A reading, and what it is compared with. */
interface SeenReading {
  readonly no: number
  readonly teamId: string
  readonly predicate: DiffPredicate
  /** Null: it is the first one, which begins anew. */
  readonly before: Values | null
  readonly after: Values
  readonly lists: Values | null
  readonly atMs: number
}

/** What a reading shows for the first time. */
interface Seen {
  readonly unseen: UnseenAges
  /** What is to be kept with the run. */
  readonly kept: readonly SeenField[]
  readonly warnings: readonly string[]
}

const NOTHING: Seen = { unseen: new Map(), kept: [], warnings: [] }

/** Compares the fields that a predicate asks about with all that they have shown. For others, reads nothing. */
export async function seenFields(store: Queryable, reading: SeenReading): Promise<Seen> {
  const { no, teamId, predicate, before, after, lists, atMs } = reading
  const asked = unseenFields(predicate)
  if (asked.size === 0) return NOTHING
  const stored = before === null ? null : await findSeenItems(store, { teamId, no, fields: [...asked.keys()] })
  const seen = [...asked].map(([field, forgetAfterDays]) => {
    const from = before && listBefore(field, before, lists)
    const shown = { before: before && (from ?? []), after: valueOf(after, field), atMs, forgetAfterDays }
    return { field, ...seeItems(stored?.get(field) ?? null, shown) }
  })
  return {
    unseen: new Map(seen.map(({ field, ages }) => [field, ages])),
    kept: seen.flatMap(({ field, kept }) => (kept ? [{ field, ...kept }] : [])),
    warnings: seen.flatMap(({ field, untold }) => (untold > 0 ? [noRoom(field, untold)] : [])),
  }
}

const noRoom = (field: string, count: number) =>
  `The field ${JSON.stringify(field)} has shown ${MOST_SEEN.toLocaleString('en')} items, the most that are ` +
  `remembered; ${count === 1 ? '1 new item was' : `${count} new items were`} not told. Set forget_after_days, or ` +
  'edit the predicate so that it begins anew.'
