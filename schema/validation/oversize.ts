import { type Issue, joinPath } from './issue.ts'
import type { SchemaNode } from '../shape/schema-node.ts'
import { VARIANTS } from '../shape/shape.ts'
import { keysOf, type Place, walkSchema } from '../shape/walk-schema.ts'

/** Unknown keys that are named, at most. With fewer than these the validator names them beside the other faults. */
const MOST_UNKNOWN = 50

/**
 * The lists and maps that hold more than their schema allows, what is nested deeper than it allows, and the closed
 * objects that are full of unknown keys. What is in them is not looked at, nor is any other fault.
 */
export function findOversize(schema: object, value: unknown): Issue[] {
  return walkSchema<Issue>(schema, value, (place, inner) => {
    const { node, value: part } = place
    if (part === null || typeof part !== 'object') return []
    const path = joinPath('', ...keysOf(place))
    const most = (Array.isArray(part) ? node.maxItems : node.maxProperties) ?? Number.POSITIVE_INFINITY
    if (size(part) > most) return [{ path, message: `must have at most ${most} items` }]
    const levels = levelsBeyond(place, part)
    if (levels > 0) return [{ path, message: `is nested too deep: at most ${levels} levels` }]
    const unknown = unknownKeys(node, part)
    if (unknown.length > 0) return unknown.map((key) => ({ path: joinPath(path, key), message: 'is not a known key' }))
    return inner()
  })
}

/** Of an arm that the levels above have and this one has not: how many levels there may be; else 0. */
function levelsBeyond(place: Place, value: object): number {
  const own = place.node[VARIANTS]
  if (!own) return 0
  const tag = (value as Readonly<Record<string, unknown>>)[own.tag]
  if (typeof tag !== 'string' || Object.hasOwn(own.variants, tag)) return 0
  let alike = 0
  for (let above = place.outer; above; above = above.outer) {
    const table = above.node[VARIANTS]
    if (table?.tag === own.tag && Object.hasOwn(table.variants, tag)) alike += 1
  }
  return alike === 0 ? 0 : alike + 1
}

const size = (value: object) => (Array.isArray(value) ? value.length : Object.keys(value).length)

function unknownKeys({ properties, additionalProperties }: SchemaNode, value: object): string[] {
  if (additionalProperties !== false || !properties || Array.isArray(value)) return []
  const keys = Object.keys(value)
  if (keys.length < MOST_UNKNOWN) return []
  return keys.filter((key) => !Object.hasOwn(properties, key)).slice(0, MOST_UNKNOWN)
}
