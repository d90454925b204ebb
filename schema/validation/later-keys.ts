import { nodeOf, type SchemaNode, withoutNull } from '../shape/walk-schema.ts'

/** A stored value, as this version and a later one know it. */
interface SplitValue {
  /** The value without the keys that the definition does not have. The same value where there are none. */
  readonly known: unknown
  /** The keys and indexes that lead to each of these. */
  readonly later: readonly Path[]
}

type Path = readonly (string | number)[]

/**
 * Finds the keys of a stored value that its definition does not have: it was valid when it was written, so a later
 * version wrote them. They are shown and kept.
 */
export function splitLater(definition: object, value: unknown): SplitValue {
  const later: Path[] = []
  const known = split(nodeOf(definition), value, [], later)
  return { known, later }
}

function split(given: SchemaNode, value: unknown, path: Path, later: Path[]): unknown {
  if (value === null || typeof value !== 'object') return value
  const { properties, additionalProperties: others, items } = withoutNull(given)
  if (Array.isArray(value))
    return items ? value.map((item: unknown, nth) => split(items, item, [...path, nth], later)) : value
  // Of an open object no key is described.
  if (others === true || (!properties && typeof others !== 'object')) return value
  const found = Object.entries(value).map(([key, part]): [string, unknown][] => {
    const own = properties && Object.hasOwn(properties, key) ? properties[key] : undefined
    const child = own ?? (typeof others === 'object' ? others : undefined)
    const at = [...path, key]
    if (child) return [[key, split(child, part, at, later)]]
    later.push(at)
    return []
  })
  return Object.fromEntries(found.flat())
}
