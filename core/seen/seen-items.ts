import { createHmac, randomBytes } from 'node:crypto'
import type { Json } from '../../schema/shape/json.ts'
import { withoutMark } from '../diff/cut-mark.ts'
import { diffLists } from '../diff/diff-lists.ts'
import { isList } from '../diff/diff-values.ts'
import { canonicalValue } from '../diff/reading-hash.ts'
import { see } from './see.ts'

/** The items that a field of a monitor has shown, as they are kept: 12 bytes an item. */
export interface SeenItems {
  /** The key of the hashes, so that nobody can make up two items of one hash. */
  readonly key: Buffer
  /** For each item eight bytes of its keyed hash, and the day on which it was last shown, in four bytes. */
  readonly items: Buffer
}

const HASH_BYTES = 8
const ITEM_BYTES = HASH_BYTES + 4
const KEY_BYTES = 16

/** A reading of a field, and the one before. */
interface Shown {
  /** Null: there is none, and this reading begins anew. */
  readonly before: Json
  readonly after: Json
  /** When it was read, in ms since 1970. */
  readonly atMs: number
  readonly forgetAfterDays?: number | undefined
}

/** What a reading shows for the first time (`see`). */
interface Unseen {
  readonly ages: readonly (number | null)[]
  readonly untold: number
  /** What is kept from now on. Null: what is kept already. */
  readonly kept: SeenItems | null
}

/** Compares a reading of a field with all that the field has shown. */
export function seeItems(stored: SeenItems | null, { before, after, ...when }: Shown): Unseen {
  const key = stored?.key ?? randomBytes(KEY_BYTES)
  const days = unpacked(stored)
  const { ages, untold, isOther } = see(days, { ...comparedItems(before, after, (item) => hashed(key, item)), ...when })
  return { ages, untold, kept: isOther || stored === null ? { key, items: packed(days) } : null }
}

/** The items of two readings, by what stands for an item. */
interface ComparedItems<Id> {
  readonly before: readonly Id[]
  readonly after: readonly Id[]
  /** Those that are gained. Of a list that was cut, what comes from behind its cut is not. */
  readonly gained: readonly Id[]
}

/** Returns the items of two readings. Without a list before, no item is gained. */
export function comparedItems<Id>(before: Json, after: Json, idOf: (item: Json) => Id): ComparedItems<Id> {
  const gained = isList(before) && isList(after) ? diffLists(before, after).added : []
  return { before: itemsOf(before).map(idOf), after: itemsOf(after).map(idOf), gained: gained.map(idOf) }
}

const itemsOf = (value: Json): readonly Json[] => (isList(value) ? withoutMark(value) : [])

const hashed = (key: Buffer, item: Json): string =>
  createHmac('sha256', key).update(canonicalValue(item)).digest().toString('latin1', 0, HASH_BYTES)

function unpacked(stored: SeenItems | null): Map<string, number> {
  const days = new Map<string, number>()
  const items = stored?.items ?? Buffer.alloc(0)
  for (let at = 0; at + ITEM_BYTES <= items.length; at += ITEM_BYTES)
    days.set(items.toString('latin1', at, at + HASH_BYTES), items.readUInt32BE(at + HASH_BYTES))
  return days
}

function packed(days: ReadonlyMap<string, number>): Buffer {
  const items = Buffer.alloc(days.size * ITEM_BYTES)
  let at = 0
  for (const [hash, day] of days) {
    items.write(hash, at, 'latin1')
    items.writeUInt32BE(day, at + HASH_BYTES)
    at += ITEM_BYTES
  }
  return items
}
