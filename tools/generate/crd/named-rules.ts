import { inCamelCase } from '../../../core/custom-resource/property-words.ts'
import type { RuleName } from '../../../schema/rules/rule-name.ts'
import { RULE_TABLE } from '../../../schema/rules/rule-table.ts'
import { quoted } from './cel-text.ts'
import { predicateFieldsRules } from './predicate-fields.ts'
import type { StructuralSchema, ValidationRule } from './structural-schema.ts'

/** Returns the expressions of the rules that a node names. */
export const namedRules = (names: readonly RuleName[]): ValidationRule[] => names.flatMap(ruleOf)

/**
 * Rules without CEL, for untyped values, which CEL does not see. A string is bounded, and no list and no object can
 * satisfy the bounds.
 */
export const BOUNDS_OF_RULE: Partial<Record<RuleName, StructuralSchema>> = {
  scalar: { maxLength: 10_000, minItems: 1, maxItems: 0, minProperties: 1, maxProperties: 0 },
}

/** Rules that no expression can say. The operator applies `check`, and says in the status what is wrong. */
export const LEFT_TO_OPERATOR: ReadonlySet<RuleName> = new Set([
  'message_names',
  'body_names',
  'page_names',
  'search_names',
])

function ruleOf(name: RuleName): ValidationRule[] {
  if (name === 'predicate_fields') return predicateFieldsRules()
  if (LEFT_TO_OPERATOR.has(name)) return []
  const { cel, message } = RULE_TABLE[name]
  if (cel === null && !BOUNDS_OF_RULE[name]) throw new Error(`${name}: a rule needs an expression, or bounds`)
  if (cel === null) return []
  const words = inCamelCase(message)
  return [{ rule: cel, message: words, ...namingKeys(cel, words) }]
}

/** A rule for the keys of a map names the keys that break it, as the API does with its paths. */
function namingKeys(cel: string, message: string): Pick<ValidationRule, 'messageExpression'> {
  const condition = /^self\.all\(name, (.*)\)$/.exec(cel)?.[1]
  if (condition === undefined) return {}
  const [before, after] = [quoted('["'), quoted(`"]: ${message}`)]
  return { messageExpression: `${before} + self.filter(name, !(${condition}))[0] + ${after}` }
}
