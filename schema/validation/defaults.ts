import { nodeOf, type SchemaNode, withoutNull } from '../shape/schema-node.ts'
import { VARIANTS } from '../shape/shape.ts'

/**
 * A copy of the value in which absent keys have the defaults of their schema. Of a `Tagged` object only the chosen
 * arm's keys are filled: the library's own `Default` would fill in those of every arm. Values of a wrong shape are
 * passed through for the validator to name.
 */
export function withDefaults(schema: object, value: unknown): unknown {
  return fill(nodeOf(schema), value)
}

function fill(node: SchemaNode, value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  const side = withoutNull(node)
  const { properties, items } = side
  if (Array.isArray(value)) return items ? value.map((item) => fill(items, item)) : value
  if (!properties) return value
  const copy: Record<string, unknown> = { ...value }
  for (const [key, child] of Object.entries(properties)) {
    if (Object.hasOwn(copy, key)) copy[key] = fill(child, copy[key])
    else if (child.default !== undefined && allowed(side, copy, key)) copy[key] = structuredClone(child.default)
  }
  return copy
}

/**
 * A tag that is none is for the validator to name: it may be any JSON, and be called like something of
 * Object.prototype.
 */
function allowed(node: SchemaNode, value: Record<string, unknown>, key: string): boolean {
  const table = node[VARIANTS]
  if (!table || key === table.tag) return true
  const tag = value[table.tag]
  const variant = typeof tag === 'string' && Object.hasOwn(table.variants, tag) ? table.variants[tag] : undefined
  return variant?.allowed.includes(key) ?? false
}
