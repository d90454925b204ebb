import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

let api: TestApi
let key: string
beforeAll(async () => {
  api = await createTestApi()
  key = (await api.owner()).api_key
})
afterAll(() => api.close())

test.each(['/v1/monitors/bulk', '/v1/monitors/preview'])('%s takes POST only, and says so', async (path) => {
  for (const method of ['GET', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'])
    for (const url of [path, `${path}?page=1`])
      expect(await api.call(key, method, url)).toMatchObject({
        status: 405,
        headers: { allow: 'POST' },
        body: { error: { code: 'METHOD_NOT_ALLOWED', message: 'This address accepts POST only.' } },
      })
})

test('an address with an id takes its own methods', async () => {
  const url = `/v1/monitors/${crypto.randomUUID()}`
  expect(await api.call(key, 'PUT', url)).toMatchObject({ status: 405, headers: { allow: 'DELETE, GET, HEAD, PATCH' } })
  for (const method of ['GET', 'PATCH', 'DELETE'])
    expect(await api.call(key, method, url, method === 'PATCH' ? {} : undefined)).toMatchObject({ status: 404 })
  expect(await api.call(key, 'GET', '/v1/monitors/bulky')).toMatchObject({ status: 404 })
})
