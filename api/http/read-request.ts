import type { IncomingHttpHeaders } from 'node:http'
import type { TSchema } from 'typebox'
import { Closed } from '../../schema/shape/shape.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import { parseJsonText } from '../../schema/validation/parse-json-text.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import type { Services } from '../services.ts'
import { apiError } from './api-error.ts'
import type { Route } from './route.ts'
import { validationError } from './validation-error.ts'

const NOTHING = Closed({})

/** The unvalidated parts of a request. */
interface RawRequest {
  readonly params: unknown
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** undefined: the request has no body, or an empty one. */
  readonly body: unknown
}

/**
 * Returns the parts of a request as its route declares them. Throws NOT_FOUND for a parameter of a wrong shape, and
 * VALIDATION_ERROR with every issue for everything else.
 */
export function readRequest(
  route: Route,
  raw: RawRequest,
  services: Services,
): { params: unknown; query: unknown; body: unknown } {
  if (route.params && !checkerOf(route.params).validate(raw.params).ok)
    throw apiError('NOT_FOUND', 'There is nothing at this address.')
  const query = readQuery(route.query ?? NOTHING, raw.query)
  const hasBody = route.method !== 'GET' && !isSigned(route)
  const body = hasBody ? readBody(route, raw.body, services) : { value: raw.body, issues: [] }
  if (query.issues.length > 0 && body.issues.length > 0)
    throw validationError('request', [
      ...query.issues.map(({ path, message }) => ({ path: path === '' ? 'query' : `query.${path}`, message })),
      ...body.issues,
    ])
  if (query.issues.length > 0) throw validationError('query', query.issues)
  if (body.issues.length > 0) throw validationError('body', body.issues)
  return { params: raw.params, query: query.value, body: route.method === 'GET' ? undefined : body.value }
}

/** A part of a request, and what is wrong with it. */
interface Read {
  readonly value: unknown
  readonly issues: readonly Issue[]
}

export const isSigned = (route: Route): boolean => route.policy === 'public' && route.isSigned === true

function readBody(route: Route, given: unknown, services: Services): Read {
  const { value: body, issues: unusable } = given instanceof FaultyBody ? given : { value: given, issues: [] }
  if (body === undefined && route.body && !route.bodyOptional)
    return { value: body, issues: [{ path: '', message: 'must be a JSON object' }] }
  const checked = checkerOf(route.body ?? NOTHING).validate(body === undefined ? {} : body, {
    defaults: route.defaults ?? false,
  })
  const found = checked.ok ? [] : checked.issues
  const value = checked.ok ? checked.value : checked.rest
  return { value, issues: [...unusable, ...found, ...(route.review?.(value, found, services) ?? [])] }
}

function readQuery(schema: TSchema, query: RawRequest['query']): Read {
  const properties = (schema as { properties?: Readonly<Record<string, { type?: string }>> }).properties ?? {}
  const repeated = Object.keys(query).filter((key) => typeof query[key] !== 'string')
  const read = Object.fromEntries(
    Object.entries(query).flatMap(([key, text]) =>
      typeof text === 'string' ? [[key, convert(properties[key]?.type, text)]] : [],
    ),
  )
  const checked = checkerOf(schema).validate(read, { defaults: true })
  const found = checked.ok ? [] : checked.issues.filter(({ path }) => !repeated.includes(path))
  const issues = [...repeated.map((path) => ({ path, message: 'must be given once' })), ...found]
  return { value: checked.ok ? checked.value : read, issues }
}

/**
 * Converts text by the declared type only, and only from the plain spelling. Any other text stays text, and the
 * validation reports it.
 */
function convert(type: string | undefined, text: string): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })
/** Only a text that matches can contain a number that is infinite once it is read. */
const MAY_OVERFLOW = /\d[eE]\+?\d{3}|\d{300}/

/** Only a text that matches can have the key __proto__, which may be written with escapes. */
const MAY_NAME_PROTOTYPE = /__proto__|\\u/

/** A body that is JSON, and that no route accepts. The rest of it is checked, so that all faults are reported. */
class FaultyBody implements Read {
  readonly value: unknown
  readonly issues: readonly Issue[]
  constructor(value: unknown, faults: readonly string[]) {
    this.value = value
    this.issues = faults.map((message) => ({ path: '', message }))
  }
}

/**
 * Returns the value of a request's body; undefined when it is empty; a `FaultyBody` when it has a key that could change
 * a prototype, or a number that is too large. Throws VALIDATION_ERROR when the body is not UTF-8 or not JSON.
 */
export function readJsonBody(bytes: Buffer): unknown {
  const text = decode(bytes)
  if (text.trim() === '') return undefined
  const read = parseJsonText(text)
  if (!read.ok) throw malformed(`must be JSON: ${read.fault}`)
  const { value } = read
  const faults: string[] = []
  if (MAY_NAME_PROTOTYPE.test(text) && removePrototypeKeys(value)) faults.push('must not have a key __proto__')
  if (MAY_OVERFLOW.test(text) && hasOverflow(value)) faults.push('must not contain numbers beyond 1.8e308')
  return faults.length === 0 ? value : new FaultyBody(value, faults)
}

/** Returns the value of a body as `readJsonBody` does. Throws VALIDATION_ERROR for a `FaultyBody`, too. */
export function parseJsonBody(bytes: Buffer): unknown {
  const value = readJsonBody(bytes)
  if (value instanceof FaultyBody) throw malformed(value.issues[0]?.message ?? '')
  return value
}

/** Returns the fields of a form. A field that is given more than once is refused. */
export function parseForm(bytes: Buffer): unknown {
  const fields = [...new URLSearchParams(decode(bytes))]
  const names = new Set(fields.map(([name]) => name))
  if (names.size < fields.length || names.has('__proto__')) throw malformed('must have each field once')
  return Object.fromEntries(fields)
}

/**
 * Treats an empty body as no body, whatever its content type: `curl -d ''` declares a form, and `fetch` with an empty
 * text declares text.
 */
export function forgetTypeOfNothing(headers: IncomingHttpHeaders): void {
  if (headers['content-length'] === '0' && headers['transfer-encoding'] === undefined) delete headers['content-type']
}

/** Refuses bodies that declare another character set or a compression. */
export function refuseEncoded(headers: IncomingHttpHeaders): void {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  const encoding = headers['content-encoding'] ?? 'identity'
  if (!/^utf-?8$/i.test(charset) || encoding.toLowerCase() !== 'identity')
    throw apiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json in UTF-8, not compressed.')
}

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw malformed('must be UTF-8')
  }
}

const hasOverflow = (value: unknown): boolean =>
  some(value, (item) => typeof item === 'number' && !Number.isFinite(item))

/** Returns whether there were any. Without them the value can be checked like any other. */
function removePrototypeKeys(value: unknown): boolean {
  let found = false
  some(value, (item) => {
    if (item === null || typeof item !== 'object' || !Object.hasOwn(item, '__proto__')) return false
    Reflect.deleteProperty(item, '__proto__')
    found = true
    return false
  })
  return found
}

/** Searches without recursion: JSON may be nested deeper than the stack. */
function some(root: unknown, test: (value: unknown) => boolean): boolean {
  const left = [root]
  while (left.length > 0) {
    const value = left.pop()
    if (test(value)) return true
    if (value !== null && typeof value === 'object') for (const item of Object.values(value)) left.push(item)
  }
  return false
}

const malformed = (message: string) => apiError('VALIDATION_ERROR', `The body ${message}.`, [{ path: '', message }])
