import { valueOf } from '../../core/diff/diff-values.ts'
import type { Values } from '../../schema/shape/json.ts'

/** The number of readings in a row that must lack a field before its absence is reported. */
const READINGS_UNTIL_TOLD = 3

/**
 * Fields that had a value and have none now, each with the number of readings in a row that lacked it. Stored with the
 * baseline.
 */
type Missing = Readonly<Record<string, number>>

/** What a reading shows about missing fields. */
interface Vanished {
  /** Null: no field is missing. */
  readonly missing: Missing | null
  /** One more reading may have to be reported, so the next check reads its page even if the page is identical. */
  readonly isOpen: boolean
  readonly warnings: readonly string[]
}

/** A reading and the state before it. */
interface Follows {
  /** Null: this reading is the first of its monitor, or the first since an edit, so there were no earlier values. */
  readonly before: Values | null
  readonly missing: Missing | null
  readonly after: Values
  readonly names: readonly string[]
}

const NONE: Vanished = { missing: null, isOpen: false, warnings: [] }

/**
 * Counts the readings that lack a field which had a value before. A failed run is not a reading: it neither counts nor
 * ends a count.
 *
 * The unchanged path (the same bytes, the same values) records no reading, and would hide the second and third reading.
 * So while a count is open, the recorder stores nothing by which a check could see that its page is unchanged. Two
 * checks are then read and stored in full. The third in a row that lacks the field warns. After that the path is as
 * cheap as before. Each later reading that is stored warns again. Runs that are unchanged point at a reading that
 * warned.
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
