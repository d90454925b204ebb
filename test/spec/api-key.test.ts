import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, pathsOf, type ServedApi, serveApi } from './support.ts'

let served: ServedApi
let owner: Client
beforeAll(async () => {
  served = await serveApi()
  owner = served.as(served.owner.session_token)
})
afterAll(() => served.close())

interface Issued {
  readonly key: string
  readonly apiKey: { readonly id: string; readonly expires_at: string | null }
}
const issue = async (body: object) => (await owner.post('/v1/keys', body)).body as never as Issued
const works = async (key: string) => (await served.as(key).get('/v1/monitors')).status === 200

describe('API key', () => {
  test('the full value is returned on create, begins with svc_, and the record has id, name, scopes and expires_at', async () => {
    const answer = await owner.post('/v1/keys', { name: 'Deploy' })
    expect(answer).toMatchObject({ status: 201, body: { key: expect.stringMatching(/^svc_/) } })
    expect(answer.body['apiKey']).toEqual({
      id: expect.any(String),
      name: 'Deploy',
      scopes: ['read'],
      expires_at: null,
    })
  })

  test('listings have key_prefix, the first 8 characters, and never the key or its hash', async () => {
    const { key, apiKey } = await issue({ name: 'Listed' })
    const { body } = await owner.get('/v1/keys')
    expect(body.data.find(({ id }) => id === apiKey.id)).toMatchObject({ name: 'Listed', key_prefix: key.slice(0, 8) })
    expect(JSON.stringify(body)).not.toContain(key)
    expect(JSON.stringify(body)).not.toMatch(/hash/i)
  })

  test.each([
    [{}, ['name']],
    [{ name: '' }, ['name']],
    [{ name: 'n'.repeat(101) }, ['name']],
    [{ name: 'a', scopes: [] }, ['scopes']],
    [{ name: 'a', scopes: ['admin'] }, ['scopes[0]']],
    [{ name: 'a', expires_at: 'tomorrow' }, ['expires_at']],
    [{ name: 'a', expires_at: '2020-01-01T00:00:00Z' }, ['expires_at']],
  ])('creation refuses %j', async (body, paths) => {
    expect(pathsOf(await owner.post('/v1/keys', body))).toEqual(paths)
  })

  test('a name has 1 to 100 characters', async () => {
    for (const name of ['n', 'n'.repeat(100)]) expect((await owner.post('/v1/keys', { name })).status).toBe(201)
  })

  test('rotation with 0 hours revokes the old key at once', async () => {
    const { key, apiKey } = await issue({ name: 'Old' })
    expect(await works(key)).toBe(true)
    const rotated = await owner.post(`/v1/keys/${apiKey.id}/rotate`, { grace_period_hours: 0 })
    expect(rotated).toMatchObject({ status: 201, body: { key: expect.stringMatching(/^svc_/) } })
    expect([await works(key), await works(rotated.body.key)]).toEqual([false, true])
  })

  test('rotation with hours lets the old key work for so long; the new key inherits the expiry', async () => {
    const expires_at = new Date(Date.now() + 10 * 86_400_000).toISOString()
    const { key, apiKey } = await issue({ name: 'Old', expires_at })
    const rotated = await owner.post(`/v1/keys/${apiKey.id}/rotate`, { grace_period_hours: 168 })
    expect([await works(key), await works(rotated.body.key)]).toEqual([true, true])
    const inherited = (rotated.body as never as Issued).apiKey.expires_at
    expect(Math.abs(Date.parse(String(inherited)) - Date.parse(expires_at))).toBeLessThan(60_000)
  })

  test('grace_period_hours is required, a whole number from 0 to 168', async () => {
    const { apiKey } = await issue({ name: 'Old' })
    for (const body of [{}, { grace_period_hours: -1 }, { grace_period_hours: 169 }, { grace_period_hours: 1.5 }])
      expect(pathsOf(await owner.post(`/v1/keys/${apiKey.id}/rotate`, body))).toEqual(['grace_period_hours'])
  })

  test('a deleted key works no more, from the next request on', async () => {
    const { key, apiKey } = await issue({ name: 'Gone' })
    expect(await works(key)).toBe(true)
    expect((await owner.delete(`/v1/keys/${apiKey.id}`)).status).toBe(204)
    expect(await works(key)).toBe(false)
  })
})
