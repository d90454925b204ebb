import { describe, expect, test } from 'vitest'
import { shared } from '../../support/run/shared.ts'
import { ids, openPagedService, type Service } from './paged-service.ts'

const service = shared(openPagedService)

const FIELD = { extract_config: { method: 'json_path', fields: { a: '$.a' } } }
const answer = () => ({ body: { a: 1 } })

describe('a monitor with a request_config', () => {
  test('is always fetched directly, also where the browser is asked for', async () => {
    const { run } = await service.watch(answer, { method: 'GET' }, { ...FIELD, fetch_mode: 'browser' })
    expect(run).toMatchObject({ status: 'success', fetch_method: 'static', extracted: { a: 1 } })
  })

  test.each(['GET', 'POST', 'PUT', 'PATCH'])('sends the method %s', async (method) => {
    const { asked } = await service.watch(answer, { method }, FIELD)
    expect(asked).toMatchObject([{ method, body: '' }])
  })

  test.each(['POST', 'PUT', 'PATCH'])('sends its body with %s, as it was written', async (method) => {
    const body = '{ "query" : "{ é }",\n "n": 12345678901234567890 }'
    const { asked } = await service.watch(answer, { method, body }, FIELD)
    expect(asked).toMatchObject([{ method, body }])
  })

  test('sends a body that parses as JSON as application/json', async () => {
    for (const body of ['{}', '[1]', '"text"', '1', ' null '])
      expect((await service.watch(answer, { method: 'POST', body }, FIELD)).asked[0]?.headers['content-type']).toBe(
        'application/json',
      )
  })

  test('sends any other body as plain text', async () => {
    for (const body of ['a=1&b=2', '', '{'])
      expect((await service.watch(answer, { method: 'POST', body }, FIELD)).asked[0]?.headers['content-type']).toBe(
        'text/plain;charset=UTF-8',
      )
  })

  test('sends the Content-Type that is set instead, in whatever case its name is written', async () => {
    const request_headers = { 'CONTENT-TYPE': 'application/graphql' }
    const { asked } = await service.watch(answer, { method: 'POST', body: '{"a":1}' }, { ...FIELD, request_headers })
    expect(asked[0]?.headers['content-type']).toBe('application/graphql')
  })

  test('sends no Content-Type without a body', async () => {
    const { asked } = await service.watch(answer, { method: 'POST' }, FIELD)
    expect(asked[0]?.headers).not.toHaveProperty('content-type')
  })

  test('sends a body of 100,000 characters', async () => {
    const body = 'é'.repeat(100_000)
    const { asked } = await service.watch(answer, { method: 'POST', body }, FIELD)
    expect(asked[0]?.body).toBe(body)
  })
})

test('a redirect that turns a POST into a GET is followed, and the run warns', async () => {
  const moved: Service = ({ method, query }) =>
    method === 'POST'
      ? { status: 303, headers: { location: `?${query.toString()}&elsewhere` }, body: '' }
      : { body: ids(1, query.get('page') === '2' ? 0 : 2) }
  const post = { method: 'POST', body: '{}' }
  const { run } = await service.watch(moved, post)
  expect(run).toMatchObject({ status: 'success', extracted: { ids: [1, 2] } })
  expect(run.warnings.join()).toContain('turned the POST into a GET')
  const paging = { ...post, pagination: { type: 'page', in: 'query', param: 'page' } }
  const listed = await service.watch(moved, paging)
  expect(listed.run.warnings.filter((one) => one.includes('into a GET'))).toHaveLength(1)
  const kept: Service = ({ query }) =>
    query.has('elsewhere') ? { body: ids(1, 2) } : { status: 307, headers: { location: '?elsewhere' }, body: '' }
  expect((await service.watch(kept, post)).run).toMatchObject({ status: 'success', warnings: [] })
})
