import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { buildApp, LIMITS } from '../../../api/http/app.ts'
import { publicRoute } from '../../../api/http/route.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

let api: TestApi
beforeAll(async () => (api = await createTestApi()))
afterAll(() => api.close())

const hangs = publicRoute({
  method: 'GET',
  path: '/hangs',
  summary: 'Never answers',
  tag: 'Probe',
  policy: 'public',
  answers: { 200: { description: 'Never.' } },
  handle: () => new Promise(() => {}),
})

test('a handler that hangs is answered with 503 in the envelope, before its idle connection is ended', async () => {
  // The limits of the service, a hundred times as fast.
  const [handlerTimeout, connectionTimeout] = [LIMITS.handlerTimeout / 100, LIMITS.connectionTimeout / 100]
  const app = buildApp(api.services, [hangs], { handlerTimeout, connectionTimeout })
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const answer = await fetch(`${base}/hangs`)
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ error: { code: 'UNAVAILABLE', requestId: expect.any(String) } })
})
