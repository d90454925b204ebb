import { type Issue, joinPath } from './issue.ts'
import { type SchemaNode, keysOf, type Place, walkSchema } from '../shape/walk-schema.ts'
import { VARIANTS } from '../shape/shape.ts'

/**
 * Largest number of unknown keys that are reported. If there are fewer, the validator reports them together with the
 * other errors.
 */
const MAX_UNKNOWN_KEYS = 50

/**
 * Returns issues for lists and maps with more items than their schema allows, for values that are nested too deeply,
 * and for closed objects with very many unknown keys. Their content is not checked, and no other errors are reported.
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

/** Returns the allowed number of levels when the levels above have this variant and this one does not; otherwise 0. */
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
  if (keys.length < MAX_UNKNOWN_KEYS) return []
  return keys.filter((key) => !Object.hasOwn(properties, key)).slice(0, MAX_UNKNOWN_KEYS)
}

/** Largest depth of values: far below the limit of any stack, far above any real input. */
const MAX_DEPTH = 64

/**
 * Returns the first text that cannot be stored, or the position where nesting becomes too deep; undefined when there
 * is none. Postgres accepts neither NUL nor lone surrogates, so they are refused everywhere.
 */
export function findUncleanText(value: unknown): Issue | undefined {
  // The path is built only for an issue: most values are clean, and some are large.
  return isClean(value, 0) ? undefined : find(value, '', 0)
}

const cleanText = (text: string) => !text.includes('\0') && text.isWellFormed()

function isClean(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return cleanText(value)
  if (value === null || typeof value !== 'object') return true
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(value)) return value.every((item) => isClean(item, depth + 1))
  return Object.entries(value).every(([key, item]) => cleanText(key) && isClean(item, depth + 1))
}

function find(value: unknown, path: string, depth: number): Issue | undefined {
  if (typeof value === 'string')
    return cleanText(value) ? undefined : { path, message: 'must not contain NUL or lone surrogate characters' }
  if (value === null || typeof value !== 'object') return undefined
  if (depth > MAX_DEPTH) return { path, message: 'is nested too deeply' }
  for (const [key, item] of Object.entries(value)) {
    if (!cleanText(key)) return { path, message: 'must not have keys with NUL or lone surrogate characters' }
    const issue = find(item, joinPath(path, Array.isArray(value) ? Number(key) : key), depth + 1)
    if (issue) return issue
  }
  return undefined
}
