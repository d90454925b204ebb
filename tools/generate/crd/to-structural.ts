import { camelCase } from '../../../core/custom-resource/camel-case.ts'
import { inCamelCase } from '../../../core/custom-resource/property-words.ts'
import { SECRET_PLACES, secretKeyBeside } from '../../../core/custom-resource/secret-places.ts'
import { VARIANTS, RULES } from '../../../schema/shape/shape.ts'
import type { SchemaNode } from '../../../schema/shape/walk-schema.ts'
import { definiteNode } from './definite-node.ts'
import { BOUNDS_OF_RULE, namedRules } from './named-rules.ts'
import { secretKey } from './secret-keys.ts'
import type { StructuralSchema, ValidationRule } from './structural-schema.ts'
import { armRules } from './variant-rules.ts'

/**
 * Returns a definition as a structural schema: names in camelCase, null as `nullable`, closed objects by their
 * properties (the server refuses or prunes unknown keys), variants and rules as CEL. Throws where the definition is not
 * valid there: for unions, and for values without bounds.
 *
 * @param place the path of the definition in the API's spelling: `deliveries[].url`
 */
export function toStructural(node: SchemaNode, place: string): StructuralSchema {
  const { bare, nullable } = definiteNode(node, place)
  const { schema, rules } = shapeOf(bare, place)
  const validations = [...rules, ...namedRules(bare[RULES] ?? [])]
  const description = node.description ?? bare.description
  return {
    ...(description && { description: inCamelCase(description) }),
    ...schema,
    ...(nullable && { nullable: true }),
    // In a custom resource null is not a default: the key stays absent, which means the same.
    ...(node.default !== undefined && node.default !== null && { default: node.default }),
    ...(validations.length > 0 && { 'x-kubernetes-validations': validations }),
  }
}

const UNTYPED: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true }

interface Shape {
  schema: StructuralSchema
  rules: ValidationRule[]
}

function shapeOf(node: SchemaNode, place: string): Shape {
  switch (node.type) {
    case 'object':
      return node.properties ? objectOf(node, node.properties, place) : { schema: mapOf(node, place), rules: [] }
    case 'array':
      return { schema: listOf(node, place), rules: [] }
    case 'string':
      return { schema: textOf(node, place), rules: [] }
    case 'integer':
      return { schema: { type: 'integer', format: 'int64', ...pick(node, ['minimum', 'maximum']) }, rules: [] }
    case 'number':
      return { schema: { type: 'number', ...pick(node, ['minimum', 'maximum']) }, rules: [] }
    case 'boolean':
      return { schema: { type: 'boolean' }, rules: [] }
    case undefined: {
      const bounds = (node[RULES] ?? []).map((name) => BOUNDS_OF_RULE[name] ?? {})
      return { schema: bounds.reduce((all, each) => ({ ...all, ...each }), UNTYPED), rules: [] }
    }
    default:
      throw new Error(`${place}: ${node.type} is not valid in a custom resource`)
  }
}

function objectOf(node: SchemaNode, definitions: Readonly<Record<string, SchemaNode>>, place: string): Shape {
  const { rules, ...validations } = armRules(node, place)
  const properties: Record<string, StructuralSchema> = {}
  for (const [key, child] of Object.entries(definitions)) {
    const at = place === '' ? key : `${place}.${key}`
    const name = camelCase(key)
    properties[name] = withoutForeignDefault(node, key, toStructural(child, at))
    if (!(SECRET_PLACES as readonly string[]).includes(at)) continue
    const secret = secretKey(name, definiteNode(child, at).bare)
    properties[secretKeyBeside(name)] = secret.schema
    rules.push(...secret.rules)
  }
  const required = (node.required ?? []).filter((key) => definitions[key]?.default === undefined).map(camelCase)
  return {
    schema: {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties,
      ...validations,
      // Two appliers that each set half of a union would create an invalid one.
      ...(node[VARIANTS] && { 'x-kubernetes-map-type': 'atomic' as const }),
    },
    rules,
  }
}

/** A default would be filled into every variant, also those that do not know the key. */
function withoutForeignDefault(node: SchemaNode, key: string, schema: StructuralSchema): StructuralSchema {
  const table = node[VARIANTS]
  if (!table || key === table.tag || Object.values(table.variants).every((variant) => variant.allowed.includes(key)))
    return schema
  const { default: dropped, ...rest } = schema
  return dropped === undefined
    ? rest
    : { ...rest, description: [rest.description, `Default ${JSON.stringify(dropped)}.`].filter(Boolean).join(' ') }
}

function mapOf(node: SchemaNode, place: string): StructuralSchema {
  const values = node.additionalProperties
  if (values === true) return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  if (typeof values !== 'object' || node.maxProperties === undefined)
    throw new Error(`${place}: a map must be bounded, and declare its items`)
  return {
    type: 'object',
    ...pick(node, ['minProperties', 'maxProperties']),
    additionalProperties: toStructural(values, `${place}{}`),
  }
}

function listOf(node: SchemaNode, place: string): StructuralSchema {
  if (!node.items || node.maxItems === undefined)
    throw new Error(`${place}: a list must be bounded, and declare its items`)
  return {
    type: 'array',
    ...pick(node, ['minItems', 'maxItems']),
    items: toStructural(node.items, `${place}[]`),
    'x-kubernetes-list-type': 'atomic',
  }
}

function textOf(node: SchemaNode, place: string): StructuralSchema {
  if (node.enum) return { type: 'string', enum: node.enum }
  // The server reads an instant as a time, which has no length.
  if (node.format === 'date-time') return { type: 'string', format: 'date-time' }
  if (node.maxLength === undefined) throw new Error(`${place}: a string must be bounded`)
  return { type: 'string', ...pick(node, ['format', 'minLength', 'maxLength']) }
}

function pick<K extends keyof SchemaNode>(node: SchemaNode, keys: readonly K[]): Pick<SchemaNode, K> {
  return Object.fromEntries(keys.flatMap((key) => (node[key] === undefined ? [] : [[key, node[key]]]))) as Pick<
    SchemaNode,
    K
  >
}
