import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { Diff } from '../../schema/run/run.ts'
import type { Json, Values } from '../../schema/shape/json.ts'
import { valueOf } from '../diff/diff-values.ts'
import { compare, decimalOfNumber } from '../number/decimal.ts'
import type { Judged } from './judged.ts'
import type { Leaf } from './leaf.ts'
import { linesThatChanged } from './line-changes.ts'
import { gained, lost } from './list-changes.ts'
import { fellBy, fellByPercent, roseBy, roseByPercent } from './movement.ts'
import { type PatternQuestion, questionOf } from './pattern-question.ts'
import { elementOf, numberOf } from './read-field.ts'
import { gainedUnseen } from './unseen-items.ts'

/**
 * Returns whether a predicate is true for a difference. Without a difference no predicate is. `before` and `after` are
 * the whole readings: equals and matches test a field's new value also when another field changed. The caller ensures
 * that a monitor's first run never fires: it has no difference to test. The result is unknown only where it depends on
 * an unknown leaf: unknown OR true is true.
 */
export function fires(predicate: DiffPredicate, judged: Judged, matches: Matches): Truth {
  if (judged.diff === null) return false
  if (predicate.type !== 'composite') return leafHolds(predicate, judged.diff, judged, matches)
  const { operator, conditions } = predicate
  const decisive = operator === 'OR'
  let outcome: Truth = !decisive
  for (const condition of conditions) {
    const truth = fires(condition, judged, matches)
    if (truth === decisive) return decisive
    if (truth === 'unknown') outcome = 'unknown'
  }
  return outcome
}

/**
 * Returns whether a JavaScript pattern matches a text: `new RegExp(pattern).test(text)`, or of one of its lines. The
 * caller does the test, because an untrusted pattern may run for ever. The caller gets the needed tests from
 * `collectPatterns`, runs each in a thread that can be killed, and returns `unknown` for a killed one.
 */
export type Matches = (question: PatternQuestion) => Truth

/** `unknown`: the result depends on a pattern that did not finish. */
export type Truth = boolean | 'unknown'

/** Returns whether a predicate that is not a composite holds for a difference. */
function leafHolds(leaf: Leaf, diff: Diff, judged: Judged, matches: Matches): Truth {
  switch (leaf.type) {
    case 'any_field_changes':
      return diff.fields_changed.length > 0
    case 'field_changes':
      return diff.fields_changed.includes(leaf.field)
    case 'list_gains_items':
      return diff.fields_changed.includes(leaf.field) && gained(judged, leaf.field) > 0
    case 'list_loses_items':
      return diff.fields_changed.includes(leaf.field) && lost(judged, leaf.field) > 0
    case 'list_gains_unseen_items':
      return diff.fields_changed.includes(leaf.field) && gainedUnseen(leaf, judged) > 0
    case 'field_equals':
      return elementOf(judged.after, leaf.field) === leaf.value
    case 'lines_added':
    case 'lines_removed':
      return linesHold(leaf, judged, matches)
    case 'field_matches_regex':
      return isMatch(leaf, judged, matches)
    default:
      // A field that has not changed has not moved, however its number is read.
      return diff.fields_changed.includes(leaf.field) && moved(leaf, judged)
  }
}

function linesHold(leaf: Extract<Leaf, { type: 'lines_added' | 'lines_removed' }>, judged: Judged, matches: Matches) {
  const { count, isUnknown } = linesThatChanged(leaf, judged)
  return leaf.pattern === undefined || isUnknown ? count > 0 : isMatch(leaf, judged, matches)
}

function isMatch(leaf: Parameters<typeof questionOf>[0], judged: Judged, matches: Matches): Truth {
  const question = questionOf(leaf, judged)
  return question !== null && matches(question)
}

/** A longer text is not kept: what matters is the number in it. */
const MAX_KEPT = 1_000

/**
 * Returns the last number of each field that a predicate wants to cross a line, where the field has none now: a price
 * that is `Sold out` for a while has still crossed it when it is back. Null: there is none.
 */
export function lastNumbers(predicate: DiffPredicate, { before, after, lists }: Omit<Judged, 'diff'>): Values | null {
  const kept: [string, Json][] = []
  for (const field of crossingFields(predicate)) {
    if (numberOf(after, field) !== null) continue
    const from = numberOf(before, field) !== null ? before : (lists ?? {})
    if (numberOf(from, field) === null) continue
    const value = valueOf(from, field)
    if (JSON.stringify(value).length <= MAX_KEPT) kept.push([field, value])
  }
  return kept.length > 0 ? Object.fromEntries(kept) : null
}

function crossingFields(predicate: DiffPredicate): ReadonlySet<string> {
  if (predicate.type === 'composite') return new Set(predicate.conditions.flatMap((one) => [...crossingFields(one)]))
  return new Set(predicate.type === 'field_above' || predicate.type === 'field_below' ? [predicate.field] : [])
}

type Movement = Extract<Leaf, { threshold: number }>

function moved(leaf: Movement, { before, after, lists }: Judged): boolean {
  const crosses = leaf.type === 'field_above' || leaf.type === 'field_below'
  const from = numberOf(before, leaf.field) ?? (crosses && lists ? numberOf(lists, leaf.field) : null)
  const to = numberOf(after, leaf.field)
  if (from === null || to === null) return false
  const threshold = decimalOfNumber(leaf.threshold)
  switch (leaf.type) {
    case 'field_increases_by_percent':
      return roseByPercent(from, to, threshold)
    case 'field_decreases_by_percent':
      return fellByPercent(from, to, threshold)
    case 'field_increases_by_absolute':
      return roseBy(from, to, threshold)
    case 'field_decreases_by_absolute':
      return fellBy(from, to, threshold)
    case 'field_above':
      return compare(from, threshold) <= 0 && compare(to, threshold) > 0
    case 'field_below':
      return compare(from, threshold) >= 0 && compare(to, threshold) < 0
  }
}

/** Returns the fields that a predicate reads as numbers. */
export function numericFields(predicate: DiffPredicate): ReadonlySet<string> {
  if (predicate.type === 'composite') return new Set(predicate.conditions.flatMap((one) => [...numericFields(one)]))
  return new Set('threshold' in predicate ? [predicate.field] : [])
}
