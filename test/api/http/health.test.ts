import { afterEach, expect, test } from 'vitest'
import { startHealthServer } from '../../../platform/health-server.ts'
import { createTestApi, type TestApi } from '../test-api.ts'

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
