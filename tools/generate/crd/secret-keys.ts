import { secretKeyBeside } from '../../../core/custom-resource/secret-places.ts'
import { OPTION_LIMITS } from '../../../schema/monitor/delivery-services.ts'
import { HEADER_CASE, HEADER_NAMES, HEADER_RESERVED } from '../../../schema/rules/header-rules.ts'
import { OPTION_NAMES } from '../../../schema/rules/service-rules.ts'
import { RULES } from '../../../schema/shape/shape.ts'
import type { SchemaNode } from '../../../schema/shape/walk-schema.ts'
import { member } from './cel-text.ts'
import type { StructuralSchema, ValidationRule } from './structural-schema.ts'

const secretKeyRef: StructuralSchema = {
  description: 'A key of a Secret in the same namespace.',
  type: 'object',
  required: ['name', 'key'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 253, description: 'Name of the Secret.' },
    key: { type: 'string', minLength: 1, maxLength: 253, pattern: '^[-._a-zA-Z0-9]+$', description: 'Key within it.' },
  },
  'x-kubernetes-map-type': 'atomic',
}

/** The schema of the key that stands beside `key` and names a Secret, and the rules of the object that holds both. */
export function secretKey(key: string, node: SchemaNode): { schema: StructuralSchema; rules: ValidationRule[] } {
  return node.type === 'string' ? ofText(key) : ofMap(key, node)
}

function ofText(key: string) {
  const beside = secretKeyBeside(key)
  return {
    schema: {
      description: `Where ${key} is read from, in place of ${key}.`,
      type: 'object',
      required: ['secretKeyRef'],
      properties: { secretKeyRef },
    } satisfies StructuralSchema,
    rules: [
      {
        rule: `!(has(${member('self', key)}) && has(${member('self', beside)}))`,
        message: `is not allowed beside ${key}`,
        reason: 'FieldValueForbidden',
        fieldPath: `.${beside}`,
      } satisfies ValidationRule,
    ],
  }
}

// The names of a list have the same rules as the map's keys.
const nameRules = (rules: readonly { readonly cel: string | null; readonly message: string }[]) =>
  rules.map(({ cel, message }) => {
    if (cel === null) throw new Error('a rule over names needs an expression')
    return { rule: cel.replaceAll('self.', 'self.map(item, item.name).'), message }
  })
const NAMES = {
  header: { rules: nameRules([HEADER_NAMES, HEADER_RESERVED, HEADER_CASE]), most: 256 },
  option: { rules: nameRules([OPTION_NAMES]), most: OPTION_LIMITS.key },
} as const

function ofMap(key: string, node: SchemaNode) {
  const { maxProperties: most } = node
  const word = node[RULES]?.includes('option_names') ? 'option' : 'header'
  if (most === undefined) throw new Error(`${key}: a map must be bounded`)
  const beside = secretKeyBeside(key)
  const map = member('self', key)
  const list = member('self', beside)
  const bothStand = `has(${map}) && dyn(${map}) != null && has(${list})`
  return {
    schema: {
      description: `Entries of ${key} whose values are read from Secrets.`,
      type: 'array',
      maxItems: most,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name', 'secretKeyRef'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: NAMES[word].most, description: `Name of the ${word}.` },
          secretKeyRef,
        },
      },
      'x-kubernetes-validations': [...NAMES[word].rules],
    } satisfies StructuralSchema,
    rules: [
      {
        rule: `!(${bothStand}) || ${map}.size() + ${list}.size() <= ${most}`,
        message: `${key} and ${beside} together must have at most ${most} items`,
      },
      {
        rule: `!(${bothStand}) || ${list}.all(item, ${map}.all(name, name.lowerAscii() != item.name.lowerAscii()))`,
        message: `${beside} repeats a name of ${key}`,
        fieldPath: `.${beside}`,
      },
    ] satisfies ValidationRule[],
  }
}
