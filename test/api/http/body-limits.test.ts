import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BODY_LIMITS, bodyLimitOf, sizeText } from '../../../api/http/body-limits.ts'
import type { Route } from '../../../api/http/route.ts'
import { JSON_BYTES } from '../../../api/runner-api/runner-api-app.ts'
import { RunnerClaim, RunnerHeartbeat, RunnerProxy, RunnerRelease } from '../../../schema/runner-api.ts'
import { servedRoutes } from '../../support/api/all-routes.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { ESCAPED, FORM, largestBody, PLAIN } from './largest-body.ts'

const writing = servedRoutes.filter(({ method }) => method !== 'GET')
const titled = writing.map((route) => [`${route.method} ${route.path}`, route] as const)
const isForm = (route: Route) => route.policy === 'public' && route.isForm === true
const isSigned = (route: Route) => route.policy === 'public' && route.isSigned === true
const readsConfiguration = (route: Route) => bodyLimitOf(route) === BODY_LIMITS.configuration

let api: TestApi
let port: number
let session: string
let reader: string
beforeAll(async () => {
  // Each address has its own count of requests, and a proxy may name any.
  api = await createTestApi({ trustedProxies: ['127.0.0.0/8'] })
  port = Number(new URL(await api.listen()).port)
  const owner = await api.owner()
  session = owner.session_token
  reader = await api.key(owner, 'read')
})
afterAll(() => api.close())

let requests = 0
/** Sends the head of a request and this body, and returns the answer to them. */
async function answerTo(
  route: Route,
  credential: string | null,
  { length, body = '' }: { length: number; body?: string },
) {
  const socket = connect({ host: '127.0.0.1', port })
  await once(socket, 'connect')
  const path = route.path.replaceAll(/:\w+/g, '00000000-0000-4000-8000-000000000000')
  requests += 1
  socket.write(
    [
      `${route.method} ${path} HTTP/1.1`,
      'host: 127.0.0.1:8080',
      `x-forwarded-for: 192.0.2.${requests}`,
      ...(credential === null ? [] : [`authorization: Bearer ${credential}`]),
      `content-type: ${isForm(route) ? 'application/x-www-form-urlencoded' : 'application/json'}`,
      `content-length: ${length}`,
      '',
      body,
    ].join('\r\n'),
  )
  let text = ''
  for await (const chunk of socket) {
    text += String(chunk)
    const [head = '', rest] = text.split('\r\n\r\n')
    const wanted = Number(/^content-length: (\d+)/im.exec(head)?.[1])
    if (rest !== undefined && Buffer.byteLength(rest) >= wanted) break
  }
  socket.destroy()
  return { status: Number(text.slice(9, 12)), text }
}

describe('the body that a route reads', () => {
  test('has a bound by what the route reads: 4 MiB are for configurations, of the admitted', () => {
    expect(writing.filter(readsConfiguration).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/monitors',
      'POST /v1/monitors/preview',
      'PATCH /v1/monitors/:id',
      'POST /v1/monitors/:id/backtest',
      'POST /v1/serp-monitors',
      'POST /v1/serp-monitors/preview',
      'PATCH /v1/serp-monitors/:id',
      'POST /v1/deliveries/test',
      'POST /v1/monitors/from-template/:slug',
      'POST /v1/predicates/try',
      'POST /v1/manifests',
      'POST /v1/looks',
      'POST /v1/looks/:id/extract',
    ])
    const bulk = writing.filter((route) => bodyLimitOf(route) === BODY_LIMITS.bulk)
    expect(bulk.map(({ path }) => path)).toEqual(['/v1/monitors/bulk', '/v1/serp-monitors/bulk'])
    const pages = writing.filter((route) => bodyLimitOf(route) === BODY_LIMITS.statusPage)
    expect(pages.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/status-pages',
      'PATCH /v1/status-pages/:id',
    ])
    for (const route of writing)
      if (route.policy === 'public')
        expect(bodyLimitOf(route)).toBeLessThan(BODY_LIMITS.default + Number(isSigned(route)) * 2 ** 20)
  })

  test.each(titled)('%s: the largest that its schema allows fits, however it is escaped', (_title, route) => {
    const { body } = route
    if (!body) return
    // With a predicate of 25 conditions on each of three levels no limit would be one. What people write for messages
    // is not text of control characters, which are six bytes each, nor are 500 treatments. Values to try have a bound
    // together.
    const largest = readsConfiguration(route)
      ? largestBody(body, PLAIN, ['diff_predicate', 'clean', 'message', 'body', 'before', 'after'])
      : largestBody(body, isForm(route) ? FORM : ESCAPED)
    expect(largest).toBeLessThanOrEqual(bodyLimitOf(route))
  })

  test('of the greatest length that is allowed is read', async () => {
    const name = '\\ud83d\\ude00'.repeat(200)
    const body = `{"name":"${name}"}`
    const route = writing.find(({ path }) => path === '/auth/update-user')
    expect(route && (await answerTo(route, null, { length: body.length, body })).status).toBe(401)
  })

  test.each(titled)(
    '%s: one byte more is 413 by Content-Length, before a byte of it arrives',
    async (_title, route) => {
      const limit = bodyLimitOf(route)
      const { status, text } = await answerTo(route, session, { length: limit + 1 })
      expect({ status, text }).toMatchObject({ status: 413 })
      expect(text).toContain(sizeText(limit))
    },
  )

  test.each(titled.filter(([, route]) => !isSigned(route)))('%s: exactly the limit is read', async (_title, route) => {
    const limit = bodyLimitOf(route)
    const body = isForm(route) ? `x=${'y'.repeat(limit - 2)}` : `[${' '.repeat(limit - 2)}]`
    expect(await answerTo(route, session, { length: limit, body })).toMatchObject({ status: 422 })
  })

  test.each(titled.filter(([, { policy }]) => policy !== 'public'))(
    '%s: without credentials it is 401, and with a key that may not, 403; no byte of the body is waited for',
    async (_title, route) => {
      const length = bodyLimitOf(route)
      expect(await answerTo(route, null, { length })).toMatchObject({ status: 401 })
      expect(await answerTo(route, 'tm_nobody', { length })).toMatchObject({ status: 401 })
      const { status } = await answerTo(route, reader, { length: length + 1 })
      // What only reads, a key with `read` may; its body is refused by its length.
      expect(status).toBe(route.policy === 'runs.read' || route.policy === 'monitors.read' ? 413 : 403)
    },
  )

  test('of a runner fits, with a thousand checks', () => {
    for (const body of [RunnerClaim, RunnerHeartbeat, RunnerRelease, RunnerProxy])
      expect(largestBody(body, PLAIN)).toBeLessThanOrEqual(JSON_BYTES)
  })
})
