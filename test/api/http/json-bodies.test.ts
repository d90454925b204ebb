import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApi, type TestApi, type TestError } from '../../support/api/test-api.ts'

let api: TestApi
let key: string
beforeAll(async () => {
  api = await createTestApi()
  key = (await api.owner()).api_key
})
afterAll(() => api.close())

async function refused(method: 'GET' | 'POST', url: string, payload?: string): Promise<TestError> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(payload !== undefined && { 'content-type': 'application/json' }),
  }
  const answer = await api.app.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
  expect(answer.statusCode).toBe(422)
  return answer.json().error
}

test('the position of a fault in the JSON is named', async () => {
  const { message, details } = await refused('POST', '/v1/monitors', '{\n  "name": "a",\n}')
  expect(details).toEqual([{ path: '', message: expect.stringMatching(/^must be JSON: line 3, column 1: expected/) }])
  expect(message).toContain('line 3, column 1')
})

test('the key that an unknown one was meant for is named, in a body and in a query', async () => {
  const body = await refused('POST', '/v1/monitors', '{"nmae":"a"}')
  expect(body.details).toContainEqual({ path: 'nmae', message: 'is not a known key (did you mean "name"?)' })
  const query = await refused('GET', '/v1/monitors?limt=2')
  expect(query.details).toEqual([{ path: 'limt', message: 'is not a known key (did you mean "limit"?)' }])
})

test('a text may name __proto__, and a key may not, however it is written', async () => {
  const hints = (text: string) => `{"extract_config":{"method":"prompt","prompt":"what is it?","schema":${text}}}`
  const ofPrototype = { path: '', message: 'must not have a key __proto__' }
  for (const text of ['{"a":"__proto__"}', String.raw`{"a":"\u005f"}`])
    expect((await refused('POST', '/v1/monitors', hints(text))).details).not.toContainEqual(ofPrototype)
  for (const name of ['__proto__', String.raw`\u005f_proto__`, String.raw`__prot\u006f__`])
    expect((await refused('POST', '/v1/monitors', hints(`[{"${name}":{}}]`))).details).toContainEqual(ofPrototype)
})

test('a key __proto__ or a number beyond all bounds hides no other fault', async () => {
  const { details } = await refused('POST', '/v1/monitors', '{"__proto__":{},"nmae":"a","deep":[{"__proto__":1e999}]}')
  expect(details).toContainEqual({ path: '', message: 'must not have a key __proto__' })
  expect(details).toContainEqual({ path: 'nmae', message: 'is not a known key (did you mean "name"?)' })
  const { details: others } = await refused('POST', '/v1/monitors', '{"schedule_interval_seconds":1e999,"nmae":"a"}')
  expect(others).toContainEqual({ path: '', message: 'must not contain numbers beyond 1.8e308' })
  expect(others).toContainEqual({ path: 'nmae', message: 'is not a known key (did you mean "name"?)' })
})

test('faults of the query hide none of the body, and a repeated parameter hides no fault of another', async () => {
  const { message, details } = await refused('POST', '/v1/monitors?limt=2', '{"nmae":"a"}')
  expect(message).toMatch(/^The request is not valid: query\.limt is not a known key/)
  expect(details).toContainEqual({ path: 'query.limt', message: 'is not a known key' })
  expect(details).toContainEqual({ path: 'nmae', message: 'is not a known key (did you mean "name"?)' })
  const query = await refused('GET', '/v1/monitors?limit=2&limit=3&nmae=a')
  expect(query.message).toMatch(/^The query is not valid/)
  expect(query.details).toEqual([
    { path: 'limit', message: 'must be given once' },
    { path: 'nmae', message: 'is not a known key (did you mean "name"?)' },
  ])
})
