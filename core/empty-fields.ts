import { type ExtractConfig, fieldNames } from '../schema/monitor/extract-config.ts'
import type { Values } from '../schema/shape/json.ts'
import { hasNoMatch, isEmptyValue, valueOf } from './diff/diff-values.ts'

/**
 * Returns the fields whose rule has no match on the page, in the order of the config: `null`, a list without items, and
 * a pattern that was counted zero times.
 */
export function unmatchedFields(values: Values, config: ExtractConfig): readonly string[] {
  return fieldNames(config).filter((name) => {
    const value = valueOf(values, name)
    return hasNoMatch(value) || (config.method === 'regex' && value === 0)
  })
}

/** A reading, as far as its empty fields need an explanation. */
interface EmptyFields {
  readonly values: Values
  readonly config: ExtractConfig
  /** The page was not rendered, and has many scripts that may write what is missing. */
  readonly isScripted: boolean
}

/**
 * Returns a warning for each field without a match. An element that was found and is empty is mentioned only where
 * scripts may fill it.
 */
export function emptyFieldWarnings({ values, config, isScripted }: EmptyFields): readonly string[] {
  const unmatched = unmatchedFields(values, config)
  return fieldNames(config).flatMap((name) => {
    if (unmatched.includes(name)) return [warning(name, 'has no match on the page', isScripted)]
    return isScripted && isEmptyValue(valueOf(values, name)) ? [warning(name, 'is empty on the page', true)] : []
  })
}

const warning = (name: string, state: string, isScripted: boolean) =>
  `The field ${JSON.stringify(name)} ${state}. ${isScripted ? SCRIPTED : ADVICE}`

const ADVICE = 'Its rule cannot notice a change there; correct the rule.'
const SCRIPTED =
  'The page was read without running its many scripts, which may write this part; try fetch_mode browser, or ' +
  'correct the rule.'
