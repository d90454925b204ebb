import { afterEach, expect, test } from 'vitest'
import { buildApp } from '../../../api/http/app.ts'
import { createServices } from '../../../api/services.ts'
import { openApiStore } from '../../../boot/parts/api-store.ts'
import { createSecretBox } from '../../../store/secrets/secret-box.ts'
import { routes } from '../../support/api/all-routes.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { openTcpProxy, type TcpProxy } from '../../support/network/tcp-proxy.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function openProxy(databaseUrl: string): Promise<TcpProxy> {
  const proxy = await openTcpProxy(databaseUrl)
  open.push(async () => proxy[Symbol.asyncDispose]())
  return proxy
}

async function startBehind(databaseUrl: string, api: TestApi) {
  const store = await openApiStore(databaseUrl)
  const services = createServices({
    ...api.services,
    store,
    databaseUrl,
    encryptionKey: 'a key of the tests, which is long enough',
    secrets: createSecretBox('a key of the tests, which is long enough'),
    signUpPlan: 'free',
  })
  const app = buildApp(services, routes)
  open.push(async () => {
    await app.close()
    await services.close()
    await store.end().catch(() => {})
  })
  return app
}

const timed = async <T>(work: Promise<T>): Promise<[T, number]> => {
  const began = performance.now()
  return [await work, performance.now() - began]
}

test('a store that is gone is a 503 with Retry-After within 5 s, and all is well once it is back', async () => {
  const api = await createTestApi()
  open.push(() => api.close())
  const proxy = await openProxy(api.databaseUrl)
  const app = await startBehind(proxy.url, api)
  const { api_key, email, password } = await api.owner()
  const ask = () => app.inject({ url: '/v1/keys', headers: { authorization: `Bearer ${api_key}` } })
  const signIn = () => app.inject({ method: 'POST', url: '/auth/sign-in/email', payload: { email, password } })
  expect((await ask()).statusCode).toBe(200)
  expect((await signIn()).statusCode).toBe(200)

  await proxy.stop()
  for (const request of [ask, signIn]) {
    const [answer, took] = await timed(request())
    expect(answer.json().error, answer.payload).toMatchObject({ code: 'UNAVAILABLE', details: [] })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    expect(took).toBeLessThan(5_000)
  }
  expect((await app.inject('/healthz')).statusCode).toBe(200)

  await proxy.restart()
  expect((await ask()).statusCode).toBe(200)
  expect((await signIn()).statusCode).toBe(200)
})

test('a store that takes connections and never answers is a 503 within 5 s too', async () => {
  const api = await createTestApi()
  open.push(() => api.close())
  const proxy = await openProxy(api.databaseUrl)
  const app = await startBehind(proxy.url, api)
  const { api_key } = await api.owner()
  await proxy.stop()
  proxy.freeze()
  await proxy.restart()
  const [answer, took] = await timed(app.inject({ url: '/v1/keys', headers: { authorization: `Bearer ${api_key}` } }))
  expect(answer.json().error).toMatchObject({ code: 'UNAVAILABLE' })
  expect(took).toBeLessThan(5_000)
})

test('a store that freezes under open connections is a 503 within 8 s, also in the middle of what writes', async () => {
  const api = await createTestApi()
  open.push(() => api.close())
  const proxy = await openProxy(api.databaseUrl)
  const app = await startBehind(proxy.url, api)
  const { api_key, session_token, email, password } = await api.owner()
  const ask = (method: 'GET' | 'POST', url: string, credential: string | null, payload?: object) =>
    app.inject({
      method,
      url,
      ...(credential && { headers: { authorization: `Bearer ${credential}` } }),
      ...(payload && { payload }),
    })
  const asks = () =>
    [
      ask('GET', '/v1/monitors', api_key),
      ask('GET', '/v1/deliveries', api_key),
      ask('POST', '/v1/keys', session_token, { name: 'a' }),
      ask('POST', '/auth/sign-in/email', null, { email, password }),
    ] as const
  for (const { statusCode } of await Promise.all(asks())) expect(statusCode).toBeLessThan(300)

  proxy.freeze()
  for (const [answer, took] of await Promise.all(asks().map((one) => timed(one)))) {
    expect(answer.json().error, answer.payload).toMatchObject({ code: 'UNAVAILABLE' })
    expect(took).toBeLessThan(8_000)
  }
  // A second time, when the first connections have been given up.
  const [answer, took] = await timed(ask('GET', '/v1/monitors', api_key))
  expect(answer.json().error).toMatchObject({ code: 'UNAVAILABLE' })
  expect(took).toBeLessThan(8_000)

  proxy.thaw()
  // More than there are connections: none of those that were given up stands in the way.
  const after = await Promise.all(Array.from({ length: 40 }, () => ask('GET', '/v1/monitors', api_key)))
  expect(new Set(after.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
})
