import Type, { type TSchema } from 'typebox'
import { Choice, RULES, Tagged, Text, Whole } from '../shape/shape.ts'

/**
 * Composite predicates nest at most this deep, with at most 25 conditions each. The CEL budget of the Kubernetes API
 * server allows no more.
 */
export const PREDICATE_DEPTH = 4
export const PREDICATE_CONDITIONS = 25

interface FieldThreshold {
  readonly field: string
  readonly threshold: number
}

interface FieldLines {
  readonly field: string
  /** Absent: any line. */
  readonly pattern?: string
}

/** The condition under which a difference causes a notification. */
export type DiffPredicate =
  | { readonly type: 'any_field_changes' }
  | { readonly type: 'field_changes'; readonly field: string }
  | ({ readonly type: 'field_increases_by_percent' } & FieldThreshold)
  | ({ readonly type: 'field_decreases_by_percent' } & FieldThreshold)
  | ({ readonly type: 'field_increases_by_absolute' } & FieldThreshold)
  | ({ readonly type: 'field_decreases_by_absolute' } & FieldThreshold)
  | ({ readonly type: 'field_above' } & FieldThreshold)
  | ({ readonly type: 'field_below' } & FieldThreshold)
  | { readonly type: 'list_gains_items'; readonly field: string }
  | { readonly type: 'list_loses_items'; readonly field: string }
  | {
      readonly type: 'list_gains_unseen_items'
      readonly field: string
      /** Absent: what was shown once is never forgotten. */
      readonly forget_after_days?: number
    }
  | ({ readonly type: 'lines_added' } & FieldLines)
  | ({ readonly type: 'lines_removed' } & FieldLines)
  | { readonly type: 'field_matches_regex'; readonly field: string; readonly pattern: string }
  | { readonly type: 'field_equals'; readonly field: string; readonly value: string | number | boolean }
  | { readonly type: 'composite'; readonly operator: 'AND' | 'OR'; readonly conditions: readonly DiffPredicate[] }

const Field = Text(1, 100, 'A field name that extract_config defines.')
const Threshold = Type.Number({
  minimum: -1e15,
  maximum: 1e15,
  description: 'For percent types: a positive number; 5 means 5 percent.',
})
const Pattern = Text(
  1,
  1000,
  'JavaScript regular expression. Of lines_added and lines_removed: one of the lines has to match it.',
)
const lines = { field: Field, pattern: Type.Optional(Pattern) }

const leaves = {
  any_field_changes: {},
  field_changes: { field: Field },
  field_increases_by_percent: { field: Field, threshold: Threshold },
  field_decreases_by_percent: { field: Field, threshold: Threshold },
  field_increases_by_absolute: { field: Field, threshold: Threshold },
  field_decreases_by_absolute: { field: Field, threshold: Threshold },
  field_above: { field: Field, threshold: Threshold },
  field_below: { field: Field, threshold: Threshold },
  list_gains_items: { field: Field },
  list_loses_items: { field: Field },
  list_gains_unseen_items: {
    field: Field,
    forget_after_days: Type.Optional(
      Whole(1, 3650, { description: 'An item that was not shown for longer is told again. Absent: never.' }),
    ),
  },
  lines_added: lines,
  lines_removed: lines,
  field_matches_regex: { field: Field, pattern: Pattern },
  field_equals: {
    field: Field,
    value: Type.Unknown({ description: 'A string, number or boolean.', [RULES]: ['scalar'] }),
  },
}

/** A process of the version before knows none of these, and would judge each as a movement of a number. */
const levels = { list_loses_items: 2, list_gains_unseen_items: 2, lines_added: 2, lines_removed: 2 } as const

function atDepth(depth: number): TSchema {
  const options = {
    description: 'The condition under which a difference causes a notification.',
    tagged: 'The kind of condition. composite joins several.',
    rules: ['positive_percent'],
    levels,
  } as const
  if (depth === PREDICATE_DEPTH) return Tagged('type', leaves, options)
  const composite = {
    operator: Choice(['AND', 'OR'], { description: 'AND: all conditions hold. OR: at least one holds.' }),
    conditions: Type.Array(atDepth(depth + 1), {
      minItems: 1,
      maxItems: PREDICATE_CONDITIONS,
      description: 'The conditions that the operator joins.',
    }),
  }
  return Tagged('type', { ...leaves, composite }, options)
}

/** The shape of a predicate: composites on levels 1 to 3, leaves down to level 4. */
export const DiffPredicate = Type.Unsafe<DiffPredicate>(atDepth(1))
