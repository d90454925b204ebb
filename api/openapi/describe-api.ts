import { ERRORS, type ErrorCode } from '../../schema/error.ts'
import { API_VERSION } from '../../schema/run/delivery.ts'
import { sessionCookieName } from '../auth/sign-in-options.ts'
import type { Route } from '../http/route.ts'
import { describeComponents } from './describe-schema.ts'
import { describeOperation, openApiPath } from './operation.ts'

const ABOUT = `Watches web pages, JSON APIs and feeds on a schedule, and delivers the changes.

Unknown keys in a body and unknown query parameters are refused with 422. Every answer carries \`Service-Version\` and
\`x-request-id\`; every error has the same envelope. Operations marked \`x-beyond-contract\` may change.`

/** Returns the OpenAPI 3.1 document of the routes. Pure: the same routes give the same document. */
export function describeApi(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes)
    (paths[openApiPath(route.path)] ??= {})[route.method.toLowerCase()] = describeOperation(route)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tidemark',
      version: API_VERSION,
      description: ABOUT,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: describeComponents(),
      parameters: { 'Tidemark-Team': TEAM },
      responses: responses(),
      securitySchemes,
    },
  }
}

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_…',
    description: 'An API key. It acts for its team, within its scopes.',
  },
  session: { type: 'http', scheme: 'bearer', description: 'The token that a sign-in returns.' },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookieName('http://'),
    description:
      `A browser's session; over https its name is ${sessionCookieName('https://')}. Changes need an Origin ` +
      `of Tidemark's own pages.`,
  },
}

const TEAM = {
  name: 'Tidemark-Team',
  in: 'header',
  required: false,
  description:
    'Beyond the contract: the id of the team that the caller means. Where its session acts for another team by now, ' +
    'the answer is 409.',
  schema: { type: 'string', format: 'uuid' },
}

/** Returns one response for each status; its description names the codes. */
function responses(): Record<string, object> {
  const byStatus = Map.groupBy(Object.entries(ERRORS), ([, { status }]) => String(status))
  const described = [...byStatus].map(([status, errors]) => [status, responseOf(status, errors)] as const)
  return Object.fromEntries(described.sort(([a], [b]) => a.localeCompare(b)))
}

function responseOf(status: string, errors: readonly (readonly [string, { readonly meaning: string }])[]): object {
  const description = errors.map(([code, { meaning }]) => `\`${code}\`: ${meaning}`).join('\n\n')
  const headers = HEADERS[status]
  return {
    description,
    ...(headers && { headers }),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } } },
  }
}

const header = (description: string, type: 'string' | 'integer') => ({ description, schema: { type } })
const HEADERS: Readonly<Record<string, object>> = {
  [statusOf('UNAUTHORIZED')]: { 'WWW-Authenticate': header('`Bearer`.', 'string') },
  [statusOf('METHOD_NOT_ALLOWED')]: { Allow: header('The methods of this address.', 'string') },
  [statusOf('RATE_LIMIT_EXCEEDED')]: {
    'Retry-After': header('Seconds to wait; only with RATE_LIMIT_EXCEEDED.', 'integer'),
    RateLimit: header('The remaining requests of the limit, and the seconds until it is reset.', 'string'),
    'RateLimit-Policy': header('The limit and its window in seconds.', 'string'),
  },
  [statusOf('UNAVAILABLE')]: { 'Retry-After': header('Seconds to wait.', 'integer') },
}

function statusOf(code: ErrorCode): string {
  return String(ERRORS[code].status)
}
