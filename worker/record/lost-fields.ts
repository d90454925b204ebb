import { hasNoMatch, isEmptyValue, valueOf } from '../../core/diff/diff-values.ts'
import { listBefore } from '../../core/predicate/list-changes.ts'
import { READINGS_UNTIL_NOTICE } from '../../core/schedule.ts'
import type { NoticeKind } from '../../schema/monitor/delivery-config.ts'
import type { Json, Values } from '../../schema/shape/json.ts'
import type { Baseline } from '../../store/queue/baselines.ts'

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
  /** The fields that this reading is the third in a row to lack. */
  readonly newly: readonly string[]
  /**
   * The last items of each list that is missing for one or two readings. A feed is often empty for a moment, and its
   * old items are not news when it is full again. Null: there is none. Stored.
   */
  readonly lists: Values | null
  readonly warnings: readonly string[]
}

/** A reading and the state before it. */
interface Follows {
  /** Null: this reading is the first of its monitor, or the first since an edit, so there were no earlier values. */
  readonly before: Values | null
  readonly missing: Missing | null
  readonly lists: Values | null
  readonly after: Values
  readonly names: readonly string[]
  /** Fields that the page has, of which treatments left nothing. They are neither missing nor empty. */
  readonly cleaned?: readonly string[] | undefined
}

const NONE: Vanished = { missing: null, isOpen: false, newly: [], lists: null, warnings: [] }

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
export function vanished({ before, missing, lists, after, names, cleaned = [] }: Follows): Vanished {
  if (before === null) return NONE
  const counts: [string, number][] = []
  const newly: string[] = []
  const items: [string, Json][] = []
  for (const name of names.filter((one) => !cleaned.includes(one))) {
    if (!hasNoMatch(valueOf(after, name))) continue
    const known = Number(valueOf(missing ?? {}, name) ?? 0)
    const last = valueOf(before, name)
    if (known > 0 || !hasNoMatch(last)) counts.push([name, Math.min(known + 1, READINGS_UNTIL_NOTICE)])
    if (known + 1 === READINGS_UNTIL_NOTICE) newly.push(name)
    const list = hasNoMatch(last) ? listBefore(name, {}, lists) : last
    if (known + 1 < READINGS_UNTIL_NOTICE && Array.isArray(list)) items.push([name, list as Json])
  }
  if (counts.length === 0) return NONE
  const reported = counts.filter(([, count]) => count === READINGS_UNTIL_NOTICE)
  return {
    missing: Object.fromEntries(counts),
    isOpen: reported.length < counts.length,
    newly,
    lists: items.length > 0 ? Object.fromEntries(items) : null,
    warnings: reported.map(([name]) => warning(name)),
  }
}

const warning = (name: string) =>
  `The field ${JSON.stringify(name)} had a value and has been missing for three runs in a row. If the page was ` +
  `rebuilt, change the rule of this field.`

/** What a reading shows about a monitor whose fields are all empty. */
interface Emptied {
  /** How many readings in a row had only empty fields, up to three. Null: this one has a value. Stored. */
  readonly empty: number | null
  /** One more reading may have to be reported, as with `Vanished`. */
  readonly isOpen: boolean
  /** The notice that the reading causes. */
  readonly notice: Extract<NoticeKind, 'field_missing' | 'recovered'> | null
  readonly warnings: readonly string[]
}

/**
 * Counts the readings whose fields are all empty. Such a monitor notices nothing, so its owner gets a notice: after the
 * first reading at once, because the rules never matched, and else after the third in a row. A value ends it, which is
 * reported too. The count goes on after an edit, so that the reading after it can report that the monitor works.
 */
export function emptied({
  before,
  after,
  names,
  empty,
  cleaned = [],
}: Omit<Follows, 'missing' | 'lists'> & Pick<Baseline, 'empty'>): Emptied {
  const wasReported = empty === READINGS_UNTIL_NOTICE
  const isFieldEmpty = (name: string) => !cleaned.includes(name) && isEmptyValue(valueOf(after, name))
  const isEmpty = names.length > 0 && names.every(isFieldEmpty)
  if (!isEmpty) return { empty: null, isOpen: false, notice: wasReported ? 'recovered' : null, warnings: [] }
  const count = before === null || wasReported ? READINGS_UNTIL_NOTICE : (empty ?? 0) + 1
  const isReported = count === READINGS_UNTIL_NOTICE
  return {
    empty: count,
    isOpen: !isReported,
    notice: isReported && !wasReported ? 'field_missing' : null,
    warnings: isReported ? [ALL_EMPTY] : [],
  }
}

const ALL_EMPTY =
  'No field has a value, so this monitor cannot notice a change. Correct its rules; where scripts make the page, set ' +
  'fetch_mode to browser.'
