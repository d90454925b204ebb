import { type Issue, joinPath } from './issue.ts'
import { children, type SchemaNode } from './schema-node.ts'

interface Node extends SchemaNode<Node> {
  readonly maxItems?: number
  readonly maxProperties?: number
}

/** Unknown keys that are named, at most. With fewer than these the validator names them beside the other faults. */
const MOST_UNKNOWN = 50

/**
 * The lists and maps that hold more than their schema allows, and the closed objects that are full of unknown keys. What is in them is not looked
 * at, nor is any other fault.
 */
export function findOversize(schema: object, value: unknown): Issue[] {
  return visit(schema as Node, value, '')
}

function visit(node: Node, value: unknown, path: string): Issue[] {
  if (value === null || typeof value !== 'object') return []
  if (node.anyOf) return node.anyOf.flatMap((side) => (side.type === 'null' ? [] : visit(side, value, path)))
  const most = (Array.isArray(value) ? node.maxItems : node.maxProperties) ?? Number.POSITIVE_INFINITY
  if (size(value) > most) return [{ path, message: `must have at most ${most} items` }]
  const unknown = unknownKeys(node, value)
  if (unknown.length > 0) return unknown.map((key) => ({ path: joinPath(path, key), message: 'is not a known key' }))
  return children(node, value).flatMap(([key, child, item]) => visit(child, item, joinPath(path, key)))
}

const size = (value: object) => (Array.isArray(value) ? value.length : Object.keys(value).length)

function unknownKeys({ properties, additionalProperties }: Node, value: object): string[] {
  if (additionalProperties !== false || !properties || Array.isArray(value)) return []
  const keys = Object.keys(value)
  if (keys.length < MOST_UNKNOWN) return []
  return keys.filter((key) => !Object.hasOwn(properties, key)).slice(0, MOST_UNKNOWN)
}
