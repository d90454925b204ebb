import { VARIANTS, variantOf, type VariantTable } from '../shape/shape.ts'
import { nodeOf, type SchemaNode, withoutNull } from '../shape/walk-schema.ts'
import { type Issue, joinPath, unknownKey } from './issue.ts'

/** Largest number of unknown keys that are reported for each object. One more issue counts the others. */
const MAX_LISTED_KEYS = 50
/** Number of unknown keys in a whole value at which the judging ends. What a schema allows is not counted. */
const MAX_UNKNOWN_KEYS = 1_000
const NOT_TO_ITS_END = ': it was not read to its end'

/** An issue, and the path of the value that it is about: for a key that is missing or unknown, that of its object. */
export interface PlacedIssue extends Issue {
  readonly place: string
}

type JsonObject = Readonly<Record<string, unknown>>

/** The path of a value, and the variants of the values around it. */
interface Around {
  readonly path: string
  readonly tables: readonly VariantTable[]
}

/** A value without what is too much in it. */
interface Trimmed {
  readonly value: unknown
  readonly issues: readonly PlacedIssue[]
  /** The value has so many unknown keys that the rest of it was not looked at. */
  readonly isCut: boolean
  /** Returns whether the path is one of a value that is nested too deeply, or is inside it. */
  isBuried(path: string): boolean
}

/**
 * Returns a copy of a value in which lists and maps have no more items than their schema allows, and closed objects no
 * unknown keys, together with the issues of what was left out. So the cost of every further check is bounded. Values
 * that are nested too deeply are only reported.
 */
export function trimmed(schema: object, root: unknown): Trimmed {
  const issues: PlacedIssue[] = []
  const buried: string[] = []
  let unknownKeys = 0
  const isCut = () => unknownKeys >= MAX_UNKNOWN_KEYS
  const value = trim(nodeOf(schema), root, { path: '', tables: [] })
  return { value, issues, isCut: isCut(), isBuried: (path) => buried.some((top) => path.startsWith(top)) }

  function trim(nullable: SchemaNode, part: unknown, at: Around): unknown {
    if (part === null || typeof part !== 'object' || isCut()) return part
    // Only the builder of a nullable makes alternatives; what another schema allows is not known here.
    if ((nullable.anyOf?.filter(({ type }) => type !== 'null').length ?? 1) > 1) return part
    const node = withoutNull(nullable)
    if (isOpen(node)) return part
    const { path, tables } = at
    const own = node[VARIANTS]
    const levels = own ? levelsBeyond(own, tables, part) : 0
    if (levels > 0) {
      report(path, { path, message: `is nested too deep: at most ${levels} levels` })
      buried.push(path)
      return part
    }
    const inner: Around = { path, tables: own ? [...tables, own] : tables }
    return Array.isArray(part) ? trimList(node, part, inner) : trimObject(node, part as JsonObject, inner)
  }

  function trimList({ items, maxItems = Infinity }: SchemaNode, list: readonly unknown[], at: Around): unknown[] {
    reportSize(list.length, maxItems, at)
    const kept = list.slice(0, maxItems)
    return items ? kept.map((item, index) => trim(items, item, { ...at, path: joinPath(at.path, index) })) : kept
  }

  function trimObject(node: SchemaNode, object: JsonObject, at: Around): JsonObject {
    const { properties, additionalProperties: others, maxProperties = Infinity } = node
    const keys = Object.keys(object)
    reportSize(keys.length, maxProperties, at)
    const copy = Object.create(null) as Record<string, unknown>
    const unknown: string[] = []
    for (const key of keys.slice(0, maxProperties)) {
      if (isCut()) break
      const own = properties && Object.hasOwn(properties, key) ? properties[key] : undefined
      const child = own ?? (typeof others === 'object' ? others : undefined)
      if (child) copy[key] = trim(child, object[key], { ...at, path: joinPath(at.path, key) })
      else if (others === false && properties) {
        unknown.push(key)
        unknownKeys += 1
      } else copy[key] = object[key]
    }
    const allowed = allowedKeys(node, object)
    for (const key of unknown.slice(0, MAX_LISTED_KEYS)) report(at.path, unknownKey(at.path, key, allowed))
    if (unknown.length > MAX_LISTED_KEYS)
      report(at.path, {
        path: at.path,
        message: `has ${moreKeys(node, object)} more keys that are not known${isCut() ? NOT_TO_ITS_END : ''}`,
      })
    return copy
  }

  function reportSize(size: number, most: number, { path }: Around): void {
    if (size > most) report(path, { path, message: `must have at most ${most} items` })
  }

  function report(place: string, issue: Issue): void {
    issues.push({ ...issue, place })
  }
}

/** Returns how many unknown keys are not listed. After a cut, those that follow have not been looked at. */
function moreKeys({ properties = {} }: SchemaNode, object: JsonObject): number {
  const known = Object.keys(properties).filter((key) => Object.hasOwn(object, key))
  return Object.keys(object).length - known.length - MAX_LISTED_KEYS
}

/** Of an open object nothing is left out, and to copy half a million keys takes a second. */
const isOpen = ({ properties, additionalProperties: others, maxProperties }: SchemaNode): boolean =>
  properties === undefined && others === true && maxProperties === undefined

/** Returns the keys that the chosen variant allows; all keys where there is no variant, or no valid one. */
function allowedKeys({ properties = {}, [VARIANTS]: table }: SchemaNode, value: object): readonly string[] {
  const variant = table && variantOf(table, value)
  return variant && table ? [table.tag, ...variant.allowed] : Object.keys(properties)
}

/** Returns the allowed number of levels when the levels above have this variant and this one does not; otherwise 0. */
function levelsBeyond(own: VariantTable, above: readonly VariantTable[], value: object): number {
  const tag = (value as Readonly<Record<string, unknown>>)[own.tag]
  if (typeof tag !== 'string' || Object.hasOwn(own.variants, tag)) return 0
  const alike = above.filter((table) => table.tag === own.tag && Object.hasOwn(table.variants, tag)).length
  return alike === 0 ? 0 : alike + 1
}
/** Largest depth of values: far below the limit of any stack, far above any real input. */
const MAX_DEPTH = 64
const TOO_DEEP = 'is nested too deeply'
/** Largest number of unclean texts that are reported. */
const MAX_UNCLEAN = 50

/**
 * Returns the texts that cannot be stored, and the positions where nesting becomes too deep. Postgres accepts neither
 * NUL nor lone surrogates, so they are refused everywhere.
 */
export function uncleanTexts(value: unknown): PlacedIssue[] {
  // Paths are built only for issues: most values are clean, and some are large.
  const found: PlacedIssue[] = []
  if (!isClean(value, 0)) collect(value, null, 0, found)
  return found
}

/** Returns whether an issue is that its value is nested too deeply. */
export const isTooDeep = ({ message }: Issue): boolean => message === TOO_DEEP

const cleanText = (text: string) => !text.includes('\0') && text.isWellFormed()

function isClean(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return cleanText(value)
  if (value === null || typeof value !== 'object') return true
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(value)) return value.every((item) => isClean(item, depth + 1))
  // Pairs of all entries would take as long again as the parsing of the value.
  const object = value as JsonObject
  return Object.keys(object).every((key) => cleanText(key) && isClean(object[key], depth + 1))
}

/** A key or index, and those around it. */
interface Step {
  readonly key: string | number
  readonly outer: Step | null
}

const pathTo = (step: Step | null): string => (step === null ? '' : joinPath(pathTo(step.outer), step.key))

function collect(value: unknown, step: Step | null, depth: number, found: PlacedIssue[]): void {
  if (found.length >= MAX_UNCLEAN) return
  const report = (message: string) => found.push({ path: pathTo(step), place: pathTo(step), message })
  if (typeof value === 'string') {
    if (!cleanText(value)) report('must not contain NUL or lone surrogate characters')
  } else if (value !== null && typeof value === 'object') {
    if (depth > MAX_DEPTH) return void report(TOO_DEEP)
    if (!Array.isArray(value) && !Object.keys(value).every(cleanText))
      return void report('must not have keys with NUL or lone surrogate characters')
    for (const [key, item] of Object.entries(value))
      collect(item, { key: Array.isArray(value) ? Number(key) : key, outer: step }, depth + 1, found)
  }
}
