import { ARMS, type ArmTable } from '../shape/shape.ts'

interface Node {
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly default?: unknown
  readonly [ARMS]?: ArmTable
}

/**
 * A copy of the value in which absent keys have the defaults of their schema. Of a `Tagged` object only the chosen
 * arm's keys are filled: the library's own `Default` would fill in those of every arm. Values of a wrong shape are
 * passed through for the validator to name.
 */
export function withDefaults(schema: object, value: unknown): unknown {
  return fill(schema as Node, value)
}

function fill(node: Node, value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  const side = node.anyOf?.find((option) => option.properties ?? option.items) ?? node
  if (Array.isArray(value)) return side.items ? value.map((item) => fill(side.items as Node, item)) : value
  if (!side.properties) return value
  const copy: Record<string, unknown> = { ...value }
  for (const [key, child] of Object.entries(side.properties)) {
    if (Object.hasOwn(copy, key)) copy[key] = fill(child, copy[key])
    else if (child.default !== undefined && allowed(side, copy, key)) copy[key] = structuredClone(child.default)
  }
  return copy
}

/**
 * A tag that is none is for the validator to name: it may be any JSON, and be called like something of
 * Object.prototype.
 */
function allowed(node: Node, value: Record<string, unknown>, key: string): boolean {
  const table = node[ARMS]
  if (!table || key === table.tag) return true
  const tag = value[table.tag]
  const arm = typeof tag === 'string' && Object.hasOwn(table.arms, tag) ? table.arms[tag] : undefined
  return arm?.allowed.includes(key) ?? false
}
