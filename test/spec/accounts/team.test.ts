import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pathsOf } from '../../support/api/monitor-requests.ts'
import {
  acceptAs,
  accountOf,
  invite,
  mailedToken,
  type Person,
  personOf,
  plusDays,
  tokenFor,
} from '../../support/api/people.ts'
import { type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'

let served: ServedApi
let owner: Person
beforeAll(async () => {
  served = await serveApi('scale', { hasMail: true })
  owner = personOf(served, served.owner)
})
afterAll(() => served.close())

/** A new team of a plan, its owner, and people who have joined with a role. */
async function team(plan: 'free' | 'starter' | 'pro' | 'scale' = 'pro') {
  const boss = await accountOf(served, plan)
  const join = async (role: 'admin' | 'member' | 'viewer') => {
    const person = await stranger()
    const token = await tokenFor(served, boss, person, role)
    expect((await acceptAs(person, token)).status).toBe(200)
    return person
  }
  return { boss, join }
}
const stranger = () => accountOf(served)
const keyOf = async ({ client }: Person) => served.as((await client.post('/v1/keys', { name: 'a' })).body.key)
const codeOf = ({ status, body }: Awaited<ReturnType<Client['get']>>) => [status, body?.error?.code]

describe('GET /v1/team', () => {
  test('answers the team with its seats, and the role of the caller', async () => {
    const { boss, join } = await team('pro')
    const viewer = await join('viewer')
    await invite(boss, 'pending@example.com')
    const found = await boss.client.get('/v1/team')
    expect(found.body).toEqual({
      id: boss.account.team_id,
      name: expect.stringMatching(/^.{1,80}$/),
      owner_user_id: boss.account.user_id,
      owner_email: boss.account.email,
      role: 'owner',
      tier: 'pro',
      member_count: 2,
      pending_invites: 1,
      max_members: 10,
      created_at: expect.stringMatching(/Z$/),
    })
    expect((await viewer.client.get('/v1/team')).body).toEqual({ ...found.body, role: 'viewer' })
    expect((await (await keyOf(boss)).get('/v1/team')).body).toEqual({ ...found.body, role: 'api_key' })
  })

  test.each([
    ['free', 2],
    ['lite', 2],
    ['starter', 3],
    ['pro', 10],
    ['scale', 25],
  ] as const)('the plan %s has %i seats', async (plan, seats) => {
    const { client } = await accountOf(served, plan)
    expect((await client.get('/v1/team')).body).toMatchObject({ tier: plan, max_members: seats })
  })
})

describe('PATCH /v1/team', () => {
  test('gives a new name, trimmed', async () => {
    const { boss, join } = await team()
    expect((await boss.client.patch('/v1/team', { name: '  Night shift ' })).body).toMatchObject({
      name: 'Night shift',
      role: 'owner',
    })
    const admin = await join('admin')
    expect((await admin.client.patch('/v1/team', { name: 'n' })).body).toMatchObject({ name: 'n', role: 'admin' })
    expect((await boss.client.get('/v1/team')).body['name']).toBe('n')
  })

  test('takes names of 1 to 80 characters', async () => {
    const { boss } = await team()
    for (const name of ['a', 'ä'.repeat(80), ` ${'🜁'.repeat(80)}\n`])
      expect((await boss.client.patch('/v1/team', { name })).status).toBe(200)
    for (const name of ['', '  ', 'a'.repeat(81), 5, null])
      expect([name, pathsOf(await boss.client.patch('/v1/team', { name }))]).toEqual([name, ['name']])
    expect(pathsOf(await boss.client.patch('/v1/team', {}))).toEqual(['name'])
  })

  test.each(['member', 'viewer'] as const)('a %s may not', async (role) => {
    const { boss, join } = await team()
    const person = await join(role)
    const refused = await person.client.patch('/v1/team', { name: 'Taken over' })
    expect(codeOf(refused)).toEqual([403, 'FORBIDDEN'])
    expect(refused.body.error.message).toBe(
      `Your role ${role} does not allow you to rename the team (team.rename). Ask a team admin or the owner.`,
    )
    expect((await boss.client.get('/v1/team')).body['name']).not.toBe('Taken over')
  })
})

describe('the teams of a person', () => {
  test('GET /v1/team/list has each with the role, the own one first, and is not paginated', async () => {
    const { boss } = await team()
    const person = await stranger()
    const own = (await person.client.get('/v1/team')).body
    await acceptAs(person, await tokenFor(served, boss, person, 'viewer'))
    const list = await person.client.get('/v1/team/list')
    expect(list.body).toEqual({
      data: [
        {
          id: person.account.team_id,
          name: own['name'],
          role: 'owner',
          owner_email: person.account.email,
          is_personal: true,
          active: false,
        },
        {
          id: boss.account.team_id,
          name: (await boss.client.get('/v1/team')).body['name'],
          role: 'viewer',
          owner_email: boss.account.email,
          is_personal: false,
          active: true,
        },
      ],
    })
  })

  test('POST /v1/team/switch makes a team active for the session, and for no other session', async () => {
    const { boss, join } = await team()
    const person = await join('member')
    const other = await person.signInAgain()
    const back = await person.client.post('/v1/team/switch', { team_id: person.account.team_id })
    expect(back).toMatchObject({ status: 200, body: { team_id: person.account.team_id } })
    expect((await person.client.get('/v1/team')).body).toMatchObject({ id: person.account.team_id, role: 'owner' })
    await other.post('/v1/team/switch', { team_id: boss.account.team_id.toUpperCase() })
    expect((await other.get('/v1/team')).body).toMatchObject({ id: boss.account.team_id, role: 'member' })
    expect((await person.client.get('/v1/team')).body).toMatchObject({ id: person.account.team_id })
  })

  test('a team that the user does not belong to is 404, and nothing changes', async () => {
    const { boss } = await team()
    for (const team_id of [boss.account.team_id, crypto.randomUUID()])
      expect(codeOf(await owner.client.post('/v1/team/switch', { team_id }))).toEqual([404, 'NOT_FOUND'])
    expect(pathsOf(await owner.client.post('/v1/team/switch', { team_id: 'mine' }))).toEqual(['team_id'])
    expect((await owner.client.get('/v1/team')).body).toMatchObject({ id: owner.account.team_id })
  })

  test('all data belongs to the team, and the plan of its owner applies to everyone in it', async () => {
    const { boss, join } = await team('pro')
    const person = await join('member')
    const monitor = { name: 'a', url: 'https://example.com/', schedule_interval_seconds: 60 }
    const rest = { extract_config: { method: 'full_page' }, diff_predicate: { type: 'any_field_changes' } }
    const { id } = (await person.client.post('/v1/monitors', { ...monitor, ...rest })).body
    expect((await boss.client.get(`/v1/monitors/${id}`)).body).toMatchObject({ user_id: person.account.user_id })
    expect((await person.client.get('/v1/usage')).body).toMatchObject({ tier: 'pro' })
    await person.client.post('/v1/team/switch', { team_id: person.account.team_id })
    expect((await person.client.get(`/v1/monitors/${id}`)).status).toBe(404)
    expect((await person.client.get('/v1/usage')).body).toMatchObject({ tier: 'free' })
  })
})

describe('GET /v1/team/members', () => {
  test('answers members and pending invitations', async () => {
    const { boss, join } = await team()
    const admin = await join('admin')
    const pending = await invite(boss, 'Pending@Example.com', 'viewer')
    const { email_sent: _, ...invitation } = pending.body as Record<string, unknown>
    const found = await admin.client.get('/v1/team/members')
    expect(found.body).toEqual({
      members: [
        {
          user_id: boss.account.user_id,
          email: boss.account.email,
          name: expect.any(String),
          role: 'owner',
          joined_at: expect.any(String),
        },
        {
          user_id: admin.account.user_id,
          email: admin.account.email,
          name: expect.any(String),
          role: 'admin',
          joined_at: expect.any(String),
        },
      ],
      invitations: [invitation],
    })
    expect((await (await keyOf(boss)).get('/v1/team/members')).body).toEqual(found.body)
  })

  test.each(['member', 'viewer'] as const)('a %s may not', async (role) => {
    const person = await (await team()).join(role)
    expect(codeOf(await person.client.get('/v1/team/members'))).toEqual([403, 'FORBIDDEN'])
  })
})

describe('PATCH /v1/team/members/{userId}', () => {
  test('changes the role, at once', async () => {
    const { boss, join } = await team()
    const person = await join('viewer')
    const path = `/v1/team/members/${person.account.user_id}`
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const changed = await boss.client.patch(path, { role })
      expect(changed).toMatchObject({ status: 200, body: { user_id: person.account.user_id, role } })
      expect((await person.client.get('/v1/team')).body).toMatchObject({ role })
    }
  })

  test('an admin can manage other admins, members and viewers', async () => {
    const { join } = await team()
    const [admin, other, viewer] = [await join('admin'), await join('admin'), await join('viewer')]
    for (const { account } of [other, viewer])
      expect((await admin.client.patch(`/v1/team/members/${account.user_id}`, { role: 'member' })).body).toMatchObject({
        role: 'member',
      })
  })

  test("nobody changes the owner's role, or their own", async () => {
    const { boss, join } = await team()
    const admin = await join('admin')
    const cases = [
      [admin, boss, "Your role admin does not allow you to change the owner's role (members.manage)."],
      [admin, admin, 'Your role admin does not allow you to change your own role (members.manage).'],
      [boss, boss, 'Your role owner does not allow you to change your own role (members.manage).'],
    ] as const
    for (const [who, whose, message] of cases) {
      const refused = await who.client.patch(`/v1/team/members/${whose.account.user_id}`, { role: 'viewer' })
      expect(codeOf(refused)).toEqual([403, 'FORBIDDEN'])
      expect(refused.body.error.message).toBe(`${message} Ask a team admin or the owner.`)
    }
    expect((await boss.client.get('/v1/team')).body).toMatchObject({ role: 'owner' })
  })

  test('takes admin, member and viewer only: ownership cannot be transferred', async () => {
    const { boss, join } = await team()
    const path = `/v1/team/members/${(await join('admin')).account.user_id}`
    for (const role of ['owner', 'api_key', '', null, undefined])
      expect(pathsOf(await boss.client.patch(path, { role }))).toEqual(['role'])
  })

  test('somebody who is not a member is 404', async () => {
    const { boss } = await team()
    for (const id of [owner.account.user_id, crypto.randomUUID(), 'me'])
      expect(codeOf(await boss.client.patch(`/v1/team/members/${id}`, { role: 'admin' }))).toEqual([404, 'NOT_FOUND'])
  })
})

describe('DELETE /v1/team/members/{userId}', () => {
  test('removes a member: left is false, and the team is closed to them at once', async () => {
    const { boss, join } = await team()
    const person = await join('member')
    const removed = await boss.client.delete(`/v1/team/members/${person.account.user_id}`)
    expect(removed).toMatchObject({ status: 200, body: { left: false } })
    expect((await person.client.get('/v1/team')).body).toMatchObject({ id: person.account.team_id, role: 'owner' })
    expect((await boss.client.get('/v1/team')).body).toMatchObject({ member_count: 1 })
  })

  test.each(['viewer', 'member', 'admin'] as const)('with the own id, a %s leaves: left is true', async (role) => {
    const { boss, join } = await team()
    const person = await join(role)
    const left = await person.client.delete(`/v1/team/members/${person.account.user_id}`)
    expect(left).toMatchObject({ status: 200, body: { left: true } })
    expect((await person.client.get('/v1/team/list')).body.data).toHaveLength(1)
    expect((await boss.client.get('/v1/team')).body).toMatchObject({ member_count: 1 })
  })

  test('the owner cannot leave or be removed', async () => {
    const { boss, join } = await team()
    const admin = await join('admin')
    for (const who of [boss, admin])
      expect(codeOf(await who.client.delete(`/v1/team/members/${boss.account.user_id}`))).toEqual([403, 'FORBIDDEN'])
    expect((await boss.client.get('/v1/team')).body).toMatchObject({ role: 'owner', member_count: 2 })
  })

  test('members and viewers remove nobody else', async () => {
    const { boss, join } = await team()
    const [member, viewer] = [await join('member'), await join('viewer')]
    for (const [who, whose] of [
      [member, viewer],
      [viewer, member],
      [viewer, boss],
    ] as const)
      expect(codeOf(await who.client.delete(`/v1/team/members/${whose.account.user_id}`))).toEqual([403, 'FORBIDDEN'])
    expect((await boss.client.get('/v1/team')).body).toMatchObject({ member_count: 3 })
  })

  test("a removed member's keys go on working: they are the team's", async () => {
    const { boss, join } = await team()
    const admin = await join('admin')
    const { key } = (await admin.client.post('/v1/keys', { name: 'CI', scopes: ['read', 'write'] })).body
    await boss.client.delete(`/v1/team/members/${admin.account.user_id}`)
    expect((await served.as(key).get('/v1/team')).body).toMatchObject({ id: boss.account.team_id })
  })
})

describe('who may invite, send again and revoke', () => {
  test('an admin may; a member and a viewer are 403', async () => {
    const boss = await accountOf(served, 'pro')
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const person = await stranger()
      await acceptAs(person, await tokenFor(served, boss, person, role))
      const { id } = (await invite(boss, `${role}.invited@example.com`)).body
      const statuses = [
        (await invite(person, `${role}.second@example.com`)).status,
        (await person.client.post(`/v1/team/invitations/${id}/resend`)).status,
        (await person.client.delete(`/v1/team/invitations/${id}`)).status,
      ]
      expect([role, ...statuses]).toEqual(role === 'admin' ? [role, 201, 200, 204] : [role, 403, 403, 403])
    }
  })
})

describe('who may call the team routes', () => {
  const routes = (id: string): [string, string, unknown?][] => [
    ['patch', '/v1/team', { name: 'a' }],
    ['get', '/v1/team/list'],
    ['post', '/v1/team/switch', { team_id: id }],
    ['post', '/v1/team/members/invite', { email: 'a@example.com' }],
    ['patch', `/v1/team/members/${id}`, { role: 'admin' }],
    ['delete', `/v1/team/members/${id}`],
    ['post', '/v1/team/accept', { token: 'a' }],
    ['post', `/v1/team/invitations/${id}/resend`],
    ['delete', `/v1/team/invitations/${id}`],
  ]

  test('an API key is answered 403 FORBIDDEN by all but three of them', async () => {
    for (const [method, path, body] of routes(crypto.randomUUID())) {
      const answer = await served.me[method as 'post'](path, body)
      expect([path, ...codeOf(answer)]).toEqual([path, 403, 'FORBIDDEN'])
      expect(answer.body.error.message).toMatch(/^An API key does not allow you to .+ \(.+\)\. Ask a team admin or the/)
    }
    for (const path of ['/v1/team', '/v1/team/members']) expect((await served.me.get(path)).status).toBe(200)
  })

  test('without credentials they are 401, but for the preview of an invitation', async () => {
    const nobody = served.as(null)
    for (const [method, path, body] of routes(crypto.randomUUID()))
      expect([path, (await nobody[method as 'post'](path, body)).status]).toEqual([path, 401])
    expect((await nobody.get('/v1/team/invitation?token=a')).status).toBe(404)
  })

  test('they are served under /v1/team only', async () => {
    expect((await owner.client.get('/api/v1/team')).status).toBe(404)
  })

  test("another team's members and invitations are 404, and nothing happens to them", async () => {
    const { boss, join } = await team()
    const member = await join('member')
    const { id } = (await invite(boss, 'far@example.com')).body
    const before = (await boss.client.get('/v1/team/members')).body
    for (const [method, path, body] of [
      ['patch', `/v1/team/members/${member.account.user_id}`, { role: 'admin' }],
      ['delete', `/v1/team/members/${member.account.user_id}`, undefined],
      ['post', `/v1/team/invitations/${id}/resend`, undefined],
      ['delete', `/v1/team/invitations/${id}`, undefined],
    ] as const)
      expect([path, ...codeOf(await owner.client[method as 'post'](path, body))]).toEqual([path, 404, 'NOT_FOUND'])
    expect((await boss.client.get('/v1/team/members')).body).toEqual(before)
  })
})

test('every account has exactly one team, made with it, which it owns', async () => {
  const person = await stranger()
  expect((await person.client.get('/v1/team/list')).body.data).toEqual([
    expect.objectContaining({ is_personal: true, role: 'owner', active: true }),
  ])
  expect(plusDays('2026-01-01T00:00:00.000Z', 7)).toBe('2026-01-08T00:00:00.000Z')
})

test('a person without an account signs up with the invited address first, and has a team of their own', async () => {
  const boss = await accountOf(served, 'pro')
  const email = `new-${crypto.randomUUID()}@example.com`
  expect((await invite(boss, email, 'viewer')).status).toBe(201)
  const token = await mailedToken(served, email)
  const nobody = served.as(null)
  const signUp = (address: string) =>
    nobody.post('/auth/sign-up/email', { name: 'New', email: address, password: 'correct horse', invitation: token })
  expect(codeOf(await signUp(`other-${email}`))).toEqual([403, 'FORBIDDEN'])
  expect((await signUp(email)).status).toBe(200)
  const { body } = await nobody.post('/auth/sign-in/email', { email, password: 'correct horse' })
  const client = served.as(String(body['token']))
  expect((await client.get('/v1/team/list')).body.data).toMatchObject([{ is_personal: true, role: 'owner' }])
  expect((await acceptAs({ client }, token)).status).toBe(200)
  expect((await client.get('/v1/team/list')).body.data).toMatchObject([
    { is_personal: true, role: 'owner', active: false },
    { is_personal: false, role: 'viewer', active: true },
  ])
})
