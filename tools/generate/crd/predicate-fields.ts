import { PREDICATE_DEPTH } from '../../../schema/monitor/diff-predicate.ts'
import type { ValidationRule } from './structural-schema.ts'

const KNOWN =
  `has(self.extractConfig.fields) ? self.extractConfig.fields : {self.extractConfig.method == 'prompt' ? 'result' : ` +
  `'content_hash': ''}`

/**
 * The rule `predicate_fields` of a monitor, written out for each level that predicates nest. A prompt's schema is
 * untyped, so CEL cannot see the names in it: those predicates are judged by the operator.
 */
export function predicateFieldsRules(): ValidationRule[] {
  return [
    {
      // A list of one binds the name; a map is searched at once, a list one by one.
      rule: `has(self.extractConfig.schema) || [${KNOWN}].all(known, ${namesKnown('self.diffPredicate', 1)})`,
      message: 'a predicate names a field that extractConfig does not define',
      fieldPath: '.diffPredicate',
    },
  ]
}

function namesKnown(predicate: string, level: number): string {
  const own = `(!has(${predicate}.field) || ${predicate}.field in known)`
  if (level === PREDICATE_DEPTH) return own
  const below = `c${level}`
  return (
    `${own} && (!has(${predicate}.conditions) || ${predicate}.conditions.all(${below}, ` +
    `${namesKnown(below, level + 1)}))`
  )
}
