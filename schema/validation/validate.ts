import type { TSchema, Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { Settings } from 'typebox/system'
import { withDefaults } from './defaults.ts'
import { type Issue, joinPath } from './issue.ts'
import { findOversize } from './oversize.ts'
import { RULE_TABLE } from '../rules/rule-table.ts'
import { findUncleanText } from './unclean-text.ts'
import { walkRules } from './walk-rules.ts'

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
