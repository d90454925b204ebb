import { addedRules } from './added-rules.ts'
import { isObject, type JsonObject } from './json.ts'

const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const
/** Nodes that a definition may refer to itself by are looked into this deep. */
const DEEPEST = 24

/** Returns what a node refers to, or the node. */
export type Resolve = (node: JsonObject) => JsonObject

/** How far a comparison is, and how references are resolved in both documents. */
export interface Walk {
  readonly before: Resolve
  readonly now: Resolve
  readonly depth: number
}

const NO_REFERENCES: Walk = { before: (node) => node, now: (node) => node, depth: 0 }

/** Returns the walk one node deeper. Null: a definition refers to itself, and was looked into. */
export const deeper = (walk: Walk): Walk | null => (walk.depth >= DEEPEST ? null : { ...walk, depth: walk.depth + 1 })

/**
 * Returns the places where a schema no longer accepts what it accepted before: fields that are gone or newly required,
 * types and bounds that are tighter, values of an enum that are gone, new rules, and other defaults. An object in a
 * cluster that breaks the new schema could not be changed any more.
 */
export function narrowings(before: JsonObject, now: JsonObject, path = '', walk: Walk = NO_REFERENCES): string[] {
  const next = deeper(walk)
  if (next === null || isNotPublic(before)) return []
  const [from, to] = [walk.before(before), walk.now(now)]
  const below: Below = (a, b, at) => narrowings(a, b, at, next)
  const own = [...kindFaults(from, to), ...boundFaults(from, to), ...patternFaults(from, to)]
    .concat(addedRules(from, to).map((rule) => `a new rule, ${rule.slice(0, 60)}`))
    .map((fault) => `${path === '' ? 'the whole' : path}: ${fault}`)
  return [...own, ...variantFaults(from, to, path, below), ...childrenOf(from, to, path, below)]
}

/** What is beyond the contract may change. */
export const isNotPublic = (node: JsonObject): boolean => node['x-beyond-contract'] === true

type Below = (before: JsonObject, now: JsonObject, path: string) => string[]

function kindFaults(before: JsonObject, now: JsonObject): string[] {
  const faults: string[] = []
  const types = typesOf(now)
  const lost = (typesOf(before) ?? []).filter((type) => !types?.some((one) => one === type || isWider(one, type)))
  if (types && (lost.length > 0 || (!typesOf(before) && !before['anyOf'] && !before['enum'] && !before['const'])))
    faults.push('another type')
  if (now['format'] !== undefined && before['format'] !== now['format']) faults.push('another format')
  if (before['nullable'] === true && now['nullable'] !== true) faults.push('null is refused')
  const required = listOf(before['required'])
  for (const name of listOf(now['required'])) if (!required.includes(name)) faults.push(`${String(name)} is required`)
  if (JSON.stringify(before['default']) !== JSON.stringify(now['default']))
    faults.push(`the default was ${shown(before['default'])}, and is ${shown(now['default'])}`)
  return faults
}

const shown = (value: unknown): string => (value === undefined ? 'unset' : JSON.stringify(value))
const isWider = (now: unknown, before: unknown): boolean => now === 'number' && before === 'integer'

function typesOf({ type }: JsonObject): readonly unknown[] | null {
  if (type === undefined) return null
  return Array.isArray(type) ? listOf(type) : [type]
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function boundFaults(before: JsonObject, now: JsonObject): string[] {
  const faults: string[] = []
  const choices = choicesOf(now)
  for (const value of choices ? (choicesOf(before) ?? ['any value']) : [])
    if (!choices?.includes(value)) faults.push(`${String(value)} is refused`)
  for (const name of UPPER) if (isTighter(now[name], before[name], 1)) faults.push(`${name} is smaller`)
  for (const name of LOWER) if (isTighter(now[name], before[name], -1)) faults.push(`${name} is larger`)
  return faults
}

function patternFaults(before: JsonObject, now: JsonObject): string[] {
  const faults: string[] = []
  if (now['pattern'] !== undefined && now['pattern'] !== before['pattern']) faults.push('another pattern')
  if (now['uniqueItems'] === true && before['uniqueItems'] !== true) faults.push('equal items are refused')
  if (now['not'] !== undefined && JSON.stringify(now['not']) !== JSON.stringify(before['not']))
    faults.push('another exception')
  return faults
}

/** Returns the values that are allowed. Null: any. */
function choicesOf(node: JsonObject): readonly unknown[] | null {
  if ('const' in node) return [node['const']]
  return node['enum'] === undefined ? null : listOf(node['enum'])
}

/** Returns whether a bound moved inward. `sign` is 1 for an upper bound and -1 for a lower one. */
function isTighter(now: unknown, before: unknown, sign: 1 | -1): boolean {
  if (typeof now !== 'number') return false
  return typeof before !== 'number' || (before - now) * sign > 0
}

/** Each variant of before has to be accepted by one of now. */
function variantFaults(before: JsonObject, now: JsonObject, path: string, below: Below): string[] {
  const [olds, news] = [variantsOf(before), variantsOf(now)]
  if (news === null && (olds === null || isOpen(now))) return []
  const { anyOf: _, oneOf: __, ...single } = before
  return (olds ?? [single]).flatMap((variant) => {
    const attempts = (news ?? [now]).map((one) => below(variant, one, path))
    if (attempts.some((faults) => faults.length === 0)) return []
    // The fewest faults are those of the variant that it was, most likely.
    return attempts.toSorted((a, b) => a.length - b.length)[0] ?? []
  })
}

/** Returns whether a node says nothing about what it accepts. */
const isOpen = (node: JsonObject): boolean => Object.keys(node).every((key) => key.startsWith('x-'))

function variantsOf(node: JsonObject): readonly JsonObject[] | null {
  const variants = listOf(node['anyOf'] ?? node['oneOf']).filter(isObject)
  return variants.length === 0 ? null : variants
}

function childrenOf(before: JsonObject, now: JsonObject, path: string, below: Below): string[] {
  const faults: string[] = []
  const next = objectOf(now['properties'])
  for (const [name, child] of Object.entries(objectOf(before['properties']))) {
    if (!isObject(child) || isNotPublic(child)) continue
    const found = next[name]
    if (isObject(found)) faults.push(...below(child, found, `${path}.${name}`))
    else if (!isOpen(now)) faults.push(`${path}.${name}: is gone`)
  }
  if (isObject(before['items'])) faults.push(...below(before['items'], objectOf(now['items']), `${path}[]`))
  const [rest, others] = [before['additionalProperties'], now['additionalProperties']]
  if (isObject(rest)) faults.push(...below(rest, objectOf(others), `${path}{}`))
  if (rest !== false && others === false && before['properties'] === undefined)
    faults.push(`${path}: other keys are refused`)
  return faults
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
