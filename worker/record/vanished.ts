import { valueOf } from '../../core/diff/diff-values.ts'
import type { Values } from '../../schema/shape/json.ts'

/** Readings in a row that lack a field before its absence is told. */
const READINGS_UNTIL_TOLD = 3

/**
 * Fields that had a value and have none now, each with the readings in a row that lacked it. Kept with the baseline.
 */
type Missing = Readonly<Record<string, number>>

/** What a reading says of fields that are gone. */
interface Vanished {
  /** Null: none is. */
  readonly missing: Missing | null
  /** One more reading may have to be told: the next check reads its page, though it be the very same. */
  readonly isOpen: boolean
  readonly warnings: readonly string[]
}

/** A reading and what it follows. */
interface Follows {
  /** Null: this reading is the first of its monitor, or the first since an edit; nothing was there before. */
  readonly before: Values | null
  readonly missing: Missing | null
  readonly after: Values
  readonly names: readonly string[]
}

const NONE: Vanished = { missing: null, isOpen: false, warnings: [] }

/**
 * Counts the readings that lack a field which had a value before. Failed runs are no readings: they neither count nor
 * end a count.
 *
 * The unchanged path (the same bytes, the same values) records no reading, and would hide the second and third one. So
 * while a count is open, the recorder keeps nothing that lets a check see that its page is unchanged: two checks are
 * read and stored in full, the third in a row that lacks the field warns, and from then on the path is as cheap as
 * before. Each later reading that is stored warns again; runs that are unchanged point at one that did.
 */
export function vanished({ before, missing, after, names }: Follows): Vanished {
  if (before === null) return NONE
  const counts: [string, number][] = []
  for (const name of names) {
    if (valueOf(after, name) !== null) continue
    const known = missing !== null && Object.hasOwn(missing, name) ? (missing[name] ?? 0) : 0
    if (known > 0 || valueOf(before, name) !== null) counts.push([name, Math.min(known + 1, READINGS_UNTIL_TOLD)])
  }
  if (counts.length === 0) return NONE
  const told = counts.filter(([, count]) => count === READINGS_UNTIL_TOLD)
  return {
    missing: Object.fromEntries(counts),
    isOpen: told.length < counts.length,
    warnings: told.map(([name]) => warning(name)),
  }
}

const warning = (name: string) =>
  `The field ${JSON.stringify(name)} had a value and has been missing for three runs in a row. If the page was ` +
  `rebuilt, change the rule of this field.`
