import { describe, expect, test } from 'vitest'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { newSessionToken, signSessionToken } from '../../../store/accounts/credentials/session-token.ts'
import { openSession } from '../../../store/accounts/credentials/sessions.ts'
import { createTestApi } from '../../support/api/test-api.ts'
import { shared } from '../../support/run/shared.ts'

const api = shared(() => createTestApi())

interface Session {
  readonly id: string
  readonly current: boolean
  readonly ip_address: string | null
  readonly user_agent: string | null
}

async function list(token: string): Promise<readonly Session[]> {
  const { status, body } = await api.call(token, 'GET', '/v1/account/sessions')
  expect(status).toBe(200)
  return body['data'] as unknown as readonly Session[]
}

async function another({ user_id: userId }: CreatedOwner): Promise<string> {
  const token = newSessionToken()
  await openSession(api.services.store, userId, token)
  return signSessionToken(token, api.services.sessionKey)
}

describe('GET /v1/account/sessions', () => {
  test('lists those of the account that are open, and which one asks, without their tokens', async () => {
    const owner = await api.owner()
    await api.owner()
    const second = await another(owner)
    await another(owner)
    await api.sql(`
      update auth.sessions set expires_at = now() - interval '1 s'
      where id = (select id from auth.sessions where user_id = '${owner.user_id}' order by created_at desc limit 1)`)
    const sessions = await list(second)
    expect(sessions.map(({ current }) => current)).toEqual([true, false])
    expect(Object.keys(sessions[0] ?? {}).toSorted()).toEqual([
      'created_at',
      'current',
      'expires_at',
      'id',
      'ip_address',
      'user_agent',
    ])
  })

  test('cuts what a browser says of itself, and lists 100 at most', async () => {
    const owner = await api.owner()
    await api.sql(`
      insert into auth.sessions (user_id, token, expires_at, ip_address, user_agent)
      select '${owner.user_id}', gen_random_uuid()::text, now() + interval '1 day', '192.0.2.1', repeat('x', 5000)
      from generate_series(1, 120)`)
    const sessions = await list(owner.session_token)
    expect([sessions.length, sessions[0]?.user_agent?.length, sessions[0]?.ip_address]).toEqual([100, 300, '192.0.2.1'])
  })
})

describe('DELETE /v1/account/sessions/{id}', () => {
  test('ends that session, and no other one', async () => {
    const owner = await api.owner()
    const second = await another(owner)
    const [id = ''] = (await list(owner.session_token)).filter(({ current }) => !current).map((one) => one.id)
    const end = () => api.call(owner.session_token, 'DELETE', `/v1/account/sessions/${id}`)
    expect((await end()).status).toBe(204)
    expect((await api.call(second, 'GET', '/v1/me')).status).toBe(401)
    expect((await api.call(owner.session_token, 'GET', '/v1/me')).status).toBe(200)
    expect((await end()).status).toBe(404)
  })

  test('does not end that of another person, also within one team', async () => {
    const owner = await api.owner()
    const admin = await api.member(owner, 'admin')
    const before = await list(admin)
    const [theirs] = before
    const { status } = await api.call(owner.session_token, 'DELETE', `/v1/account/sessions/${theirs?.id}`)
    expect(status).toBe(404)
    expect(await list(admin)).toEqual(before)
  })
})
