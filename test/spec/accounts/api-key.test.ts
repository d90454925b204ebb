import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pathsOf } from '../../support/api/monitor-requests.ts'
import { type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'

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
const list = async () => (await owner.get('/v1/keys')).body.data as never as readonly Record<string, unknown>[]
const works = async (key: string) => (await served.as(key).get('/v1/monitors')).status === 200

describe('API key', () => {
  test('create returns the full value, beginning with svc_; the record has id, name, scopes, expires_at', async () => {
    const answer = await owner.post('/v1/keys', { name: 'Deploy' })
    expect(answer).toMatchObject({ status: 201, body: { key: expect.stringMatching(/^svc_/) } })
    expect(answer.body['apiKey']).toEqual({
      id: expect.any(String),
      name: 'Deploy',
      scopes: ['read'],
      expires_at: null,
    })
  })

  test.each([
    ['read by default', undefined, ['read']],
    ['read', ['read'], ['read']],
    ['write', ['write'], ['write']],
    ['both', ['read', 'write'], ['read', 'write']],
  ])('its scopes are %s', async (_, scopes, given) => {
    const { apiKey } = await issue({ name: 'Scoped', ...(scopes && { scopes }) })
    expect(apiKey).toMatchObject({ scopes: given })
    expect((await list()).find(({ id }) => id === apiKey.id)).toMatchObject({ scopes: given })
  })

  test('expires_at is an ISO 8601 instant, null or absent: none; it is given back in UTC', async () => {
    const far = `${new Date().getUTCFullYear() + 2}-03-04T05:06:07`
    expect((await issue({ name: 'a', expires_at: `${far}.890Z` })).apiKey.expires_at).toBe(`${far}.890Z`)
    expect((await issue({ name: 'a', expires_at: `${far}+02:00` })).apiKey.expires_at).toBe(
      `${far.replace('T05', 'T03')}.000Z`,
    )
    expect((await issue({ name: 'a', expires_at: null })).apiKey.expires_at).toBeNull()
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
    [{ name: 'a', expires_at: '2999-01-01T00:00:00+16:00' }, ['expires_at']],
    [{ name: 'a', expires_at: '2999-01-01T00:00:00Z[Europe/Berlin]' }, ['expires_at']],
    [{ name: 'a', expires_at: '9999-12-31T23:59:59-01:00' }, ['expires_at']],
    [{ name: 'a', expires_at: '9999-12-31T23:59:59.9999999Z' }, ['expires_at']],
    [{ name: 'a', expires_at: '2999-02-29T00:00:00Z' }, ['expires_at']],
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

  test('rotation answers as create does: the full value once, and id, name, scopes and expires_at', async () => {
    const { apiKey } = await issue({ name: 'Old', scopes: ['write'] })
    const { body } = await owner.post(`/v1/keys/${apiKey.id}/rotate`, { grace_period_hours: 1 })
    expect(body).toEqual({
      key: expect.stringMatching(/^svc_/),
      apiKey: { id: expect.any(String), name: 'Old', scopes: ['write'], expires_at: null },
    })
    expect((body as never as Issued).apiKey.id).not.toBe(apiKey.id)
    expect(JSON.stringify(await list())).not.toContain(body.key)
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

describe('API key, as time goes', () => {
  let own: ServedApi
  let session: Client
  beforeAll(async () => {
    own = await serveApi()
    session = own.as(own.owner.session_token)
  })
  afterAll(() => own.close())

  const setClock = (seconds: number) =>
    own.api.sql(
      `alter database "${new URL(own.api.databaseUrl).pathname.slice(1)}" set tidemark.clock_offset = ` +
        `'${seconds} seconds'`,
    )
  const make = async (body: object) => (await session.post('/v1/keys', body)).body as never as Issued
  // What the process remembers of a key it forgets within a second; a rotation of any key makes it forget at once.
  const forget = async () => {
    const { apiKey } = await make({ name: 'Any' })
    await session.post(`/v1/keys/${apiKey.id}/rotate`, { grace_period_hours: 0 })
  }
  const status = async (key: string) => (await own.as(key).get('/v1/monitors')).status

  test('a key works until its optional expiry, and is listed no more after it', async () => {
    const { key, apiKey } = await make({ name: 'Short', expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    await setClock(3_500)
    await forget()
    expect(await status(key)).toBe(200)
    await setClock(3_700)
    await forget()
    expect(await status(key)).toBe(401)
    const { data } = (await session.get('/v1/keys')).body
    expect(data.map(({ id }) => id)).not.toContain(apiKey.id)
    await setClock(0)
  })

  test('the old key works for the hours of grace and no longer', async () => {
    const { key, apiKey } = await make({ name: 'Old' })
    const { body } = await session.post(`/v1/keys/${apiKey.id}/rotate`, { grace_period_hours: 2 })
    await setClock(2 * 3_600 - 60)
    await forget()
    expect([await status(key), await status(body.key)]).toEqual([200, 200])
    await setClock(2 * 3_600 + 60)
    await forget()
    expect([await status(key), await status(body.key)]).toEqual([401, 200])
    await setClock(0)
  })
})
