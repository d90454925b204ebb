import { describe, expect, test } from 'vitest'
import { serveApi } from '../../support/api/served-api.ts'
import { hideDeliveries } from '../../support/database/change-deliveries.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

interface Operation {
  readonly method: string
  /** As the document has it. */
  readonly path: string
  /** An address of it that leads to nothing. */
  readonly url: string
  /** The least role that may use it. */
  readonly role: string | undefined
}

/**
 * Every operation under /v1 that the served document has; the public ones, which ask nobody who they are, have tests of
 * their own.
 */
async function operations(): Promise<readonly Operation[]> {
  const { paths } = (await served.as(null).get('/api/openapi.json')).body
  return Object.entries(paths as Record<string, Record<string, Documented>>)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([key, { security }]) => VERBS.includes(key) && security?.length !== 0)
        .map(([method, { description = '' }]) => ({
          method: method.toUpperCase(),
          path,
          url: path.replace(/\{\w+\}/, UNKNOWN),
          role: /role `(\w+)`/.exec(description)?.[1],
        })),
    )
}
interface Documented {
  readonly security?: readonly object[]
  readonly description?: string
}
const VERBS = ['get', 'post', 'patch', 'put', 'delete']
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

interface Sent {
  readonly method: string
  readonly url: string
  readonly credential?: string | null
  readonly body?: string
  readonly type?: string
}

/** Sends it, and holds what comes back against the envelope. */
async function refused({
  method,
  url,
  credential = served.owner.session_token,
  body,
  type = 'application/json',
}: Sent) {
  const answer = await fetch(served.baseUrl + url, {
    method,
    headers: {
      ...(credential !== null && { authorization: `Bearer ${credential}` }),
      ...(body !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body }),
  })
  const sent = (await answer.json()) as { readonly error: { readonly code: string } }
  expect(sent, `${method} ${url}`).toEqual({
    error: {
      code: expect.stringMatching(/^[A-Z_]+$/),
      message: expect.stringMatching(/^[A-Z].*\.$/s),
      details: expect.any(Array),
      requestId: answer.headers.get('x-request-id'),
    },
  })
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  return { status: answer.status, code: sent.error.code }
}

/** Each operation with its result. */
async function each(
  wanted: (operation: Operation) => boolean,
  send: (operation: Operation) => Sent,
): Promise<readonly string[]> {
  const found = (await operations()).filter(wanted)
  expect(found.length).toBeGreaterThan(2)
  const came: string[] = []
  for (const operation of found) {
    const { status, code } = await refused(send(operation))
    came.push(`${status} ${code}`)
  }
  return [...new Set(came)].sort()
}

const takesBody = ({ method }: Operation) => method === 'POST' || method === 'PATCH'
const hasId = ({ path }: Operation) => path.includes('{')

describe('all errors of every operation use the envelope', () => {
  test('missing credentials: 401 UNAUTHORIZED', async () => {
    expect(
      await each(
        () => true,
        ({ method, url }) => ({ method, url, credential: null }),
      ),
    ).toEqual(['401 UNAUTHORIZED'])
  })

  test('invalid credentials: 401 UNAUTHORIZED', async () => {
    const credential = 'svc_000000000000000000000000000000000000'
    expect(
      await each(
        () => true,
        ({ method, url }) => ({ method, url, credential }),
      ),
    ).toEqual(['401 UNAUTHORIZED'])
  })

  test('a role that does not allow it: 403 FORBIDDEN', async () => {
    const credential = await served.api.member(served.owner, 'viewer')
    expect(
      await each(
        ({ method, role }) => method !== 'GET' && role !== 'viewer',
        ({ method, url }) => ({ method, url, credential }),
      ),
    ).toEqual(['403 FORBIDDEN'])
  })

  test('a scope that does not allow it: 403 FORBIDDEN', async () => {
    const credential = await served.api.key(served.owner, 'read')
    const isRead = ({ path }: Operation) => /\/(?:backtest|try|manifests)$/.test(path)
    expect(
      await each(
        (operation) => operation.method !== 'GET' && !isRead(operation),
        ({ method, url }) => ({ method, url, credential }),
      ),
    ).toEqual(['403 FORBIDDEN'])
  })

  test('a resource that is not found: 404 NOT_FOUND', async () => {
    // A process without patterns makes no backtests, and says that first.
    const isThere = (operation: Operation) => hasId(operation) && !operation.path.endsWith('/backtest')
    const bodies: Readonly<Record<string, string>> = {
      'POST /v1/keys/{id}/rotate': '{"grace_period_hours":0}',
      'PATCH /v1/team/members/{userId}': '{"role":"viewer"}',
      'PATCH /v1/status-pages/{id}': '{}',
      'POST /v1/monitors/{id}/mute': '{"until":null}',
      'POST /v1/serp-monitors/{id}/mute': '{"until":null}',
      'POST /v1/looks/{id}/candidates': '{"element":0}',
      'POST /v1/looks/{id}/extract': '{"extract_config":{"method":"css","fields":{"a":"b"}}}',
    }
    expect(
      await each(isThere, ({ method, url, path }) => {
        const body = bodies[`${method} ${path}`]
        return { method, url, ...(body !== undefined && { body }) }
      }),
    ).toEqual(['404 NOT_FOUND'])
  })

  test('an id that is none: 404 NOT_FOUND', async () => {
    expect(await each(hasId, ({ method, path }) => ({ method, url: path.replace(/\{\w+\}/, 'no%20id') }))).toEqual([
      '404 NOT_FOUND',
    ])
  })

  test('a body that is not JSON: 422 VALIDATION_ERROR', async () => {
    expect(await each(takesBody, ({ method, url }) => ({ method, url, body: '{"name":' }))).toEqual([
      '422 VALIDATION_ERROR',
    ])
  })

  test('a key that nobody knows: 422 VALIDATION_ERROR', async () => {
    expect(await each(takesBody, ({ method, url }) => ({ method, url, body: '{"nobody":1}' }))).toEqual([
      '422 VALIDATION_ERROR',
    ])
  })

  test('a query that nobody knows: 422 VALIDATION_ERROR', async () => {
    expect(
      await each(
        ({ method }) => method === 'GET',
        ({ method, url }) => ({ method, url: `${url}?nobody=1` }),
      ),
    ).toEqual(['422 VALIDATION_ERROR'])
  })

  test('beyond the contract: 405, 413 and 415 are errors of the same kind', async () => {
    expect(
      await each(
        () => true,
        ({ url }) => ({ method: 'PUT', url }),
      ),
    ).toEqual(['405 METHOD_NOT_ALLOWED'])
    expect(await each(takesBody, ({ method, url }) => ({ method, url, body: 'a=b', type: 'text/plain' }))).toEqual([
      '415 UNSUPPORTED_MEDIA_TYPE',
    ])
    const large = JSON.stringify({ name: 'a'.repeat(9_000_000) })
    expect(await refused({ method: 'POST', url: '/v1/monitors', body: large })).toMatchObject({ status: 413 })
  })

  test('an address where nothing is: 404 NOT_FOUND', async () => {
    for (const url of ['/v1', '/v1/', '/v1/nowhere', '/v1/monitors/', '/v2/monitors', '/api/v1/monitors'])
      expect(await refused({ method: 'GET', url })).toEqual({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('INTERNAL_ERROR', () => {
  test('a server error is 500 in the envelope, and says nothing of what went wrong', async () => {
    const own = await serveApi()
    try {
      await hideDeliveries(own.api)
      const { status, body } = await own.me.get('/v1/deliveries')
      expect(status).toBe(500)
      expect(body).toEqual({
        error: { code: 'INTERNAL_ERROR', message: expect.any(String), details: [], requestId: expect.any(String) },
      })
      expect(JSON.stringify(body)).not.toMatch(/deliveries|relation|select|\.ts/)
    } finally {
      await own.close()
    }
  })
})
