import type { TSchema } from 'typebox'
import { RULE_TABLE } from '../../schema/rules/rule-table.ts'
import type { Rule } from '../../schema/rules/rule.ts'
import { LEVEL, LEVEL_OF, LOWER_CASE, VARIANTS, type VariantTable, RULES } from '../../schema/shape/shape.ts'
import type { SchemaNode } from '../../schema/shape/walk-schema.ts'
import { COMPONENTS, EXAMPLES } from './components.ts'

/** A schema as the document prints it. */
type Described = Readonly<Record<string, unknown>>

/** The beginning of each description of something that is not in the contract. */
const BEYOND = 'Beyond the contract'
const BEYOND_VARIANTS: ReadonlySet<string> = new Set([
  'field_above',
  'field_below',
  'list_gains_items',
  'list_loses_items',
  'list_gains_unseen_items',
  'lines_added',
  'lines_removed',
])

/** Resources are recognized by their text, because Optional and arrays copy a wrapped schema. */
const NAMES = new Map<string, string>()
for (const [name, schema] of Object.entries(COMPONENTS)) {
  NAMES.set(JSON.stringify(schema), name)
  // A shape that is unrolled to a bounded depth is printed as a recursion.
  for (let inner = nested(schema); inner; inner = nested(inner)) NAMES.set(JSON.stringify(inner), name)
}

function nested(node: SchemaNode): SchemaNode | undefined {
  const inner = node.properties?.['conditions']?.items
  return inner?.[VARIANTS] ? inner : undefined
}

/**
 * Returns a schema in OpenAPI 3.1: resources by reference, `Tagged` objects as `oneOf` with a discriminator, without
 * Tidemark's own keywords.
 */
export function describeSchema(schema: TSchema): Described {
  return describe(schema)
}

/** Returns `components.schemas`: every resource, and every variant of a tagged one. */
export function describeComponents(): Readonly<Record<string, Described>> {
  const described: Record<string, Described> = {}
  for (const [name, schema] of Object.entries(COMPONENTS)) {
    const node: SchemaNode = schema
    const example = Object.hasOwn(EXAMPLES, name) ? { examples: [EXAMPLES[name]] } : {}
    if (!node[VARIANTS]) described[name] = { ...plain(node), ...example }
    else {
      const variants = variantsOf(node, node[VARIANTS])
      for (const [variant, shape] of Object.entries(variants)) described[variantName(name, variant)] = shape
      described[name] = { ...oneOf(name, node, node[VARIANTS]), ...example }
    }
  }
  return described
}

function describe(node: SchemaNode): Described {
  const name = NAMES.get(JSON.stringify(node))
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  return node[VARIANTS] ? { oneOf: Object.values(variantsOf(node, node[VARIANTS])) } : plain(node)
}

const OWN_KEYWORDS: ReadonlySet<string> = new Set([RULES, VARIANTS, LOWER_CASE, LEVEL, LEVEL_OF])

function plain(node: SchemaNode): Described {
  const keywords = Object.entries(node).filter(([key]) => !OWN_KEYWORDS.has(key))
  const described = keywords.map(([key, value]) => [key, describeKeyword(key, value)])
  const rules = (node[RULES] ?? []).map((name) => RULE_TABLE[name].json ?? {})
  return {
    ...rules.reduce<Described>(merged, Object.fromEntries(described) as Described),
    ...(node.description?.startsWith(BEYOND) && { 'x-beyond-contract': true }),
  }
}

/** Joins the keywords of two schemas that both hold. */
function merged(one: Described, other: Described): Described {
  const both = Object.keys(other).filter((key) => isObject(one[key]) && isObject(other[key]))
  return {
    ...one,
    ...other,
    ...Object.fromEntries(both.map((key) => [key, merged(one[key] as Described, other[key] as Described)])),
  }
}

const isObject = (value: unknown): value is Described =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

function describeKeyword(key: string, value: unknown): unknown {
  if (key === 'properties') return mapValues(value as Record<string, SchemaNode>, describe)
  if (key === 'anyOf' || key === 'oneOf' || key === 'allOf') return (value as SchemaNode[]).map(describe)
  if ((key === 'items' || key === 'additionalProperties') && typeof value === 'object' && value !== null)
    return describe(value)
  return value
}

function variantsOf(node: SchemaNode, { tag, variants }: VariantTable): Record<string, Described> {
  const properties = node.properties ?? {}
  const rules = (node[RULES] ?? []).map((name): Pick<Rule<never>, 'jsonOf'> => RULE_TABLE[name])
  const ruled = (variant: string, key: string) =>
    rules
      .map((rule) => (rule.jsonOf?.(variant)[key] ?? {}) as Described)
      .reduce(merged, describe(properties[key] ?? {}))
  return mapValues(variants, ({ required, allowed }, variant) => ({
    type: 'object',
    ...(BEYOND_VARIANTS.has(variant) && { 'x-beyond-contract': true }),
    properties: {
      [tag]: { type: 'string', const: variant },
      ...Object.fromEntries(allowed.map((key) => [key, ruled(variant, key)])),
    },
    required: [tag, ...required],
    additionalProperties: false,
  }))
}

function oneOf(name: string, node: SchemaNode, { tag, variants }: VariantTable): Described {
  const reference = (variant: string) => `#/components/schemas/${variantName(name, variant)}`
  const { description } = node
  return {
    ...(description !== undefined && { description }),
    oneOf: Object.keys(variants).map((variant) => ({ $ref: reference(variant) })),
    discriminator: { propertyName: tag, mapping: mapValues(variants, (_, variant) => reference(variant)) },
  }
}

const variantName = (name: string, variant: string) =>
  name +
  variant
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const mapValues = <V, W>(record: Readonly<Record<string, V>>, map: (value: V, key: string) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))
