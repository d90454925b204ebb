import { type Issue, joinPath } from './issue.ts'
import { children, type SchemaNode } from '../shape/schema-node.ts'
import { ARMS, type ArmTable } from '../shape/shape.ts'

interface Node extends SchemaNode<Node> {
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly [ARMS]?: ArmTable
}

/** Unknown keys that are named, at most. With fewer than these the validator names them beside the other faults. */
const MOST_UNKNOWN = 50

/**
 * The lists and maps that hold more than their schema allows, what is nested deeper than it allows, and the closed
 * objects that are full of unknown keys. What is in them is not looked at, nor is any other fault.
 */
export function findOversize(schema: object, value: unknown): Issue[] {
  return visit(schema as Node, value, { path: '', above: [] })
}

interface Place {
  readonly path: string
  /** The arms of the nodes that this one is in. */
  readonly above: readonly ArmTable[]
}

function visit(node: Node, value: unknown, { path, above }: Place): Issue[] {
  if (value === null || typeof value !== 'object') return []
  if (node.anyOf) return node.anyOf.flatMap((side) => (side.type === 'null' ? [] : visit(side, value, { path, above })))
  const most = (Array.isArray(value) ? node.maxItems : node.maxProperties) ?? Number.POSITIVE_INFINITY
  if (size(value) > most) return [{ path, message: `must have at most ${most} items` }]
  const levels = levelsBeyond(node[ARMS], value, above)
  if (levels > 0) return [{ path, message: `is nested too deep: at most ${levels} levels` }]
  const unknown = unknownKeys(node, value)
  if (unknown.length > 0) return unknown.map((key) => ({ path: joinPath(path, key), message: 'is not a known key' }))
  const inner = node[ARMS] ? [...above, node[ARMS]] : above
  return children(node, value).flatMap(([key, child, item]) =>
    visit(child, item, { path: joinPath(path, key), above: inner }),
  )
}

/** Of an arm that the levels above have and this one has not: how many levels there may be; else 0. */
function levelsBeyond(own: ArmTable | undefined, value: object, above: readonly ArmTable[]): number {
  if (!own) return 0
  const tag = (value as Readonly<Record<string, unknown>>)[own.tag]
  if (typeof tag !== 'string' || Object.hasOwn(own.arms, tag)) return 0
  const alike = above.filter((table) => table.tag === own.tag && Object.hasOwn(table.arms, tag)).length
  return alike === 0 ? 0 : alike + 1
}

const size = (value: object) => (Array.isArray(value) ? value.length : Object.keys(value).length)

function unknownKeys({ properties, additionalProperties }: Node, value: object): string[] {
  if (additionalProperties !== false || !properties || Array.isArray(value)) return []
  const keys = Object.keys(value)
  if (keys.length < MOST_UNKNOWN) return []
  return keys.filter((key) => !Object.hasOwn(properties, key)).slice(0, MOST_UNKNOWN)
}
