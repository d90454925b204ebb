import { PREDICATE_DEPTH } from '../../../schema/monitor/diff-predicate.ts'
import type { ValidationRule } from './structural-schema.ts'

const KNOWN =
  `has(self.extractConfig.fields) ? self.extractConfig.fields : {self.extractConfig.method == 'prompt' ? 'result' : ` +
  `'content_hash': ''}`

/**
 * Returns the rule `predicate_fields` of a monitor, written out for each level of nested predicates. The schema of a
 * prompt is untyped, so CEL does not see the names in it: the operator validates those predicates.
 */
export function predicateFieldsRules(): ValidationRule[] {
  return [
    {
      // A list of one element binds the name. A map is searched at once, a list one element at a time.
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
