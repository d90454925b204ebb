import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { newApiKeyText } from '../../../store/accounts/credentials/api-key-text.ts'
import { insertApiKey } from '../../../store/accounts/credentials/api-keys.ts'
import { newSessionToken, signSessionToken } from '../../../store/accounts/credentials/session-token.ts'
import { nothing, row } from '../../../store/db/row.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

let api: TestApi
let owner: CreatedOwner
beforeAll(async () => {
  api = await createTestApi()
  owner = await api.owner()
})
afterAll(() => api.close())

const withHeader = async (authorization: string | undefined, url = '/v1/keys') => {
  const answer = await api.app.inject({ url, headers: authorization === undefined ? {} : { authorization } })
  const { requestId: _, ...error } = answer.json().error ?? {}
  return { status: answer.statusCode, error, challenge: answer.headers['www-authenticate'] }
}

const expired = async () => {
  const { team_id: teamId, user_id: userId } = owner
  const made = await insertApiKey(api.services.store, {
    teamId,
    userId,
    name: 'Old',
    scopes: ['read'],
    expiresAt: '2999-01-01T00:00:00Z',
  })
  await api.services.store.query(
    sql.type(nothing)`update api_keys set expires_at = clock() - interval '1 s' where id = ${made!.id}`,
  )
  return made!.key
}
const revoked = async () => {
  const key = await api.key(owner, 'read')
  await api.services.store.query(sql.type(nothing)`
    update api_keys set revoked_at = clock() where prefix = ${key.slice(0, 8)} and name = 'Test key'`)
  return key
}

test('missing, malformed, unknown, expired and revoked credentials have one and the same 401', async () => {
  const good = owner.api_key
  const typo = good.slice(0, -1) + (good.endsWith('a') ? 'b' : 'a')
  const credentials = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    good,
    `Basic ${Buffer.from(`${good}:`).toString('base64')}`,
    `Bearer ${good} ${good}`,
    `Bearer ${typo}`,
    `Bearer ${good.slice(4)}`,
    `Bearer ${newApiKeyText()}`,
    `Bearer ${await expired()}`,
    `Bearer ${await revoked()}`,
    `Bearer ${signSessionToken(newSessionToken(), api.services.sessionKey)}`,
    `Bearer ${owner.session_token.split('.')[0]}`,
    `Bearer ${owner.session_token.slice(0, -3)}`,
    `Bearer ${'.'.repeat(40)}`,
    'Bearer %E0%A4%A',
  ]
  for (const credential of credentials) {
    expect(await withHeader(credential), credential).toEqual({
      status: 401,
      error: { code: 'UNAUTHORIZED', message: 'The credentials are missing or not valid.', details: [] },
      challenge: 'Bearer',
    })
  }
})

test('a key in the address is no credential', async () => {
  for (const name of ['api_key', 'key', 'access_token', 'token', 'authorization'])
    expect(await withHeader(undefined, `/v1/keys?${name}=${owner.api_key}`)).toMatchObject({ status: 401 })
})

test('a key and a signed session are both taken as Bearer, in any case of the word', async () => {
  for (const credential of [owner.api_key, owner.session_token, encodeURIComponent(owner.session_token)])
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect(await withHeader(`${scheme} ${credential}`)).toMatchObject({ status: 200 })
})

test('a header decides alone: a good cookie does not make up for a bad key', async () => {
  const cookie = `tidemark.session_token=${encodeURIComponent(owner.session_token)}`
  expect((await api.app.inject({ url: '/v1/keys', headers: { cookie } })).statusCode).toBe(200)
  const both = { cookie, authorization: `Bearer ${newApiKeyText()}` }
  expect((await api.app.inject({ url: '/v1/keys', headers: both })).statusCode).toBe(401)
})

test('what the database holds of a session opens nothing', async () => {
  const { token } = await api.services.store.one(sql.type(row({ token: Type.String() }))`
    select token from auth.sessions where user_id = ${owner.user_id}`)
  expect(await withHeader(`Bearer ${token}`)).toMatchObject({ status: 401 })
  expect(await withHeader(`Bearer ${signSessionToken(token, 'another key')}`)).toMatchObject({ status: 401 })
  expect(await withHeader(`Bearer ${signSessionToken(token, api.services.sessionKey)}`)).toMatchObject({ status: 200 })
})

test('an expired session is no credential', async () => {
  const { session_token } = await api.owner()
  await api.services.store.query(sql.type(nothing)`
    update auth.sessions set expires_at = now() - interval '1 s' where token = ${session_token.split('.')[0] ?? ''}`)
  expect(await withHeader(`Bearer ${session_token}`)).toMatchObject({ status: 401 })
})

test('the use of a key is noted at most once a minute', async () => {
  const key = await api.key(owner, 'read')
  const lastUsed = async () => {
    const query = sql.type(row({ at: Type.Union([Type.String(), Type.Null()]) }))`
      select last_used_at as at from api_keys where prefix = ${key.slice(0, 8)} and name = 'Test key'
        order by created_at desc limit 1`
    return api.services.store.oneFirst(query)
  }
  const age = (interval: string) =>
    api.services.store.query(
      sql.type(
        nothing,
      )`update api_keys set last_used_at = clock() - ${interval}::interval where prefix = ${key.slice(0, 8)}`,
    )
  expect(await lastUsed()).toBeNull()
  await api.services.principals.find({ authorization: `Bearer ${key}` })
  expect(await lastUsed()).not.toBeNull()

  await age('59 seconds')
  const before = await lastUsed()
  await api.key(owner, 'read')
  const fresh = await createTestPrincipals()
  await fresh.find({ authorization: `Bearer ${key}` })
  expect(await lastUsed()).toBe(before)

  await age('61 seconds')
  const again = await createTestPrincipals()
  await again.find({ authorization: `Bearer ${key}` })
  expect(Date.parse(String(await lastUsed()))).toBeGreaterThan(Date.parse(String(before)))
})

async function createTestPrincipals() {
  const { createPrincipals } = await import('../../../api/auth/principals.ts')
  return createPrincipals(api.services.store, { key: api.services.sessionKey, cookieName: 'x' })
}

test('a session acts in its active team, with the role of now, and in its own team after leaving', async () => {
  const session = await api.member(owner, 'viewer')
  const find = async () => (await createTestPrincipals()).find({ authorization: `Bearer ${session}` })
  expect(await find()).toMatchObject({ kind: 'session', teamId: owner.team_id, role: 'viewer', viaCookie: false })
  const userId = (await find())!.userId
  await api.services.store.query(
    sql.type(nothing)`update team_members set role = 'admin' where user_id = ${userId} and team_id = ${owner.team_id}`,
  )
  expect(await find()).toMatchObject({ teamId: owner.team_id, role: 'admin' })
  await api.services.store.query(
    sql.type(nothing)`delete from team_members where user_id = ${userId} and team_id = ${owner.team_id}`,
  )
  const left = await find()
  expect(left).toMatchObject({ role: 'owner' })
  expect(left!.teamId).not.toBe(owner.team_id)
})

test('a cookie may only change things for pages of our own', async () => {
  const cookie = `tidemark.session_token=${encodeURIComponent(owner.session_token)}`
  const post = (headers: Record<string, string>) =>
    api.app.inject({
      method: 'POST',
      url: '/v1/keys',
      headers: { cookie, 'content-type': 'application/json', ...headers },
      payload: '{"name":"a"}',
    })
  const refused = [
    {},
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:8081' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  ]
  for (const headers of refused)
    expect((await post(headers)).json().error, JSON.stringify(headers)).toMatchObject({ code: 'FORBIDDEN' })
  expect((await post({ 'sec-fetch-site': 'same-origin' })).statusCode).toBe(201)
  expect((await post({ origin: 'http://127.0.0.1:8080' })).statusCode).toBe(201)
  const form = { 'content-type': 'text/plain', 'sec-fetch-site': 'same-origin' }
  expect((await post(form)).statusCode).toBe(415)
})
