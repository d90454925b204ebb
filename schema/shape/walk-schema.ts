import type { RuleName } from '../rules/rule-name.ts'
import type { LEVEL, LEVEL_OF, LOWER_CASE, VARIANTS, VariantTable, RULES } from './shape.ts'

/** A position in a walk: a part of a value, and the node that describes it. */
interface Place {
  readonly node: SchemaNode
  readonly value: unknown
  /** The key or index in the surrounding position; null at the root. */
  readonly key: string | number | null
  /** The surrounding position; null at the root. */
  readonly outer: Place | null
}

/**
 * Walks schema and value together and returns the results of `visit`. A visitor calls `inner` to walk the children of
 * a position: before or after it handles the position itself, or not at all.
 *
 * A nullable is walked as its other variant: a null is not visited. Keys and items that the schema does not describe
 * are skipped.
 */
export function walkSchema<F>(schema: object, value: unknown, visit: (place: Place, inner: () => F[]) => F[]): F[] {
  return walk({ node: nodeOf(schema), value, key: null, outer: null })

  function walk(place: Place): F[] {
    const { node, value: part } = place
    if (!node.anyOf) return visit(place, () => partsOf(place).flatMap(walk))
    if (part === null) return []
    return node.anyOf.flatMap((side) => (side.type === 'null' ? [] : walk({ ...place, node: side })))
  }
}

/** Returns the keys and indexes from the root to a position. */
export function keysOf({ key, outer }: Place): (string | number)[] {
  return outer === null || key === null ? [] : [...keysOf(outer), key]
}

function partsOf(outer: Place): Place[] {
  const { node, value } = outer
  if (value === null || typeof value !== 'object') return []
  const { items, properties, additionalProperties: others } = node
  if (Array.isArray(value))
    return items ? value.map((part: unknown, key) => ({ node: items, value: part, key, outer })) : []
  const found: Place[] = []
  // An open object may have any number of keys, and none is described.
  if (!properties && typeof others !== 'object') return found
  for (const [key, part] of Object.entries(value)) {
    const own = properties && Object.hasOwn(properties, key) ? properties[key] : undefined
    const child = own ?? (typeof others === 'object' ? others : undefined)
    if (child) found.push({ node: child, value: part, key, outer })
  }
  return found
}

/** A node of a definition as JSON Schema, as the builders of shape.ts write it. */
export interface SchemaNode {
  readonly type?: string
  readonly description?: string
  readonly format?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode | boolean
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
  readonly [VARIANTS]?: VariantTable
  readonly [RULES]?: readonly RuleName[]
  readonly [LOWER_CASE]?: boolean
  readonly [LEVEL]?: number
  readonly [LEVEL_OF]?: string
}

/** Returns a definition, which is a TypeBox value, as a node. */
export const nodeOf = (schema: object): SchemaNode => schema as SchemaNode

/** Returns the variant of a nullable that is not null; any other node unchanged. */
export const withoutNull = (node: SchemaNode): SchemaNode => node.anyOf?.find(({ type }) => type !== 'null') ?? node
