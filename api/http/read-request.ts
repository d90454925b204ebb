import type { TSchema } from 'typebox'
import { Closed } from '../../schema/shape/shape.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { apiError } from './api-error.ts'
import type { Route } from './route.ts'
import type { Services } from '../services.ts'
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
  const body = route.method === 'GET' ? undefined : readBody(route, raw.body, services)
  return { params: raw.params, query, body }
}

function readBody(route: Route, body: unknown, services: Services): unknown {
  if (body === undefined && route.body && !route.bodyOptional)
    throw validationError('body', [{ path: '', message: 'must be a JSON object' }])
  const checked = checkerOf(route.body ?? NOTHING).validate(body === undefined ? {} : body, {
    defaults: route.defaults ?? false,
  })
  const found = checked.ok ? [] : checked.issues
  const issues = [...found, ...(route.review?.(checked.ok ? checked.value : body, found, services) ?? [])]
  if (issues.length > 0) throw validationError('body', issues)
  return checked.ok ? checked.value : body
}

function readQuery(schema: TSchema, query: RawRequest['query']): unknown {
  const properties = (schema as { properties?: Readonly<Record<string, { type?: string }>> }).properties ?? {}
  const repeated = Object.keys(query).filter((key) => typeof query[key] !== 'string')
  if (repeated.length > 0)
    throw validationError(
      'query',
      repeated.map((path) => ({ path, message: 'must be given once' })),
    )
  const read = Object.fromEntries(
    Object.entries(query).map(([key, text]) => [key, convert(properties[key]?.type, String(text))]),
  )
  const checked = checkerOf(schema).validate(read, { defaults: true })
  if (!checked.ok) throw validationError('query', checked.issues)
  return checked.value
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
