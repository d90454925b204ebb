import { afterEach, expect, test } from 'vitest'
import { startHealthServer } from '../../../platform/health-server.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

let api: TestApi
afterEach(() => api.close())
const health = (ok: boolean) => ({
  ready: async () => ({ ok, checks: { store: ok ? 'ok' : 'not reachable' } }),
  metrics: async () => 'tidemark_up 1\n',
})

test('/healthz tells that the process lives', async () => {
  api = await createTestApi()
  const answer = await api.app.inject('/healthz')
  expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok' }])
})

test.each([
  [true, 200, 'ok', 'ok'],
  [false, 503, 'unavailable', 'not reachable'],
])('/readyz: ready %s is %i', async (ok, status, word, store) => {
  api = await createTestApi({ health: health(ok) })
  const answer = await api.app.inject('/readyz')
  expect([answer.statusCode, answer.json()]).toEqual([status, { status: word, checks: { store } }])
})

test('/metrics is on the port of the API', async () => {
  api = await createTestApi({ health: health(true) })
  const answer = await api.app.inject('/metrics')
  expect(answer.payload).toBe('tidemark_up 1\n')
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
})

test('/metrics is elsewhere when it has a port of its own', async () => {
  api = await createTestApi({ health: health(true), metricsHere: false })
  expect((await api.app.inject('/metrics')).statusCode).toBe(404)
  const own = await startHealthServer(health(true), { host: '127.0.0.1', port: 0 })
  const answer = await fetch(`http://127.0.0.1:${own.port}/metrics`)
  expect(await answer.text()).toBe('tidemark_up 1\n')
  await own.close()
})

test('/metrics needs the token of the installation where one is set, on both ports', async () => {
  const metricsToken = 'a token of the tests'
  api = await createTestApi({ health: health(true), metricsToken: () => metricsToken })
  const own = await startHealthServer(health(true), { host: '127.0.0.1', port: 0, token: () => metricsToken })
  const here = async (authorization: string) =>
    (await api.app.inject({ url: '/metrics', headers: { authorization } })).statusCode
  const there = async (authorization: string) =>
    (await fetch(`http://127.0.0.1:${own.port}/metrics`, { headers: { authorization } })).status
  for (const ask of [here, there]) {
    expect(await ask('')).toBe(401)
    expect(await ask('Bearer another token')).toBe(401)
    expect(await ask(`Bearer ${metricsToken}`)).toBe(200)
  }
  expect((await fetch(`http://127.0.0.1:${own.port}/healthz`)).status).toBe(200)
  await own.close()
})
