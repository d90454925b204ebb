import type { TSchema } from 'typebox'
import { ERRORS, type ErrorCode } from '../../schema/error.ts'
import { POLICIES, type Policy } from '../auth/policies.ts'
import { bodyLimitOf, sizeText } from '../http/body-limits.ts'
import type { Route } from '../http/route.ts'
import { describeSchema } from './describe-schema.ts'

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly required?: readonly string[]
}

/** Returns the operation of a route. */
export function describeOperation(route: Route): object {
  const description = [route.description, whoMay(route)].filter((line) => line !== undefined).join('\n\n')
  return {
    operationId: operationId(route),
    summary: route.summary,
    description,
    tags: [route.tag],
    ...(route.beyond && { 'x-beyond-contract': true }),
    ...(route.policy !== 'public' && { 'x-permission': route.policy }),
    parameters: [
      ...parameters('path', route.params),
      ...parameters('query', route.query),
      ...keyOf(route),
      ...tagsOf(route),
      ...teamOf(route),
    ],
    ...(route.body && {
      requestBody: {
        description: `At most ${sizeText(bodyLimitOf(route))}.`,
        required: !route.bodyOptional,
        content: { 'application/json': { schema: describeSchema(route.body) } },
      },
    }),
    responses: { ...successes(route), ...refusals(route) },
    security: security(route),
  }
}

/** Returns `/v1/monitors/:id` as OpenAPI writes it. */
export const openApiPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

/**
 * Returns the id of an operation: `post /v1/monitors/:id/run` is `postMonitorsByIdRun`. It changes only when the
 * address changes.
 */
export function operationId({ method, path }: Route): string {
  const words = path
    .replace(/^\/v1\//, '/')
    .split(/[/.-]/)
    .filter((word) => word !== '')
  const named = words.map((word) => (word.startsWith(':') ? `By${capital(word.slice(1))}` : capital(word)))
  return method.toLowerCase() + named.join('')
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

function whoMay(route: Route): string | undefined {
  if (route.policy === 'public') return undefined
  const { role, scope }: Policy = POLICIES[route.policy]
  const key = scope === null ? 'API keys are refused.' : `An API key needs the scope \`${scope}\`.`
  return `Needs the role \`${role}\` or a higher one. ${key}`
}

function parameters(place: 'path' | 'query', schema: TSchema | undefined): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: describeSchema(property),
  }))
}

const keyOf = ({ takesKey = false }: Route): object[] =>
  takesKey
    ? [
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'Beyond the contract: any text of yours that names this request. For 24 hours, another request of the ' +
            'team with it and the same body does nothing and gets the same answer, with the header ' +
            'Idempotency-Replayed. With another body it is 422; while the first is under way, 409. A refused ' +
            'request uses no key.',
          schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
        },
      ]
    : []

const tagsOf = ({ takesTag = false }: Route): object[] =>
  takesTag
    ? [
        {
          name: 'If-Match',
          in: 'header',
          required: false,
          description:
            'Beyond the contract: the ETag of what you read. If that has changed since, nothing is done, and the ' +
            'answer is 409. Its details have, of a monitor, a path for each key that changed, the stored value ' +
            'without its secrets, and whether the request would replace it.',
          schema: { type: 'string' },
        },
      ]
    : []

const TAG = {
  ETag: {
    description:
      'Beyond the contract: changes with the configuration, that of a status page also when it is published or taken ' +
      'back, and with nothing else. That of a monitor has a keyed ' +
      'mark of each key of the configuration.',
    schema: { type: 'string' },
  },
}

const teamOf = ({ policy }: Route): object[] =>
  policy === 'public' ? [] : [{ $ref: '#/components/parameters/Tidemark-Team' }]

function successes(route: Route): Record<string, object> {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, { description, schema, alsoAs, only, events }]) => [
      status,
      {
        description,
        ...(route.sendsTag && status === '200' && { headers: TAG }),
        ...(only && {
          content: { [only]: { schema: { type: 'string', contentMediaType: only }, ...eventsOf(events) } },
        }),
        ...(schema && {
          content: {
            'application/json': { schema: describeSchema(schema) },
            ...(alsoAs && { [alsoAs]: { schema: describeSchema(schema) } }),
          },
        }),
      },
    ]),
  )
}

/** OpenAPI 3.1 has no words for the parts of a stream. */
const eventsOf = (events: Readonly<Record<string, TSchema>> = {}) =>
  Object.keys(events).length > 0 && {
    'x-events': Object.fromEntries(Object.entries(events).map(([name, schema]) => [name, describeSchema(schema)])),
  }

/** Returns the errors that a route can answer, by status; two codes of one status share a response. */
function refusals(route: Route): Record<string, object> {
  const codes: ErrorCode[] = ['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR', 'UNAVAILABLE', 'VALIDATION_ERROR']
  if (route.policy !== 'public') codes.push('UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT')
  if (route.params) codes.push('NOT_FOUND')
  // Also where no body is expected, because a body that arrives is read.
  if (route.method !== 'GET') codes.push('CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  codes.push(...(route.refusals ?? []))
  return Object.fromEntries(
    [...new Set(codes.map(statusOf))].sort().map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  )
}

const statusOf = (code: ErrorCode) => String(ERRORS[code].status)

function security(route: Route): object[] {
  if (route.policy === 'public') return []
  const { scope }: Policy = POLICIES[route.policy]
  return [...(scope === null ? [] : [{ apiKey: [] }]), { session: [] }, { sessionCookie: [] }]
}
