import type { TSchema, Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { type Issue, joinPath } from './issue.ts'
import { findOversize, findUncleanText } from './oversize.ts'
import { RULE_TABLE } from '../rules/rule-table.ts'
import type { RuleName } from '../rules/rule-name.ts'
import { VARIANTS, RULES, type VariantTable } from '../shape/shape.ts'
import { keysOf, walkSchema, nodeOf, type SchemaNode, withoutNull } from '../shape/walk-schema.ts'

// All errors are reported at once, so that a user can fix a manifest in one step. The bound keeps the response to a
// hostile body small.
Settings.Set({ maxErrors: 50 })

/** The result of `validate`. */
export type Validated<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** A compiled schema with its cross-field rules. */
interface Checker<T> {
  /**
   * Coerces nothing and drops nothing: unknown keys are issues. With `defaults`, absent keys get their defaults, on a
   * copy.
   */
  validate(value: unknown, options?: { defaults?: boolean }): Validated<T>
}

const compiled = new WeakMap<TSchema, Checker<unknown>>()

/** Returns the checker of a schema, compiled once. */
export function checkerOf<S extends TSchema>(schema: S): Checker<Static<S>> {
  let checker = compiled.get(schema)
  if (!checker) compiled.set(schema, (checker = compile(schema)))
  return checker as Checker<Static<S>>
}

function compile(schema: TSchema): Checker<unknown> {
  const shape = Compile(schema)
  return {
    validate(input, { defaults = false } = {}) {
      const unclean = findUncleanText(input)
      if (unclean) return { ok: false, issues: [unclean] }
      // Listing all errors of a list with a hundred thousand items takes a second. Its length is checked first, which
      // is fast.
      const oversize = findOversize(schema, input)
      if (oversize.length > 0) return { ok: false, issues: oversize }
      const value = defaults ? withDefaults(schema, input) : input
      const issues = shape.Check(value) ? [] : shapeIssues(shape.Errors(value), value)
      // Rules apply only to values of the right shape. Variants are part of the shape, but walkRules checks them,
      // because its messages are better than those of JSON Schema.
      const found = issues.length > 0 ? issues : walkRules(schema, value, RULE_TABLE)
      return found.length > 0 ? { ok: false, issues: found } : { ok: true, value }
    },
  }
}

interface ShapeError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

function shapeIssues(errors: readonly ShapeError[], root: unknown): Issue[] {
  const issues = new Map<string, Issue>()
  for (const error of errors) {
    for (const issue of toIssues(error, root)) issues.set(issue.path, issues.get(issue.path) ?? issue)
  }
  // The value stays invalid even when there is no message for the error.
  if (issues.size === 0) return [{ path: '', message: 'is not valid' }]
  return [...issues.values()].slice(0, 50)
}

function toIssues(error: ShapeError, root: unknown): Issue[] {
  const path = pathOf(error.instancePath, root)
  const params = error.params as Record<string, unknown>
  const keys = (name: string) => (params[name] as string[]).map((key) => joinPath(path, key))
  switch (error.keyword) {
    case 'required':
      return keys('requiredProperties').map((at) => ({ path: at, message: 'is required' }))
    case 'additionalProperties':
      return keys('additionalProperties').map((at) => ({ path: at, message: 'is not a known key' }))
    case 'boolean':
      // A closed object reports this for each unknown key before it lists all of them. With many keys, the list is
      // beyond the bound.
      return [{ path, message: 'is not a known key' }]
    case 'anyOf':
      // A nullable reports this in addition to the errors of its variants, and those messages are better.
      return []
    case 'type':
      // This is the null variant of a nullable. The other variant reports the error.
      if (params['type'] === 'null') return []
      return [{ path, message: sentence('type', params) ?? error.message }]
    default:
      return [{ path, message: sentence(error.keyword, params) ?? error.message }]
  }
}

function sentence(keyword: string, params: Record<string, unknown>): string | undefined {
  const limit = String(params['limit'])
  switch (keyword) {
    case 'type':
      return `must be ${article(String(params['type']))}`
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minItems':
    case 'minProperties':
      return `must have at least ${limit} ${limit === '1' ? 'item' : 'items'}`
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${limit} items`
    case 'format':
      return `must be a valid ${params['format'] === 'date-time' ? INSTANT : String(params['format'])}`
    case 'uniqueItems':
      return 'must not hold the same item twice'
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`
    default:
      return undefined
  }
}

const INSTANT = 'ISO 8601 instant, such as 2026-05-01T12:00:00Z'
const article = (type: string) => (/^[aeio]/.test(type) ? `an ${type}` : `a ${type}`)

/** Converts a JSON pointer to a path. The value itself decides whether `0` is an index or a key. */
function pathOf(pointer: string, root: unknown): string {
  let path = ''
  let here: unknown = root
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    path = Array.isArray(here) ? joinPath(path, Number(key)) : joinPath(path, key)
    here = here !== null && typeof here === 'object' ? (here as Record<string, unknown>)[key] : undefined
  }
  return path
}

/**
 * `never` allows a table of rules for different value types: shape.ts pairs each rule with a node of the right type.
 */
type Judge = { check(value: never): readonly Issue[] }

/**
 * Walks schema and value together and applies the variants of `Tagged` nodes and the named rules. The value's shape is
 * already valid except for variants. A node's rules run only when its variants and its children are valid, so that a
 * rule never receives an incomplete object.
 */
function walkRules(schema: object, value: unknown, table: Readonly<Record<RuleName, Judge>>): Issue[] {
  return walkSchema<Issue>(schema, value, (place, inner) => {
    const path = joinPath('', ...keysOf(place))
    const issues = [...armIssues(place.node[VARIANTS], place.value, path), ...inner()]
    if (issues.length > 0) return issues
    return (place.node[RULES] ?? []).flatMap((name) =>
      table[name]
        .check(place.value as never)
        .map((issue) => ({ path: under(path, issue.path), message: issue.message })),
    )
  })
}

const under = (path: string, rest: string) =>
  path !== '' && rest !== '' && !rest.startsWith('[') ? `${path}.${rest}` : path + rest

function armIssues(table: VariantTable | undefined, value: unknown, path: string): Issue[] {
  if (!table || value === null || typeof value !== 'object') return []
  const tag = (value as Record<string, unknown>)[table.tag]
  const variant = typeof tag === 'string' && Object.hasOwn(table.variants, tag) ? table.variants[tag] : undefined
  if (!variant) return []
  const missing = variant.required
    .filter((key) => !Object.hasOwn(value, key))
    .map((key) => ({ path: joinPath(path, key), message: `is required with ${table.tag} ${String(tag)}` }))
  const foreign = Object.keys(value)
    .filter((key) => key !== table.tag && !variant.allowed.includes(key))
    .map((key) => ({ path: joinPath(path, key), message: `is not allowed with ${table.tag} ${String(tag)}` }))
  return [...missing, ...foreign]
}

/**
 * Returns a copy of the value in which absent keys have the defaults of their schema. In a `Tagged` object only the
 * keys of the chosen variant are filled: the library's own `Default` would fill those of every variant. Values of a
 * wrong shape are passed through, and the validator reports them.
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
 * Returns whether the chosen variant allows the key. An invalid tag is left to the validator. It may be any JSON, and
 * may have the name of a property of Object.prototype.
 */
function allowed(node: SchemaNode, value: Record<string, unknown>, key: string): boolean {
  const table = node[VARIANTS]
  if (!table || key === table.tag) return true
  const tag = value[table.tag]
  const variant = typeof tag === 'string' && Object.hasOwn(table.variants, tag) ? table.variants[tag] : undefined
  return variant?.allowed.includes(key) ?? false
}
