import { UniqueIntegrityConstraintViolationError } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiError } from '../../../api/http/api-error.ts'
import { noContent, ok, type Route, route } from '../../../api/http/route.ts'
import { ErrorEnvelope } from '../../../schema/error.ts'
import { pageQuery } from '../../../schema/page-of.ts'
import { Closed, Uuid, Whole } from '../../../schema/shape/shape.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

const common = {
  summary: 'Probe',
  tag: 'Probe',
  policy: 'monitors.write',
  answers: { 200: { description: 'Done.' } },
} as const
const thrown: { error: unknown } = { error: null }
const table: readonly Route[] = [
  route({
    ...common,
    method: 'GET',
    path: '/v1/things/:id',
    params: Closed({ id: Uuid() }),
    handle: async ({ params }) => ok(params),
  }),
  route({
    ...common,
    method: 'DELETE',
    path: '/v1/things/:id',
    params: Closed({ id: Uuid() }),
    handle: async () => noContent(),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/v1/things',
    query: Closed({
      ...pageQuery,
      big: Type.Optional(Type.Boolean()),
      name: Type.Optional(Type.String({ maxLength: 5 })),
    }),
    handle: async ({ query }) => ok(query),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/v1/things',
    body: Closed({
      count: Whole(1, 10),
      size: Type.Optional(Whole(1, 10, { default: 7 })),
      any: Type.Optional(Type.Unknown()),
    }),
    bodyLimit: 'configuration',
    defaults: true,
    handle: async ({ body }) => ok(body),
  }),
  route({
    ...common,
    method: 'PATCH',
    path: '/v1/things/:id',
    params: Closed({ id: Uuid() }),
    body: Closed({ size: Type.Optional(Whole(1, 10, { default: 7 })) }),
    handle: async ({ body }) => ok(body),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/v1/maybe',
    body: Closed({ hours: Type.Optional(Whole(0, 9)) }),
    bodyOptional: true,
    handle: async ({ body }) => ok(body),
  }),
  route({ ...common, method: 'POST', path: '/v1/touch', handle: async ({ body }) => ok(body) }),
  route({
    ...common,
    method: 'GET',
    path: '/v1/throw',
    handle: async () => {
      throw thrown.error
    },
  }),
]

let api: TestApi
let key: string
const lines: string[] = []
beforeAll(async () => {
  const { createLogger } = await import('../../../core/logger.ts')
  api = await createTestApi({ log: createLogger('info', { write: (line) => void lines.push(line) }) }, table)
  key = (await api.owner()).api_key
})
afterAll(() => api.close())

const send = (
  method: string,
  url: string,
  payload?: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) =>
  api.app.inject({
    method: method as 'GET',
    url,
    headers: { authorization: `Bearer ${key}`, ...(payload !== undefined && headers) },
    ...(payload !== undefined && { payload }),
  })
const faultOf = async (...request: Parameters<typeof send>) => {
  const answer = await send(...request)
  return { status: answer.statusCode, ...answer.json().error }
}
const id = crypto.randomUUID()

describe('every answer', () => {
  test.each([
    ['a success', 'GET', '/v1/things', 200],
    ['a refusal', 'GET', '/v1/things?page=0', 422],
    ['an unknown address', 'GET', '/v1/nothing', 404],
    ['a method that does not fit', 'PUT', '/v1/things', 405],
    ['an address that cannot be decoded', 'GET', '/v1/%zz', 404],
    ['a health probe', 'GET', '/healthz', 200],
  ])('carries the version, a request id and no-store: %s', async (_what, method, url, status) => {
    const answer = await send(method, url)
    expect(answer.statusCode).toBe(status)
    expect(answer.headers).toMatchObject({
      'service-version': '2026-05-01',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/)
    if (status >= 400) {
      expect(checkerOf(ErrorEnvelope).validate(answer.json())).toMatchObject({ ok: true })
      expect(answer.json().error.requestId).toBe(answer.headers['x-request-id'])
    }
  })

  test.each(['mine', 'a3f1-22', 'job:7.retry_2'])(
    'takes the request id of the caller and gives it back: %s',
    async (mine) => {
      const answer = await api.app.inject({ url: '/v1/nowhere', headers: { 'x-request-id': mine } })
      expect(answer.headers['x-request-id']).toBe(mine)
      expect(answer.json().error.requestId).toBe(mine)
    },
  )

  test.each([
    ['longer than 128 characters', 'a'.repeat(129)],
    ['empty', ''],
    ['not one word', 'two words'],
    ['of other characters', 'a"b'],
    ['an API key', `svc_${'a'.repeat(36)}`],
  ])('makes a request id of its own where that of the caller is %s', async (_what, given) => {
    const answer = await api.app.inject({ url: '/healthz', headers: { 'x-request-id': given } })
    expect(answer.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/)
  })
})

describe('addresses and methods', () => {
  test('405 names the methods that the address takes', async () => {
    const answer = await send('PUT', `/v1/things/${id}`)
    expect(answer.headers['allow']).toBe('DELETE, GET, HEAD, PATCH')
    expect(answer.json().error).toMatchObject({ code: 'METHOD_NOT_ALLOWED' })
    expect((await send('OPTIONS', '/v1/things?x=1')).headers['allow']).toBe('GET, HEAD, POST')
    expect((await send('PROPFIND', '/v1/things')).statusCode).toBe(405)
  })

  test.each(['1', 'x', `${id}x`, '%00', `..%2F${id}`, 'x'.repeat(2_000), `${id}/more`])(
    'an id that is none is 404: %s',
    async (bad) => {
      expect(await faultOf('GET', `/v1/things/${bad}`)).toMatchObject({ status: 404, code: 'NOT_FOUND', details: [] })
    },
  )

  test('HEAD is answered as GET is, without the body', async () => {
    const answer = await send('HEAD', `/v1/things/${id}`)
    expect([answer.statusCode, answer.payload]).toEqual([200, ''])
  })
})

describe('queries', () => {
  test('numbers and booleans are read by their declared type, defaults filled in', async () => {
    expect((await send('GET', '/v1/things?page=3&big=true')).json()).toEqual({ page: 3, limit: 20, big: true })
    expect((await send('GET', '/v1/things?big=false&name=12')).json()).toEqual({
      page: 1,
      limit: 20,
      big: false,
      name: '12',
    })
  })

  test.each([
    ['page=0', 'page'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=%2010', 'limit'],
    ['limit=NaN', 'limit'],
    ['big=1', 'big'],
    ['big=TRUE', 'big'],
    ['big=', 'big'],
    ['unknown=1', 'unknown'],
    ['page=1&page=2', 'page'],
    ['page[]=1', 'page[]'],
    ['name=%00', 'name'],
    ['name=toolong', 'name'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
  ])('?%s is refused, naming %s', async (query, path) => {
    expect(await faultOf('GET', `/v1/things?${query}`)).toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
      details: [{ path }],
    })
  })
})

describe('bodies', () => {
  test('defaults are filled in where the route says so, and nowhere else', async () => {
    expect((await send('POST', '/v1/things', '{"count":1}')).json()).toEqual({ count: 1, size: 7 })
    expect((await send('PATCH', `/v1/things/${id}`, '{}')).json()).toEqual({})
  })

  test('nothing is coerced and nothing dropped: each fault has its path', async () => {
    const { status, details } = await faultOf('POST', '/v1/things', '{"count":"1","size":null,"more":{"a":1}}')
    expect(status).toBe(422)
    expect(details.map(({ path }: { path: string }) => path).sort()).toEqual(['count', 'more', 'size'])
  })

  test.each(['', ' \n', '{}'])('an optional body may be %j', async (payload) => {
    expect((await send('POST', '/v1/maybe', payload)).json()).toEqual({})
    expect((await send('POST', '/v1/touch', payload)).json()).toEqual({})
  })

  test('an optional body may be missing, with a JSON content type or without', async () => {
    expect((await send('POST', '/v1/maybe')).statusCode).toBe(200)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    expect((await api.app.inject({ method: 'POST', url: '/v1/touch', headers })).statusCode).toBe(200)
    expect((await api.app.inject({ method: 'DELETE', url: `/v1/things/${id}`, headers })).statusCode).toBe(204)
  })

  test.each(['application/x-www-form-urlencoded', 'text/plain;charset=UTF-8', 'nonsense'])(
    'an empty body is none, though its client says that it is %s',
    async (type) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'content-length': '0' }
      const answer = await api.app.inject({ method: 'POST', url: '/v1/touch', headers, payload: '' })
      expect([answer.statusCode, answer.json()]).toEqual([200, {}])
    },
  )

  test('a body that a route does not take is refused', async () => {
    expect(await faultOf('POST', '/v1/touch', '{"force":true}')).toMatchObject({
      status: 422,
      details: [{ path: 'force' }],
    })
    expect(await faultOf('DELETE', `/v1/things/${id}`, '{"force":true}')).toMatchObject({
      status: 422,
      details: [{ path: 'force' }],
    })
  })

  test.each([
    ['is missing', ''],
    ['is not JSON', '{"count":'],
    ['is two values', '{} {}'],
    ['is null', 'null'],
    ['is a list', '[]'],
    ['is a text', '"count"'],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['reaches for the prototype', '{"count":1,"any":{"__proto__":{"admin":true}}}'],
    ['has a number beyond numbers', '{"count":1,"any":1e400}'],
  ])('a body that %s is 422 at the path of the whole', async (_what, payload) => {
    expect(await faultOf('POST', '/v1/things', payload)).toMatchObject({
      status: 422,
      code: 'VALIDATION_ERROR',
      details: [{ path: '' }],
    })
  })

  test.each([
    ['a NUL', '{"count":1,"any":{"deep":["\\u0000"]}}', 'any.deep[0]'],
    ['a lone surrogate', '{"count":1,"any":{"deep":["\\ud800"]}}', 'any.deep[0]'],
    ['a NUL in a key', '{"count":1,"any":{"a\\u0000":1}}', 'any'],
  ])('%s is 422 at its path', async (_what, payload, path) => {
    expect(await faultOf('POST', '/v1/things', payload)).toMatchObject({ status: 422, details: [{ path }] })
  })

  test('nesting beyond the stack is 422', async () => {
    const deep = `{"count":1,"any":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    expect(await faultOf('POST', '/v1/things', deep)).toMatchObject({ status: 422 })
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json\tx',
    'application/jsonx',
    'application/json; charset=latin1',
  ])('a content type of %s is 415', async (type) => {
    expect(await faultOf('POST', '/v1/things', '{"count":1}', { 'content-type': type })).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    })
  })

  test('a compressed body is 415: none is unpacked', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    expect(await faultOf('POST', '/v1/things', '{"count":1}', headers)).toMatchObject({ status: 415 })
  })

  test('JSON with a charset is read', async () => {
    expect(
      (await send('POST', '/v1/things', '{"count":1}', { 'content-type': 'Application/JSON; charset=utf-8' }))
        .statusCode,
    ).toBe(200)
  })

  test('a configuration over 4 MiB is 413, one of 100,000 escaped characters is not', async () => {
    const fits = `{"count":1,"any":"${'\\u00e9'.repeat(100_000)}"}`
    expect((await send('POST', '/v1/things', fits)).statusCode).toBe(200)
    expect(await faultOf('POST', '/v1/things', `{"any":"${'x'.repeat(4_194_304)}"}`)).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The body is too large: this address accepts at most 4 MiB.',
    })
  })
})

describe('faults behind the door', () => {
  const withCode = (code: string) => Object.assign(new Error('postgres://u:secret@host/ went wrong'), { code })

  test('an unknown one is a 500 that says nothing, and is logged under the request id', async () => {
    thrown.error = new Error('select secret_column from nowhere')
    const fault = await faultOf('GET', '/v1/throw')
    expect(fault).toMatchObject({ status: 500, code: 'INTERNAL_ERROR', details: [] })
    expect(JSON.stringify(fault)).not.toMatch(/secret_column|at |\.ts/)
    const logged = lines.filter((line) => line.includes(fault.requestId)).map((line) => JSON.parse(line))
    expect(logged[0]).toMatchObject({
      level: 'error',
      err: { message: 'select secret_column from nowhere' },
      route: '/v1/throw',
    })
  })

  test.each(['text', null, undefined, 42, {}])('a thrown %j is a 500 all the same', async (error) => {
    thrown.error = error
    expect(await faultOf('GET', '/v1/throw')).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' })
  })

  test.each(['08006', '57P01', '57014', '53300', '40P01', 'ECONNREFUSED'])(
    'a store that fails with %s is a 503 to be tried again',
    async (code) => {
      thrown.error = new Error('a query failed', { cause: withCode(code) })
      const answer = await send('GET', '/v1/throw')
      expect(answer.json().error).toMatchObject({ code: 'UNAVAILABLE' })
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    },
  )

  test('a statement that the store has ended is not called an outage, and our clients do not repeat it', async () => {
    for (const [error, code] of [
      ['StatementTimeoutError', ''],
      ['StatementCancelledError', ''],
      ['Error', '57014'],
    ] as const) {
      thrown.error = new Error('a query failed', { cause: Object.assign(withCode(code), { name: error }) })
      const answer = await send('GET', '/v1/throw')
      expect(answer.json().error).toMatchObject({ code: 'UNAVAILABLE' })
      expect(answer.json().error.message).not.toContain('cannot reach')
      // A client that gets a longer pause than its patience gives up (cli/remote/remote-client.ts).
      expect(Number(answer.headers['retry-after'])).toBe(30)
    }
  })

  test('a clash of two writers is a 409', async () => {
    thrown.error = new UniqueIntegrityConstraintViolationError(withCode('23505'))
    expect(await faultOf('GET', '/v1/throw')).toMatchObject({ status: 409, code: 'CONFLICT' })
  })

  test('a refusal is answered as it was thrown', async () => {
    thrown.error = apiError('RUN_LIMIT_REACHED', 'No runs are left.', [{ used: 3, limit: 3 }])
    expect(await faultOf('GET', '/v1/throw')).toMatchObject({
      status: 429,
      code: 'RUN_LIMIT_REACHED',
      details: [{ used: 3, limit: 3 }],
    })
  })

  test('no secret of the fault is logged', async () => {
    thrown.error = withCode('XX000')
    await send('GET', '/v1/throw')
    expect(lines.join('')).not.toContain('u:secret')
  })
})
