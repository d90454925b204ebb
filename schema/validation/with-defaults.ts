import { LOWER_CASE, VARIANTS, variantOf } from '../shape/shape.ts'
import { nodeOf, type SchemaNode, withoutNull } from '../shape/walk-schema.ts'

/**
 * Returns a copy of the value in which absent keys have the defaults of their schema. In a `Tagged` object only the
 * keys of the chosen variant are filled: the library's own `Default` would fill those of every variant. Texts whose
 * case means nothing are in lower case. Values of a wrong shape are passed through, and the validator reports them.
 */
export function withDefaults(schema: object, value: unknown): unknown {
  return fill(nodeOf(schema), value)
}

function fill(node: SchemaNode, value: unknown): unknown {
  if (typeof value === 'string') return withoutNull(node)[LOWER_CASE] ? value.toLowerCase() : value
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

/** Returns whether the chosen variant allows the key. An invalid tag is left to the validator. */
function allowed(node: SchemaNode, value: Record<string, unknown>, key: string): boolean {
  const table = node[VARIANTS]
  if (!table || key === table.tag) return true
  return variantOf(table, value)?.allowed.includes(key) ?? false
}
