import type { Json, Values } from '../../schema/shape/json.ts'
import { valueOf } from '../diff/diff-values.ts'
import { compare, type Decimal, decimalText } from '../number/decimal.ts'
import type { Judged } from './judged.ts'
import type { Leaf } from './leaf.ts'
import { linesThatChanged } from './line-changes.ts'
import { gained, lost } from './list-changes.ts'
import { perField } from './per-field.ts'
import { numberOf } from './read-field.ts'
import { gainedUnseen } from './unseen-items.ts'

/** Returns a text from which a person sees why a leaf holds or does not. Values are cut to 80 characters. */
export function describeLeaf(leaf: Leaf, judged: Judged): string {
  const { diff, before, after } = judged
  if (diff === null) return 'nothing differs'
  switch (leaf.type) {
    case 'any_field_changes':
      return `${listed(diff.fields_changed)} changed`
    case 'field_changes':
      return diff.fields_changed.includes(leaf.field) ? `${leaf.field} changed` : `${leaf.field} did not change`
    case 'list_gains_items':
      return `${leaf.field} gained ${counted(gained(judged, leaf.field), 'item')}`
    case 'list_loses_items':
      return `${leaf.field} lost ${counted(lost(judged, leaf.field), 'item')}`
    case 'list_gains_unseen_items':
      return `${leaf.field} gained ${counted(gainedUnseen(leaf, judged), 'item')} ${notShown(leaf)}`
    case 'lines_added':
    case 'lines_removed': {
      const verb = leaf.type === 'lines_added' ? 'gained' : 'lost'
      const { count, isUnknown } = linesThatChanged(leaf, judged)
      const lines = `${leaf.field} ${verb} ${counted(count, 'line')}${isUnknown ? ' of unknown text' : ''}`
      return leaf.pattern === undefined ? lines : `${lines}; one that matches /${cut(leaf.pattern)}/ was asked for`
    }
    case 'field_equals':
      return `${leaf.field} is ${shownOf(after, leaf.field)}; ${shown(leaf.value)} was asked for`
    case 'field_matches_regex':
      return `${leaf.field} is ${shownOf(after, leaf.field)}; a match of /${cut(leaf.pattern)}/ was asked for`
    default:
      return `${movement(leaf.field, before, after)}; ${asked(leaf)}`
  }
}

const notShown = ({ forget_after_days: days }: Extract<Leaf, { type: 'list_gains_unseen_items' }>) =>
  days === undefined ? 'that it had never shown' : `that it had not shown for ${days === 1 ? 'a day' : `${days} days`}`

const counted = (count: number, what: string) =>
  count === 0 ? `no ${what}` : count === 1 ? `1 ${what}` : `${count} ${what}s`

function movement(field: string, before: Values, after: Values): string {
  const from = numberOf(before, field)
  const to = numberOf(after, field)
  if (to === null) return `${field} is ${shownOf(after, field)}, which is not a number`
  if (from === null) return `${field} was ${shownOf(before, field)}, which is not a number`
  return `${field} ${verb(compare(to, from))} from ${number(from)} to ${number(to)}`
}

const verb = (order: number) => (order > 0 ? 'rose' : order < 0 ? 'fell' : 'stayed the same,')

function asked(leaf: Extract<Leaf, { threshold: number }>): string {
  const { type, threshold } = leaf
  if (type === 'field_above') return `crossing ${threshold} upwards was asked for`
  if (type === 'field_below') return `crossing ${threshold} downwards was asked for`
  const way = type.startsWith('field_increases') ? 'rise' : 'fall'
  return `a ${way} by ${threshold}${type.endsWith('percent') ? ' percent' : ''} or more was asked for`
}

const listed = (names: readonly string[]) =>
  names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`
const number = (value: Decimal) => cut(decimalText(value))
const shownOf = perField((values: Values, field) => shown(valueOf(values, field)))
const shown = (value: Json) => (value === null ? 'missing' : cut(JSON.stringify(value)))
const cut = (text: string) => (text.length <= 80 ? text : `${text.slice(0, 79).toWellFormed()}…`)
