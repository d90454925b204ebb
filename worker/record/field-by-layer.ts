import { diffIfLists } from '../../core/diff/diff-lists.ts'
import { equalValues, isEmptyValue } from '../../core/diff/diff-values.ts'
import type { Json } from '../../schema/shape/json.ts'
import type { Expected } from '../../store/queue/baselines.ts'

/** A field in a reading, and what is known of it. */
interface FieldReading {
  readonly now: Json
  /** What this layer read last. Null: it has read nothing yet. */
  readonly last: Expected | null
  /** The baseline, which is the last reading of any layer, and what other layers have read since the last change. */
  readonly known: readonly [Json, ...Json[]]
}

/** What a new layer may see otherwise than the others. */
interface LayerView {
  /** Its values are like those of the baseline's layer. */
  readonly isComparable: boolean
  /** The texts say whether the page changed, so nothing has to be assumed. */
  readonly isText: boolean
  /** Its lists may have items that other layers do not see. */
  readonly maySeeMore: boolean
}

/** A difference that is told as a change of the page. */
interface Change {
  readonly kind: 'change'
  readonly from: Json
  /** This layer has read the value before, and no change was told since. */
  readonly isCertain: boolean
  /** What shows most of the last readings of all layers. */
  readonly most: Json
}

type Finding = { readonly kind: 'same' | 'quiet'; readonly most: Json } | Change

/**
 * Compares a field with what its layer read last.
 *
 *     last of this layer   this reading                            finding
 *     any                  equal to it                             same
 *     read                 otherwise, but for more of a list       change
 *     any                  equal to what another layer has read    same: it is told, or none
 *     read or assumed      otherwise                               change
 *     outdated             a list with items that none has         change
 *     outdated             otherwise                               quiet: another layer has told a change
 *     none                 empty, or the others are                quiet: one layer does not see the field
 *     none                 fewer or more items of the same list    quiet: likewise
 *     none                 not comparable                          quiet
 *     none                 otherwise                               change
 *
 * A layer whose last reading is empty while another one sees a value does not see the field: it counts as none.
 */
export function compareField(field: FieldReading, view: LayerView): Finding {
  const { now, last, known } = field
  const most = known.reduce((one, other) => (isEmptyValue(one) || isShorter(one, other) ? other : one))
  if (last && equalValues(now, last.value)) return { kind: 'same', most }
  const isLoss = last?.is === 'read' && !isEmptyValue(last.value) && !isShorter(last.value, now)
  if (!isLoss && known.some((value) => equalValues(now, value))) return { kind: 'same', most }
  const from = last ? fromLast(last, now, most, view) : fromOthers(now, most, view)
  return from === null ? { kind: 'quiet', most } : { kind: 'change', ...from, most }
}

/** The beginning of a change. Null: it is none. */
type From = Pick<Change, 'from' | 'isCertain'> | null

function fromLast({ value, is }: Expected, now: Json, most: Json, view: LayerView): From {
  if (is !== 'read' && view.isText) return fromOthers(now, most, view)
  if (is === 'outdated') return hasNews(now, value, most) ? { from: most, isCertain: false } : null
  const isUnseen = isEmptyValue(value) && !isEmptyValue(most)
  return isUnseen ? fromOthers(now, most, view) : { from: value, isCertain: is === 'read' }
}

function fromOthers(now: Json, most: Json, { isComparable, maySeeMore }: LayerView): From {
  const isEmpty = isEmptyValue(now) || isEmptyValue(most)
  const isList = isShorter(now, most) || (maySeeMore && isShorter(most, now))
  return isEmpty || isList || !isComparable ? null : { from: most, isCertain: false }
}

/**
 * Returns what is known of another layer after a finding.
 *
 *     finding              last of the other layer                 then
 *     same, quiet          any                                     as before
 *     change, certain      what the change began with              the new value, assumed; of a loss the old one
 *     change, not certain  that, or most of the field seen         the old value, assumed
 *     change               assumed, or empty                       as before, assumed
 *     change               otherwise                               outdated
 */
export function afterFinding(last: Expected, found: Finding, now: Json): Expected {
  if (found.kind !== 'change') return last
  const { value, is } = last
  const isAlike = equalValues(value, found.from) || (!found.isCertain && equalValues(value, found.most))
  if (is === 'outdated' || (is === 'read' && !isAlike && !isEmptyValue(value))) return { value, is: 'outdated' }
  const isNews = found.isCertain && isAlike && !isEmptyValue(value) && !isEmptyValue(now) && !isShorter(now, value)
  return { value: isNews ? now : value, is: 'assumed' }
}

/** Returns whether a list has items that neither of two others has. */
const hasNews = (now: Json, ...others: readonly Json[]): boolean =>
  (diffIfLists(
    others.flatMap((one) => (Array.isArray(one) ? (one as Json[]) : [])),
    now,
  )?.added.length ?? 0) > 0

/** Returns whether a list has only some of the items of another one, in the same order. */
function isShorter(one: Json, other: Json): boolean {
  const found = diffIfLists(one, other)
  return found !== null && found.added.length > 0 && found.removed.length === 0 && found.moved.length === 0
}
