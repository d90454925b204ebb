import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { row } from '../../../store/db/row.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

let api: TestApi
let owner: CreatedOwner
beforeAll(async () => {
  api = await createTestApi()
  owner = await api.owner()
})
afterAll(() => api.close())

interface Issued {
  readonly key: string
  readonly apiKey: {
    readonly id: string
    readonly name: string
    readonly scopes: string[]
    readonly expires_at: string | null
  }
}
const create = async (body: object): Promise<Issued> => {
  const answer = await api.call(owner.session_token, 'POST', '/v1/keys', body)
  expect(answer).toMatchObject({ status: 201 })
  return answer.body as never
}
const rotate = async (id: string, hours: number): Promise<Issued> => {
  const answer = await api.call(owner.session_token, 'POST', `/v1/keys/${id}/rotate`, { grace_period_hours: hours })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body as never
}
const list = async (): Promise<Record<string, unknown>[]> =>
  (await api.call(owner.session_token, 'GET', '/v1/keys')).body['data'] as never
const statusOf = async (key: string) => (await api.call(key, 'GET', '/v1/keys')).status
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const audit = (action: string) =>
  api.services.store.any(sql.type(
    row({
      target_id: Type.String(),
      target_label: Type.String(),
      actor_type: Type.String(),
      actor_label: Type.String(),
      metadata: Type.Unknown(),
    }),
  )`select target_id, target_label, actor_type, actor_label, metadata from audit_events
    where team_id = ${owner.team_id} and action = ${action} order by created_at`)

describe('creating', () => {
  test('a key is shown whole once, with the id, name, scopes and expiry of its record', async () => {
    const issued = await create({ name: 'Deploy' })
    expect(issued.key).toMatch(/^svc_[0-9A-Za-z]{36}$/)
    expect(issued.apiKey).toEqual({ id: expect.any(String), name: 'Deploy', scopes: ['read'], expires_at: null })
    expect(await statusOf(issued.key)).toBe(200)
  })

  test('scopes and expiry are taken as given', async () => {
    const expires_at = inHours(1)
    const { apiKey } = await create({ name: 'x'.repeat(100), scopes: ['read', 'write'], expires_at })
    expect(apiKey).toMatchObject({ name: 'x'.repeat(100), scopes: ['read', 'write'], expires_at })
  })

  test.each([
    ['name', {}],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(101) }],
    ['scopes[0]', { name: 'a', scopes: ['admin'] }],
    ['scopes', { name: 'a', scopes: [] }],
    ['scopes', { name: 'a', scopes: null }],
    ['expires_at', { name: 'a', expires_at: 'tomorrow' }],
    ['expires_at', { name: 'a', expires_at: inHours(-1) }],
    ['team_id', { name: 'a', team_id: crypto.randomUUID() }],
  ])('a body whose %s is wrong is refused with its path', async (path, body) => {
    const answer = await api.call(owner.session_token, 'POST', '/v1/keys', body)
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR', details: [{ path }] } } })
  })

  test('it is audited with the prefix, never with the key', async () => {
    const issued = await create({ name: 'Audited' })
    const events = await audit('api_key.created')
    expect(events.at(-1)).toMatchObject({
      target_id: issued.apiKey.id,
      target_label: issued.key.slice(0, 8),
      actor_type: 'user',
      actor_label: owner.email,
      metadata: { name: 'Audited' },
    })
    expect(JSON.stringify(events)).not.toContain(issued.key)
  })
})

describe('listing', () => {
  test('keys are listed newest first with their prefix, and never with key or hash', async () => {
    const issued = await create({ name: 'Listed' })
    const keys = await list()
    expect(keys[0]).toEqual({
      id: issued.apiKey.id,
      name: 'Listed',
      key_prefix: issued.key.slice(0, 8),
      scopes: ['read'],
      expires_at: null,
      last_used_at: null,
      created_by: owner.user_id,
      created_at: expect.stringMatching(/Z$/),
      replaced: false,
    })
    expect(JSON.stringify(keys)).not.toContain(issued.key)
  })

  test('a key that was rotated is listed as replaced until its grace period ends', async () => {
    const { apiKey } = await create({ name: 'Old' })
    await api.call(owner.session_token, 'POST', `/v1/keys/${apiKey.id}/rotate`, { grace_period_hours: 1 })
    const named = (await list()).filter(({ name }) => name === 'Old')
    expect(named.map(({ id, replaced }) => [id === apiKey.id, replaced])).toEqual([
      [false, false],
      [true, true],
    ])
  })

  test('another team sees none of them', async () => {
    const other = await api.owner()
    const answer = await api.call(other.session_token, 'GET', '/v1/keys')
    expect(answer.body).toMatchObject({ data: [{ name: 'First key' }] })
    expect(JSON.stringify(answer.body)).not.toContain('Listed')
  })

  test('a key may list, as that changes nothing', async () => {
    expect(await statusOf(await api.key(owner, 'read'))).toBe(200)
  })

  test('the store holds no key, only its hash', async () => {
    const { key } = await create({ name: 'Hashed' })
    const rows = await api.services.store.any(
      sql.type(row({ text: Type.String() }))`select k::text as text from api_keys k`,
    )
    expect(JSON.stringify(rows)).not.toContain(key.slice(8))
  })
})

describe('rotating', () => {
  test('without grace the old key stops at once, and the new one has its name, scopes and expiry', async () => {
    const expires_at = inHours(5)
    const old = await create({ name: 'Rotated', scopes: ['read', 'write'], expires_at })
    const fresh = await rotate(old.apiKey.id, 0)
    expect(fresh.apiKey).toEqual({ ...old.apiKey, id: fresh.apiKey.id })
    expect(fresh.apiKey.id).not.toBe(old.apiKey.id)
    expect([await statusOf(old.key), await statusOf(fresh.key)]).toEqual([401, 200])
  })

  test('with grace both work until it ends', async () => {
    const old = await create({ name: 'Graceful' })
    const fresh = await rotate(old.apiKey.id, 1)
    expect([await statusOf(old.key), await statusOf(fresh.key)]).toEqual([200, 200])
    const ends = (await list()).find(({ id }) => id === old.apiKey.id)?.['expires_at']
    expect(Date.parse(String(ends)) - Date.now()).toBeGreaterThan(3_500_000)
    expect(Date.parse(String(ends)) - Date.now()).toBeLessThanOrEqual(3_601_000)
  })

  test('a key that has been replaced is not replaced again, also not by two at once; its grace stays', async () => {
    const old = await create({ name: 'Twice' })
    const again = () =>
      api.call(owner.session_token, 'POST', `/v1/keys/${old.apiKey.id}/rotate`, { grace_period_hours: 2 })
    const both = await Promise.all([again(), again()])
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409])
    const endOf = async () => (await list()).find(({ id }) => id === old.apiKey.id)?.['expires_at']
    const end = await endOf()
    expect(await again()).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } })
    expect(await endOf()).toBe(end)
    expect((await list()).filter(({ name }) => name === 'Twice')).toHaveLength(2)
  })

  test('grace never outlives the expiry of the old key', async () => {
    const expires_at = inHours(2)
    const old = await create({ name: 'Short', expires_at })
    const fresh = await rotate(old.apiKey.id, 168)
    expect((await list()).find(({ id }) => id === old.apiKey.id)).toMatchObject({ expires_at })
    expect(fresh.apiKey.expires_at).toBe(expires_at)
  })

  test.each([-1, 169, 1.5, '1', null, undefined])('%s hours of grace are refused', async (grace_period_hours) => {
    const { apiKey } = await create({ name: 'Bounds' })
    const answer = await api.call(owner.session_token, 'POST', `/v1/keys/${apiKey.id}/rotate`, { grace_period_hours })
    expect(answer).toMatchObject({ status: 422, body: { error: { details: [{ path: 'grace_period_hours' }] } } })
  })

  test('it is audited on the old key', async () => {
    const old = await create({ name: 'Audited rotation' })
    const fresh = await rotate(old.apiKey.id, 3)
    expect((await audit('api_key.rotated')).at(-1)).toMatchObject({
      target_id: old.apiKey.id,
      target_label: old.key.slice(0, 8),
      metadata: { new_key_id: fresh.apiKey.id, grace_period_hours: 3 },
    })
  })
})

describe('deleting', () => {
  test('the key stops working, is listed no more, and is audited', async () => {
    const { key, apiKey } = await create({ name: 'Deleted' })
    expect(await api.call(owner.session_token, 'DELETE', `/v1/keys/${apiKey.id}`)).toMatchObject({
      status: 204,
      body: undefined,
    })
    expect(await statusOf(key)).toBe(401)
    expect((await list()).map(({ id }) => id)).not.toContain(apiKey.id)
    expect((await audit('api_key.deleted')).at(-1)).toMatchObject({ target_id: apiKey.id })
  })

  test('a key that worked a moment ago stops within a second', async () => {
    const { key, apiKey } = await create({ name: 'Warm' })
    expect(await statusOf(key)).toBe(200)
    await api.call(owner.session_token, 'DELETE', `/v1/keys/${apiKey.id}`)
    const began = performance.now()
    let lastAskedMs = 0
    const look = async () => {
      const askedMs = performance.now() - began
      const status = await statusOf(key)
      if (status === 200) lastAskedMs = askedMs
      return status
    }
    await expect.poll(look).toBe(401)
    // An answer on a busy machine may come later than a second after it was asked for.
    expect(lastAskedMs).toBeLessThan(1_000)
  })

  test.each(['DELETE', 'POST'])('%s of a key that is unknown, foreign, gone or misspelt is 404', async (method) => {
    const other = await api.owner()
    const foreign: readonly { id: string }[] =
      (await api.call(other.session_token, 'GET', '/v1/keys')).body['data'] ?? []
    const { apiKey } = await create({ name: 'Gone' })
    await api.call(owner.session_token, 'DELETE', `/v1/keys/${apiKey.id}`)
    for (const id of [crypto.randomUUID(), foreign[0]?.id, apiKey.id, '17', 'a%2Fb', '%00', 'x'.repeat(300)]) {
      const url = method === 'POST' ? `/v1/keys/${id}/rotate` : `/v1/keys/${id}`
      const answer = await api.call(
        owner.session_token,
        method,
        url,
        method === 'POST' ? { grace_period_hours: 0 } : undefined,
      )
      expect(answer, url).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
    }
    expect((await api.call(other.session_token, 'GET', '/v1/keys')).body['data']).toHaveLength(1)
  })
})
