import { type ExtractConfig, fieldNames } from '../schema/monitor/extract-config.ts'
import type { Values } from '../schema/shape/json.ts'
import { hasNoMatch, isEmptyValue, valueOf } from './diff/diff-values.ts'

/** The values of a reading. */
interface Read {
  readonly values: Values
  /** Fields that had a value on the page, of which treatments left nothing. Absent: none. */
  readonly emptied?: readonly string[] | undefined
}

/**
 * Returns the fields whose rule has no match on the page, in the order of the config: `null`, a list without items, and
 * a pattern that was counted zero times.
 */
export function unmatchedFields({ values, emptied = [] }: Read, config: ExtractConfig): readonly string[] {
  return fieldNames(config).filter((name) => {
    if (emptied.includes(name)) return false
    const value = valueOf(values, name)
    return hasNoMatch(value) || (config.method === 'regex' && value === 0)
  })
}

/** A reading, as far as its empty fields need an explanation. */
interface EmptyFields extends Read {
  readonly config: ExtractConfig
  /** The page was not rendered, and has many scripts that may write what is missing. */
  readonly isScripted: boolean
}

/**
 * Returns a warning for each field without a match. An element that was found and is empty is mentioned only where
 * scripts may fill it. Treatments that left nothing of a field are not mentioned: extraction warns of them.
 */
export function emptyFieldWarnings({ values, emptied = [], config, isScripted }: EmptyFields): readonly string[] {
  const unmatched = unmatchedFields({ values, emptied }, config)
  return fieldNames(config).flatMap((name) => {
    if (unmatched.includes(name)) return [warning(name, 'has no match on the page', isScripted)]
    const isEmpty = isEmptyValue(valueOf(values, name)) && !emptied.includes(name)
    return isScripted && isEmpty ? [warning(name, 'is empty on the page', true)] : []
  })
}

const warning = (name: string, state: string, isScripted: boolean) =>
  `The field ${JSON.stringify(name)} ${state}. ${isScripted ? SCRIPTED : ADVICE}`

const ADVICE = 'Its rule cannot notice a change there; correct the rule.'
const SCRIPTED =
  'The page was read without running its many scripts, which may write this part; try fetch_mode browser, or ' +
  'correct the rule.'
