import { describe, expect, test } from 'vitest'
import { POLICIES } from '../../../api/auth/policies.ts'
import { Me } from '../../../schema/account/me.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { createTestApi } from '../../support/api/test-api.ts'
import { shared } from '../../support/run/shared.ts'

const api = shared(() => createTestApi())

async function me(credential: string): Promise<Me> {
  const { status, body } = await api.call(credential, 'GET', '/v1/me')
  expect([status, checkerOf(Me).validate(body)]).toMatchObject([200, { ok: true }])
  return body as never
}

describe('GET /v1/me', () => {
  test('tells a person who they are, their teams, and all that an owner may do', async () => {
    const owner = await api.owner()
    const { user, api_key, team, teams, permissions } = await me(owner.session_token)
    expect({ user, api_key }).toMatchObject({
      user: { id: owner.user_id, email: owner.email, has_password: true },
      api_key: null,
    })
    expect(team).toMatchObject({ id: owner.team_id, role: 'owner' })
    expect(teams).toMatchObject([{ id: owner.team_id, is_personal: true, active: true }])
    expect(permissions).toEqual(Object.keys(POLICIES))
  })

  test('tells a person who has no password', async () => {
    const owner = await api.owner()
    await api.sql(`delete from auth.accounts where user_id = '${owner.user_id}'`)
    expect((await me(owner.session_token)).user).toMatchObject({ has_password: false })
  })

  test('tells a viewer what is allowed, and nothing more', async () => {
    const owner = await api.owner()
    const { permissions, teams } = await me(await api.member(owner, 'viewer'))
    expect(permissions).toContain('monitors.read')
    expect(permissions).not.toContain('monitors.write')
    expect(teams).toHaveLength(2)
    expect(teams.find(({ active }) => active)).toMatchObject({ id: owner.team_id, role: 'viewer' })
  })

  test('tells a key its scopes, and no person', async () => {
    const owner = await api.owner()
    expect(await me(await api.key(owner, 'read'))).toMatchObject({
      user: null,
      api_key: { scopes: ['read'] },
      team: { id: owner.team_id, role: 'api_key' },
      teams: [],
    })
  })

  test('tells what the installation has', async () => {
    const owner = await api.owner()
    const { installation } = await me(owner.session_token)
    expect(installation).toMatchObject({ mail: false, sign_in: ['password'], sign_up: 'invite', browser: false })
    expect(installation.version).toMatch(/^\d+\.\d+\.\d+/)
    await using open = await openedApi()
    const other = await open.owner()
    const answer = await open.call(other.session_token, 'GET', '/v1/me')
    expect(answer.body['installation']).toMatchObject({ mail: true, sign_up: 'open' })
  })
})

describe('A request that names its team', () => {
  const ask = (credential: string, team: string) =>
    api.app.inject({ url: '/v1/monitors', headers: { authorization: `Bearer ${credential}`, 'tidemark-team': team } })

  test('is answered while the session acts for this team', async () => {
    const owner = await api.owner()
    expect((await ask(owner.session_token, owner.team_id)).statusCode).toBe(200)
    expect((await ask(owner.session_token, owner.team_id.toUpperCase())).statusCode).toBe(200)
    expect((await ask(owner.api_key, owner.team_id)).statusCode).toBe(200)
  })

  test('is 409 once the session acts for another one, and changes nothing', async () => {
    const [owner, other] = [await api.owner(), await api.owner()]
    for (const team of [other.team_id, 'x', '']) {
      const answer = await ask(owner.session_token, team)
      expect([answer.statusCode, answer.json()]).toMatchObject([409, { error: { code: 'CONFLICT' } }])
    }
  })
})

async function openedApi() {
  const open = await createTestApi({ signUp: 'open', hasMail: true })
  return { ...open, [Symbol.asyncDispose]: () => open.close() }
}
