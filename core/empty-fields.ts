import type { Json, Values } from '../schema/shape/json.ts'
import { valueOf } from './diff/diff-values.ts'

/**
 * Returns whether a value shows nothing of the page: no match, a list without items, or text of white space alone.
 * `false` and `0` are values.
 */
export function isEmptyValue(value: Json): boolean {
  if (typeof value === 'string') return value.trim() === ''
  return value === null || (Array.isArray(value) && value.length === 0)
}

/** What a reading is asked about its empty fields. */
interface EmptyFields {
  readonly values: Values
  /** The names of the extract config, in their order. */
  readonly names: readonly string[]
  /** The page was not rendered, and has many scripts that may write what is missing. */
  readonly isScripted: boolean
}

/**
 * Returns a warning for each field without a match, in order. An element that was found and is empty is mentioned only
 * where scripts may fill it.
 */
export function emptyFieldWarnings({ values, names, isScripted }: EmptyFields): readonly string[] {
  const found = names.filter((name) => isEmptyValue(valueOf(values, name)))
  return found
    .filter((name) => isScripted || isUnmatched(valueOf(values, name)))
    .map((name) => {
      const state = isUnmatched(valueOf(values, name)) ? 'has no match on the page' : 'is empty on the page'
      return `The field ${JSON.stringify(name)} ${state}. ${isScripted ? SCRIPTED : ADVICE}`
    })
}

/** Returns whether a field has no match: `null`, or a list without items. */
const isUnmatched = (value: Json): boolean => isEmptyValue(value) && typeof value !== 'string'

const ADVICE = 'Its rule cannot notice a change there; correct the rule.'
const SCRIPTED =
  'The page was read without running its many scripts, which may write this part; try fetch_mode browser, or ' +
  'correct the rule.'
