import { camelCase } from '../../../core/custom-resource/camel-case.ts'
import { SECRET_PLACES, secretKeyBeside } from '../../../core/custom-resource/secret-places.ts'
import { VARIANTS, type VariantTable } from '../../../schema/shape/shape.ts'
import type { SchemaNode } from '../../../schema/shape/walk-schema.ts'
import { isOneOf, member } from './cel-text.ts'
import type { StructuralSchema, ValidationRule, ValueValidation } from './structural-schema.ts'

type Variants = VariantTable['variants']

/**
 * Returns the variants of a `Tagged` node as rules for each key, instead of one rule for each variant. So a fault is
 * reported at the key itself and with the API's text.
 *
 * CEL does not see a key without a type. The rules of such a key are value validations, for which the API server has
 * less clear messages.
 */
export function armRules(
  node: SchemaNode,
  place: string,
): Pick<StructuralSchema, 'allOf'> & { rules: ValidationRule[] } {
  const table = node[VARIANTS]
  if (!table) return { rules: [] }
  const keys = Object.entries(node.properties ?? {}).filter(([key]) => key !== table.tag)
  const untyped = keys.filter(([, child]) => isUntyped(child)).flatMap(([key]) => untypedKeyRules(table, key))
  return {
    rules: keys.filter(([, child]) => !isUntyped(child)).flatMap(([key]) => keyRules(table, key, place)),
    ...(untyped.length > 0 && { allOf: untyped }),
  }
}

const isUntyped = (node: SchemaNode) => node.type === undefined && node.anyOf === undefined

const variantsThat = (variants: Variants, list: 'required' | 'allowed', key: string) =>
  Object.keys(variants).filter((name) => variants[name]?.[list].includes(key))

function keyRules({ tag, variants }: VariantTable, key: string, place: string): ValidationRule[] {
  const name = camelCase(key)
  const tagValue = member('self', camelCase(tag))
  const needing = variantsThat(variants, 'required', key)
  const allowing = variantsThat(variants, 'allowed', key)
  // A secret key can replace the key itself: it is required in its place, and refused where the key is refused.
  const beside = (SECRET_PLACES as readonly string[]).includes(`${place}.${key}`) ? [secretKeyBeside(name)] : []
  const present = [name, ...beside].map((each) => `has(${member('self', each)})`).join(' || ')
  const rules: ValidationRule[] = []
  if (needing.length > 0)
    rules.push({
      rule: `!(${isOneOf(tagValue, needing)}) || ${present}`,
      message: `${[name, ...beside].join(' or ')} is required with ${tag} ${needing.join(', ')}`,
      messageExpression: `'is required with ${tag} ' + ${tagValue}`,
      reason: 'FieldValueRequired',
      fieldPath: `.${name}`,
    })
  if (allowing.length < Object.keys(variants).length)
    for (const each of [name, ...beside])
      rules.push({
        rule: `!has(${member('self', each)}) || ${isOneOf(tagValue, allowing)}`,
        message: `${each} is allowed only with ${tag} ${allowing.join(', ')}`,
        messageExpression: `'is not allowed with ${tag} ' + ${tagValue}`,
        reason: 'FieldValueForbidden',
        fieldPath: `.${each}`,
      })
  return rules
}

function untypedKeyRules({ tag, variants }: VariantTable, key: string): ValueValidation[] {
  const present = { required: [camelCase(key)] }
  const tagged = (choices: readonly string[]) => ({ properties: { [camelCase(tag)]: { enum: choices } } })
  const needing = variantsThat(variants, 'required', key)
  const refusing = Object.keys(variants).filter((name) => !variants[name]?.allowed.includes(key))
  return [{ not: { ...tagged(needing), not: present } }, { not: { ...tagged(refusing), ...present } }]
}
