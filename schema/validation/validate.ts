import type { TSchema, Static } from 'typebox'
import Format from 'typebox/format'
import { Compile } from 'typebox/schema'
import { Settings } from 'typebox/system'
import type { RuleName } from '../rules/rule-name.ts'
import { RULE_TABLE } from '../rules/rule-table.ts'
import { VARIANTS, RULES, variantOf, type VariantTable } from '../shape/shape.ts'
import { keysOf, walkSchema } from '../shape/walk-schema.ts'
import { closestKey, didYouMean, type Issue, joinPath } from './issue.ts'
import { isTooDeep, type PlacedIssue, trimmed, uncleanTexts } from './oversize.ts'
import { withDefaults } from './with-defaults.ts'

// All errors are reported at once, so that a user can fix a manifest in one step. The bound keeps the work for a
// hostile body small.
const MAX_ERRORS = 500
Settings.Set({ maxErrors: MAX_ERRORS })

/** The bounds of the years that have four digits in UTC, after rounding to a second. */
const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00Z')
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59Z')
/** The store refuses a zone that is further away, and a name of a zone in brackets. */
const ZONED = /(?:z|[+-](?:0\d|1[0-5]):[0-5]\d)$/i
const isDateTime = Format.IsDateTime
Format.Set('date-time', (text) => {
  if (!isDateTime(text) || !ZONED.test(text)) return false
  const at = Date.parse(text.toUpperCase().replace(':60', ':59'))
  return at >= FIRST_INSTANT && at < LAST_INSTANT
})

/**
 * The result of `validate`. `rest`: the value without unknown keys and without the items that a list or a map has too
 * many of. So a search for further issues has bounded work. It is undefined where the value was not read to its end.
 */
export type Validated<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[]; readonly rest: unknown }

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
  const shape = Compile(withoutOpen(schema))
  return {
    validate(input, { defaults = false } = {}) {
      const value = defaults ? withDefaults(schema, input) : input
      const unclean = uncleanTexts(input)
      const isSound = unclean.length === 0 && shape.Check(value)
      // Variants are part of the shape, but walkRules checks them, because its messages are better than those of JSON
      // Schema.
      if (!isSound) return { ok: false, ...faultsOf({ schema, shape, value, unclean }) }
      const issues = walkRules(schema, value, [])
      return issues.length > 0 ? { ok: false, issues, rest: value } : { ok: true, value }
    },
  }
}

/**
 * Returns the schema without `additionalProperties: true`, which no value breaks: the listing of errors would follow
 * each key of such an object, and half a million of them took a second.
 */
const withoutOpen = (schema: TSchema): object =>
  JSON.parse(
    JSON.stringify(schema, (key, part: unknown) =>
      key === 'additionalProperties' && part === true ? undefined : part,
    ),
  ) as object

interface Faulty {
  readonly schema: TSchema
  readonly shape: ReturnType<typeof Compile>
  readonly value: unknown
  readonly unclean: readonly PlacedIssue[]
}

interface Faults {
  readonly issues: readonly Issue[]
  readonly rest: unknown
}

/** Returns every issue of a value whose shape is wrong or whose texts are unclean. */
function faultsOf({ schema, shape, value, unclean }: Faulty): Faults {
  // The validator of a shape follows each level of a value that must be unique, until the stack ends.
  if (unclean.some(isTooDeep)) return { issues: onePerPath([...unclean, NOT_READ]), rest: undefined }
  // Listing all errors of a list with a hundred thousand items takes a second, so lists are trimmed first.
  const fitting = trimmed(schema, value)
  if (fitting.isCut) return { issues: onePerPath([...unclean, ...fitting.issues, NOT_READ]), rest: undefined }
  const errors = shape.Check(fitting.value) ? [] : shape.Errors(fitting.value)[1]
  const found = errors.flatMap((error) => toIssues(error, fitting.value)).filter(({ path }) => !fitting.isBuried(path))
  const known = [...unclean, ...fitting.issues, ...found]
  // The value stays invalid even when there is no message for the error.
  if (known.length === 0) return { issues: [{ path: '', message: 'is not valid' }], rest: fitting.value }
  // Beyond the bound, parts of a wrong shape are not known, and a rule could receive one.
  if (errors.length >= MAX_ERRORS) return { issues: onePerPath([...known, TOO_MANY]), rest: undefined }
  return { issues: walkRules(schema, fitting.value, known), rest: fitting.value }
}

/** Its path says that every part of the value may have further issues. */
const TOO_MANY: Issue = { path: '', message: `has more than ${MAX_ERRORS} faults` }

const NOT_READ: Issue = { path: '', message: 'may have further faults: it was not read to its end' }

interface ShapeError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

function toIssues(error: ShapeError, root: unknown): PlacedIssue[] {
  const path = pathOf(error.instancePath, root)
  const params = error.params as Record<string, unknown>
  const keys = (name: string) => (params[name] as string[]).map((key) => joinPath(path, key))
  const issue = (message: string) => [{ path, place: path, message }]
  switch (error.keyword) {
    case 'required':
      return keys('requiredProperties').map((at) => ({ path: at, place: path, message: 'is required' }))
    case 'additionalProperties':
      // In a map this is about a wrong value, which has its own error, and so has an unknown key of a closed object.
      return []
    case 'boolean':
      // A closed object reports this for each unknown key before it lists all of them.
      return issue('is not a known key')
    case 'enum':
      return issue(oneOf(params['allowedValues'] as readonly unknown[], valueAt(error.instancePath, root)))
    case 'anyOf':
      // A nullable reports this in addition to the errors of its variants, and those messages are better.
      return []
    case 'type':
      // This is the null variant of a nullable. The other variant reports the error.
      if (params['type'] === 'null') return []
      return issue(sentence('type', params) ?? error.message)
    default:
      return issue(sentence(error.keyword, params) ?? error.message)
  }
}

function sentence(keyword: string, params: Record<string, unknown>): string | undefined {
  const limit = String(params['limit'])
  switch (keyword) {
    case 'type':
      return `must be ${article(String(params['type']))}`
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

/** Lists what a value may be, and names the one that was probably meant. */
function oneOf(allowed: readonly unknown[], given: unknown): string {
  const texts = allowed.filter((value) => typeof value === 'string')
  const meant = typeof given === 'string' ? closestKey(given, texts) : null
  return `must be one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}${didYouMean(meant)}`
}

const keysOfPointer = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

const partOf = (value: unknown, key: string): unknown =>
  value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[key] : undefined

const valueAt = (pointer: string, root: unknown): unknown => keysOfPointer(pointer).reduce(partOf, root)

/** Converts a JSON pointer to a path. The value itself decides whether `0` is an index or a key. */
function pathOf(pointer: string, root: unknown): string {
  let path = ''
  let here: unknown = root
  for (const key of keysOfPointer(pointer)) {
    path = Array.isArray(here) ? joinPath(path, Number(key)) : joinPath(path, key)
    here = partOf(here, key)
  }
  return path
}

/**
 * `never` allows a table of rules for different value types: shape.ts pairs each rule with a node of the right type.
 */
type Judge = { check(value: never): readonly Issue[] }

/**
 * Walks schema and value together and applies the variants of `Tagged` nodes and the named rules. Returns their issues
 * and the known ones, one for each path. A node's rules run only when its shape, its variants and its children are
 * valid, so that a rule never receives an incomplete object; those of the other nodes still run.
 */
function walkRules(schema: object, value: unknown, known: readonly PlacedIssue[]): Issue[] {
  const rules: Readonly<Record<RuleName, Judge>> = RULE_TABLE
  const knownAt = Map.groupBy(known, ({ place }) => place)
  const walked = walkSchema<Issue>(schema, value, (place, inner) => {
    // A predicate of 15,625 conditions has five times as many places. Most of the time went into paths nobody read.
    let text: string | undefined
    const path = () => (text ??= joinPath('', ...keysOf(place)))
    // Without its variant, the meaning of the rest of an object is unknown.
    const table = place.node[VARIANTS]
    if (table && isObject(place.value) && !variantOf(table, place.value))
      return known.filter(({ place: at }) => isWithin(at, path()))
    const ofPlace = knownAt.size === 0 ? undefined : knownAt.get(path())
    const issues: Issue[] = [...(ofPlace ?? []), ...armIssues(table, place.value, path), ...inner()]
    if (issues.length > 0) return issues
    return (place.node[RULES] ?? []).flatMap((name) =>
      rules[name]
        .check(place.value as never)
        .map((issue) => ({ path: under(path(), issue.path), message: issue.message })),
    )
  })
  // Some known issues are in values that no node describes.
  return onePerPath([...walked, ...known])
}

const isWithin = (at: string, path: string) => at === path || at.startsWith(`${path}.`) || at.startsWith(`${path}[`)

/** Several errors of one value are mostly one mistake, so the first stands for all. */
function onePerPath(issues: readonly Issue[]): Issue[] {
  const first = new Map<string, Issue>()
  for (const { path, message } of issues) if (!first.has(path)) first.set(path, { path, message })
  return [...first.values()]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object'

const under = (path: string, rest: string) =>
  path !== '' && rest !== '' && !rest.startsWith('[') ? `${path}.${rest}` : path + rest

function armIssues(table: VariantTable | undefined, value: unknown, path: () => string): Issue[] {
  if (!table || !isObject(value)) return []
  const variant = variantOf(table, value)
  if (!variant) return []
  const tag = value[table.tag]
  const missing = variant.required
    .filter((key) => !Object.hasOwn(value, key))
    .map((key) => ({ path: joinPath(path(), key), message: `is required with ${table.tag} ${String(tag)}` }))
  const foreign = Object.keys(value)
    .filter((key) => key !== table.tag && !variant.allowed.includes(key))
    .map((key) => ({ path: joinPath(path(), key), message: `is not allowed with ${table.tag} ${String(tag)}` }))
  return [...missing, ...foreign]
}
