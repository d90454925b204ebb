import type { DiffPredicate } from '../api/types.ts'
import { WHOLE_PAGE } from '../monitors/values.ts'
import type { AnyMonitor } from './any-monitor.ts'

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 10 })

/** The part of a sentence that stands beside its subject, a field. */
interface Clause {
  readonly field: string
  readonly words: string
  /** It is true on every difference while the value is so, whatever differs. */
  readonly isOfState?: true
}

/** Returns when a monitor fires, as the end of the sentence "Fires when …". */
export function conditionOf(monitor: AnyMonitor): string {
  const { diff_predicate: predicate, visual_config: visual } = monitor
  if (predicate === undefined) return ofSearch(monitor)
  const words = inWords(predicate)
  return visual?.enabled
    ? `${words}, or when ${number.format(visual.thresholdPct ?? 1)} % of the picture or more changes`
    : words
}

/** Returns a predicate in words. */
export function inWords(predicate: DiffPredicate): string {
  if (predicate.type === 'any_field_changes') return 'anything changes'
  if (predicate.type !== 'composite') {
    const { field, words, isOfState } = clauseOf(predicate)
    return isOfState ? `something changes while ${field} ${words}` : `${field} ${words}`
  }
  const { operator, conditions } = predicate
  const parts = conditions.map((one) => {
    if (one.type === 'any_field_changes') return inWords(one)
    if (one.type === 'composite') return one.conditions.length > 1 ? `(${inWords(one)})` : inWords(one)
    const { field, words } = clauseOf(one)
    return `${field} ${words}`
  })
  return parts.join(operator === 'AND' ? ' and ' : ' or ')
}

function clauseOf(leaf: Exclude<DiffPredicate, { type: 'any_field_changes' | 'composite' }>): Clause {
  const field = leaf.field === WHOLE_PAGE ? 'the text of the page' : leaf.field
  switch (leaf.type) {
    case 'field_changes':
      return { field, words: 'changes' }
    case 'field_increases_by_percent':
      return { field, words: `rises by ${number.format(leaf.threshold)} % or more` }
    case 'field_decreases_by_percent':
      return { field, words: `falls by ${number.format(leaf.threshold)} % or more` }
    case 'field_increases_by_absolute':
      return { field, words: `rises${byAtLeast(leaf.threshold)}` }
    case 'field_decreases_by_absolute':
      return { field, words: `falls${byAtLeast(leaf.threshold)}` }
    case 'field_above':
      return { field, words: `rises above ${number.format(leaf.threshold)}` }
    case 'field_below':
      return { field, words: `falls below ${number.format(leaf.threshold)}` }
    case 'list_gains_items':
      return { field, words: 'gains an item' }
    case 'list_gains_unseen_items': {
      const { forget_after_days: days } = leaf
      const when = days === undefined ? 'never showed' : `did not show for ${days === 1 ? 'a day' : `${days} days`}`
      return { field, words: `gains an item that it ${when}` }
    }
    case 'list_loses_items':
      return { field, words: 'loses an item' }
    case 'lines_added':
    case 'lines_removed': {
      const words = `${leaf.type === 'lines_added' ? 'gains' : 'loses'} a line`
      return { field, words: leaf.pattern === undefined ? words : `${words} that matches ${leaf.pattern}` }
    }
    case 'field_matches_regex':
      return { field, words: `matches ${leaf.pattern}`, isOfState: true }
    case 'field_equals':
      return {
        field,
        words: `is ${typeof leaf.value === 'string' ? `“${leaf.value}”` : String(leaf.value)}`,
        isOfState: true,
      }
  }
}

/** A threshold of 0 is any movement. */
const byAtLeast = (threshold: number) => (threshold > 0 ? ` by ${number.format(threshold)} or more` : '')

function ofSearch({ mode, target_domain: target, rank_change_threshold: threshold }: AnyMonitor): string {
  if (mode === 'full_analysis') return 'the list of results changes'
  if (target === undefined || target === null) return 'a site to look for is given: until then, never'
  const moves =
    threshold === undefined || threshold === null
      ? ''
      : `, or moves by ${threshold} ${threshold === 1 ? 'place' : 'places'} or more`
  return `${target} enters or leaves the results${moves}`
}
