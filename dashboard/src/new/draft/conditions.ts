import type { DiffPredicate } from '../../api/types.ts'

/** A condition that holds no others. */
export type Leaf = Exclude<DiffPredicate, { readonly type: 'composite' }>
type LeafType = Leaf['type']
/** Conditions that are joined. */
export type Group = Extract<DiffPredicate, { readonly type: 'composite' }>

/** What a value is, for the conditions that fit it. `unknown`: there is none yet. */
type ValueKind = 'number' | 'text' | 'list' | 'page' | 'unknown'

/** One amount, with some letters or signs of a currency around it. */
const AMOUNT = /^[^\d]{0,12}\d[\d.,'’\s]*[^\d]{0,12}$/

/** Returns what a value is, as a run stores it. */
export function valueKindOf(value: unknown): ValueKind {
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'string') return AMOUNT.test(value.trim()) ? 'number' : 'text'
  return value === null || value === undefined ? 'unknown' : 'text'
}

/** The words of a sentence that begins with "Tell me when" and the field. */
const WORDS: Readonly<Record<LeafType, string>> = {
  any_field_changes: 'anything changes',
  field_changes: 'changes',
  field_decreases_by_percent: 'falls by percent',
  field_increases_by_percent: 'rises by percent',
  field_decreases_by_absolute: 'falls by',
  field_increases_by_absolute: 'rises by',
  field_below: 'falls below',
  field_above: 'rises above',
  list_gains_items: 'gains an item',
  list_loses_items: 'loses an item',
  list_gains_unseen_items: 'gains an item that it never showed',
  lines_added: 'gains a line',
  lines_removed: 'loses a line',
  field_matches_regex: 'matches a pattern',
  field_equals: 'is',
}

const LINES: readonly LeafType[] = ['lines_added', 'lines_removed']
const AMOUNTS: readonly LeafType[] = [
  'field_decreases_by_percent',
  'field_increases_by_percent',
  'field_decreases_by_absolute',
  'field_increases_by_absolute',
  'field_below',
  'field_above',
]
const OF_KIND: Readonly<Record<ValueKind, readonly LeafType[]>> = {
  number: ['field_changes', ...AMOUNTS, 'field_equals'],
  text: ['field_changes', 'field_matches_regex', 'field_equals', ...LINES],
  list: ['list_gains_items', 'list_gains_unseen_items', 'list_loses_items', 'field_changes', ...LINES],
  page: ['field_changes', ...LINES],
  unknown: [
    'field_changes',
    ...AMOUNTS,
    'list_gains_items',
    'list_gains_unseen_items',
    'list_loses_items',
    'field_matches_regex',
    'field_equals',
    ...LINES,
  ],
}

/** Returns the conditions that fit a value, with their words. The one that is chosen stays among them. */
export function choicesFor(kind: ValueKind, chosen: LeafType): readonly (readonly [LeafType, string])[] {
  const fitting: readonly LeafType[] = ['any_field_changes', ...OF_KIND[kind]]
  const all = fitting.includes(chosen) ? fitting : [...fitting, chosen]
  return all.map((type) => [type, WORDS[type]])
}

/** Returns whether a condition can be true of such a value. */
const fits = (kind: ValueKind, type: LeafType): boolean => type === 'any_field_changes' || OF_KIND[kind].includes(type)

/** Returns a condition of a type, with what an earlier one has in common with it. */
export function leafOf(type: LeafType, field: string, before: Leaf): Leaf {
  const threshold = 'threshold' in before ? before.threshold : type.endsWith('percent') ? 5 : 0
  switch (type) {
    case 'any_field_changes':
      return { type }
    case 'field_changes':
    case 'list_gains_items':
    case 'list_loses_items':
    case 'list_gains_unseen_items':
      return { type, field }
    case 'lines_added':
    case 'lines_removed':
      return linesOf(type, field, patternOf(before))
    case 'field_matches_regex':
      return { type, field, pattern: patternOf(before) }
    case 'field_equals':
      return { type, field, value: 'value' in before ? before.value : '' }
    default:
      return { type, field, threshold }
  }
}

const patternOf = (leaf: Leaf) => ('pattern' in leaf ? leaf.pattern : undefined) ?? ''

/** Returns a condition about lines. Without a pattern it is about any line. */
export const linesOf = (type: 'lines_added' | 'lines_removed', field: string, pattern: string): Leaf =>
  pattern === '' ? { type, field } : { type, field, pattern }

/** Returns the condition that a person begins with. */
export const defaultLeaf = ([first]: readonly string[]): Leaf =>
  first === undefined ? { type: 'any_field_changes' } : { type: 'field_changes', field: first }

/** Returns a condition joined with a further one. */
export const groupOf = (leaf: Leaf, names: readonly string[], operator: Group['operator'] = 'AND'): Group => ({
  type: 'composite',
  operator,
  conditions: [leaf, defaultLeaf(names)],
})

interface Pointed {
  readonly kind: ValueKind
  readonly field: string
  /** A person chose the condition, so it stays as long as it can be true. */
  readonly isOwn: boolean
}

/** Returns the predicate, or the one that fits the value that is pointed at. Groups stay as they are. */
export function fitted(predicate: DiffPredicate, { kind, field, isOwn }: Pointed): DiffPredicate {
  if (predicate.type === 'composite' || kind === 'unknown') return predicate
  const isOfField = !('field' in predicate) || predicate.field === field
  const gains = { type: 'list_gains_items', field } as const
  if (isOfField && kind === 'list' && !isOwn) return gains
  if (!isOfField || fits(kind, predicate.type)) return predicate
  return kind === 'list' ? gains : { type: 'field_changes', field }
}

interface Renaming {
  /** The fields that there are. */
  readonly names: readonly string[]
  readonly from?: string | undefined
  readonly to?: string
}

/** Returns a predicate about the fields that a draft has: a renamed one follows, and the first replaces a lost one. */
export function renamedIn(predicate: DiffPredicate, renaming: Renaming): DiffPredicate {
  if (predicate.type === 'composite')
    return { ...predicate, conditions: predicate.conditions.map((one) => renamedIn(one, renaming)) }
  if (!('field' in predicate)) return predicate
  const { names, from, to } = renaming
  const field = to !== undefined && predicate.field === from ? to : predicate.field
  if (names.includes(field)) return { ...predicate, field }
  const [first] = names
  return first === undefined ? { type: 'any_field_changes' } : { ...predicate, field: first }
}
