import { describe, expect, test } from 'vitest'
import type { Tier } from '../../../schema/account/plan.ts'
import { pathsOf } from '../../support/api/monitor-requests.ts'
import {
  acceptAs,
  accountOf,
  invite,
  mailedToken,
  type Person,
  personOf,
  plusDays,
  setClock,
  tokenFor,
} from '../../support/api/people.ts'
import { type Answer, serveApi } from '../../support/api/served-api.ts'
import { startMailWorker } from '../../support/mail/mail-worker.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi('scale', { hasMail: true }))

const account = (plan?: Tier) => accountOf(served, plan)
const look = (token: string) => served.as(null).get(`/v1/team/invitation?token=${encodeURIComponent(token)}`)
const idOf = async (boss: Person) => (await boss.client.get('/v1/team/members')).body['invitations'] as { id: string }[]
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]
const seats = async ({ client }: Person) => {
  const { member_count, pending_invites } = (await client.get('/v1/team')).body
  return { members: member_count, pending: pending_invites }
}
/** Previews have a limit for each address and minute. */
const nextMinute = () => served.api.sql('delete from rate_limits')

describe('POST /v1/team/members/invite', () => {
  test('answers 201 with the open invitation; the address is in lower case, the role member by default', async () => {
    const boss = await account('pro')
    const { status, body } = await boss.client.post('/v1/team/members/invite', { email: 'New.Person@Example.COM' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      email: 'new.person@example.com',
      role: 'member',
      invited_by_email: boss.account.email,
      expires_at: plusDays(body.created_at, 7),
      created_at: expect.stringMatching(/Z$/),
      email_sent: true,
    })
    expect((await look(await mailedToken(served, 'new.person@example.com'))).body).toEqual({
      state: 'open',
      team_name: (await boss.client.get('/v1/team')).body['name'],
      email: 'new.person@example.com',
      role: 'member',
      invited_by: boss.account.email,
      expires_at: body['expires_at'],
    })
  })

  test('takes admin, member and viewer, and a valid address of at most 254 characters', async () => {
    const boss = await account('scale')
    for (const role of ['admin', 'member', 'viewer'])
      expect((await invite(boss, `${role}@example.com`, role)).body).toMatchObject({ role })
    const long = `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.com`
    expect((await invite(boss, long.padEnd(254, 'm'))).status).toBe(201)
    for (const email of ['', 'nobody', 'a@b', 'a@example.com, b@example.com', long.padEnd(255, 'm'), null, undefined])
      expect(pathsOf(await boss.client.post('/v1/team/members/invite', { email }))).toEqual(['email'])
    for (const role of ['owner', 'guest', null])
      expect(pathsOf(await boss.client.post('/v1/team/members/invite', { email: 'a@example.com', role }))).toEqual([
        'role',
      ])
  })

  test('a member, or an address with a pending invitation, is 409', async () => {
    const boss = await account('pro')
    const person = await account()
    await invite(boss, 'wanted@example.com')
    expect(codeOf(await invite(boss, 'WANTED@example.com', 'admin'))).toEqual([409, 'CONFLICT'])
    await acceptAs(person, await tokenFor(served, boss, person))
    expect(codeOf(await invite(boss, person.account.email))).toEqual([409, 'CONFLICT'])
    expect(codeOf(await invite(boss, boss.account.email))).toEqual([409, 'CONFLICT'])
    expect(await seats(boss)).toEqual({ members: 2, pending: 1 })
  })

  test.each([
    ['free', 2],
    ['lite', 2],
    ['starter', 3],
    ['pro', 10],
    ['scale', 25],
  ] as const)('%s: the owner and every pending invitation take one of %i seats', async (plan, most) => {
    const boss = await account(plan)
    for (let seat = 2; seat <= most; seat += 1)
      expect([seat, (await invite(boss, `seat${seat}@example.com`)).status]).toEqual([seat, 201])
    const refused = await invite(boss, 'one.more@example.com')
    expect(codeOf(refused)).toEqual([429, 'TIER_LIMIT_EXCEEDED'])
    expect(refused.body.error.details).toEqual([{ path: 'email', limit: most, tier: plan }])
    expect(await seats(boss)).toEqual({ members: 1, pending: most - 1 })
  })

  test('a seat is free again once its invitation is revoked or expired, and taken when accepted', async () => {
    const boss = await account('free')
    const person = await account()
    const invited = await invite(boss, 'first@example.com')
    await boss.client.delete(`/v1/team/invitations/${invited.body.id}`)
    await invite(boss, 'second@example.com')
    await setClock(served, '7 days 1 second')
    try {
      expect(await seats(boss)).toEqual({ members: 1, pending: 0 })
      await acceptAs(person, await tokenFor(served, boss, person))
      expect(await seats(boss)).toEqual({ members: 2, pending: 0 })
      expect(codeOf(await invite(boss, 'third@example.com'))).toEqual([429, 'TIER_LIMIT_EXCEEDED'])
    } finally {
      await setClock(served, '0')
    }
  })

  test('of 20 invitations at once, as many succeed as there are seats', async () => {
    const boss = await account('starter')
    const answers = await Promise.all(Array.from({ length: 20 }, (_, nth) => invite(boss, `crowd${nth}@example.com`)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2)
    expect(await seats(boss)).toEqual({ members: 1, pending: 2 })
  })

  test('of ten invitations of one address at once, one succeeds', async () => {
    const boss = await account('pro')
    const answers = await Promise.all(Array.from({ length: 10 }, () => invite(boss, 'same@example.com')))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      201,
      ...Array.from({ length: 9 }, () => 409),
    ])
  })

  test('email_sent is false where no mail server is set', async () => {
    const silent = await serveApi('pro')
    const { body } = await invite(personOf(silent, silent.owner), 'a@example.com')
    expect(body['email_sent']).toBe(false)
    await silent.close()
  })
})

describe('GET /v1/team/invitation', () => {
  test('tells the state: open, expired, revoked or accepted', async () => {
    const boss = await account('pro')
    const person = await account()
    const accepted = await tokenFor(served, boss, person)
    await acceptAs(person, accepted)
    const { id } = (await invite(boss, 'revoked@example.com')).body
    await boss.client.delete(`/v1/team/invitations/${id}`)
    await invite(boss, 'open@example.com')
    const [revoked, open] = [
      await mailedToken(served, 'revoked@example.com'),
      await mailedToken(served, 'open@example.com'),
    ]
    await nextMinute()
    const state = async (token: string) => (await look(token)).body['state']
    expect([await state(accepted), await state(revoked), await state(open)]).toEqual(['accepted', 'revoked', 'open'])
    await setClock(served, '7 days 1 second')
    expect([await state(accepted), await state(revoked), await state(open)]).toEqual(['accepted', 'revoked', 'expired'])
    await setClock(served, '0')
  })

  test('an unknown token is 404, and one that is missing or too long 422', async () => {
    await nextMinute()
    for (const token of ['inv_unknown', 'x', '%00'.slice(1)])
      expect(codeOf(await look(token))).toEqual([404, 'NOT_FOUND'])
    expect(pathsOf(await served.as(null).get('/v1/team/invitation'))).toEqual(['token'])
    expect(pathsOf(await look('a'.repeat(201)))).toEqual(['token'])
  })

  test('an address may look ten times a minute; the eleventh is 429 with Retry-After', async () => {
    const fresh = await serveApi('pro')
    const statuses = []
    for (let nth = 0; nth < 11; nth += 1)
      statuses.push((await fresh.as(null).get('/v1/team/invitation?token=a')).status)
    // The minute may have ended in between.
    expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(10)
    const last = await fresh.as(fresh.owner.api_key).get('/v1/team/invitation?token=a')
    if (statuses.at(-1) === 429) {
      expect(codeOf(last)).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
      expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    await fresh.close()
  })
})

describe('POST /v1/team/accept', () => {
  test('adds the person with the invited role, and switches this session to the team', async () => {
    const boss = await account('pro')
    const person = await account()
    const other = await person.signInAgain()
    const token = await tokenFor(served, boss, person, 'viewer')
    const accepted = await acceptAs(person, token)
    const { id, name } = (await boss.client.get('/v1/team')).body
    expect(accepted).toMatchObject({ status: 200 })
    expect(accepted.body).toEqual({ team_id: id, team_name: name, role: 'viewer' })
    expect((await person.client.get('/v1/team')).body).toMatchObject({ id, role: 'viewer' })
    expect((await other.get('/v1/team')).body).toMatchObject({ id: person.account.team_id, role: 'owner' })
    expect((await boss.client.get('/v1/team/members')).body['members']).toMatchObject([
      { role: 'owner' },
      { user_id: person.account.user_id, email: person.account.email, role: 'viewer' },
    ])
  })

  test('tells the inviter by mail', async () => {
    const boss = await account('pro')
    const person = await account()
    const worker = await startMailWorker(served.api.services)
    try {
      const token = await tokenFor(served, boss, person)
      const invitation = await worker.letterTo(person.account.email, /invites you/)
      expect(invitation.mail.text).toContain(`/invitation?token=${token}`)
      await acceptAs(person, token)
      const letter = await worker.letterTo(boss.account.email, /joined/)
      expect(letter.mail.text).toContain(person.account.email)
      expect(letter.mail.text).not.toContain(token)
    } finally {
      await worker[Symbol.asyncDispose]()
    }
  })

  test('it must be done while signed in with the invited address', async () => {
    const boss = await account('pro')
    const [person, other] = [await account(), await account()]
    const token = await tokenFor(served, boss, person)
    expect(codeOf(await served.as(null).post('/v1/team/accept', { token }))).toEqual([401, 'UNAUTHORIZED'])
    expect(codeOf(await acceptAs(other, token))).toEqual([409, 'INVITATION_INVALID'])
    expect((await other.client.get('/v1/team/list')).body.data).toHaveLength(1)
    expect((await acceptAs(person, token)).status).toBe(200)
  })

  test('an invitation that is expired, revoked or already used is 409 INVITATION_INVALID', async () => {
    const boss = await account('pro')
    const [used, revoked, late] = [await account(), await account(), await account()]
    const tokens = [
      await tokenFor(served, boss, used),
      await tokenFor(served, boss, revoked),
      await tokenFor(served, boss, late),
    ] as const
    await acceptAs(used, tokens[0])
    const waiting = await idOf(boss)
    const { id } = waiting.find((one) => (one as { email?: string }).email === revoked.account.email)!
    await boss.client.delete(`/v1/team/invitations/${id}`)
    expect(codeOf(await acceptAs(used, tokens[0]))).toEqual([409, 'INVITATION_INVALID'])
    expect(codeOf(await acceptAs(revoked, tokens[1]))).toEqual([409, 'INVITATION_INVALID'])
    await setClock(served, '7 days 1 second')
    const answer = await acceptAs(late, tokens[2])
    await setClock(served, '0')
    expect(codeOf(answer)).toEqual([409, 'INVITATION_INVALID'])
    expect(await seats(boss)).toMatchObject({ members: 2 })
  })

  test('the last second of the seven days counts', async () => {
    const boss = await account('pro')
    const person = await account()
    const token = await tokenFor(served, boss, person)
    await setClock(served, '6 days 23 hours 59 minutes')
    const answer = await acceptAs(person, token)
    await setClock(served, '0')
    expect(answer.status).toBe(200)
  })

  test('an unknown token is 404, and one that is not text 422', async () => {
    const person = await account()
    for (const token of ['inv_unknown', `inv_${'0'.repeat(36)}`])
      expect(codeOf(await acceptAs(person, token))).toEqual([404, 'NOT_FOUND'])
    for (const token of [undefined, null, 5, '', 'a'.repeat(201)])
      expect(pathsOf(await person.client.post('/v1/team/accept', { token }))).toEqual(['token'])
  })

  test('the seat cap is checked again: after a smaller plan the team may be full', async () => {
    const boss = await account('starter')
    const [first, second] = [await account(), await account()]
    const tokens = [await tokenFor(served, boss, first), await tokenFor(served, boss, second)] as const
    await served.api.sql(`update teams set tier = 'free' where id = '${boss.account.team_id}'`)
    expect((await acceptAs(first, tokens[0])).status).toBe(200)
    const full = await acceptAs(second, tokens[1])
    expect(codeOf(full)).toEqual([429, 'TIER_LIMIT_EXCEEDED'])
    // The field of this request: it has no address.
    expect(full.body.error.details).toMatchObject([{ path: 'token', limit: expect.any(Number) }])
    expect((await second.client.get('/v1/team')).body).toMatchObject({ id: second.account.team_id })
    expect((await look(tokens[1])).body).toMatchObject({ state: 'open' })
  })

  test('of 50 that accept one link at once, exactly one wins', async () => {
    const boss = await account('pro')
    const person = await account()
    const token = await tokenFor(served, boss, person)
    const answers = await Promise.all(Array.from({ length: 50 }, () => acceptAs(person, token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error?.code === 'INVITATION_INVALID')).toHaveLength(49)
    expect(await seats(boss)).toEqual({ members: 2, pending: 0 })
  })

  test('of 50 that accept the last seat at once, exactly one wins', async () => {
    const boss = await account('free')
    await served.api.sql(`update teams set limits = '{"maxTeamMembers": 60}' where id = '${boss.account.team_id}'`)
    const people = await Promise.all(Array.from({ length: 50 }, () => account()))
    const tokens: string[] = []
    for (const person of people) tokens.push(await tokenFor(served, boss, person))
    await served.api.sql(`update teams set limits = null where id = '${boss.account.team_id}'`)
    const answers = await Promise.all(people.map((person, at) => acceptAs(person, tokens[at]!)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error?.code === 'TIER_LIMIT_EXCEEDED')).toHaveLength(49)
    expect(await seats(boss)).toMatchObject({ members: 2 })
  }, 60_000)
})

describe('POST /v1/team/invitations/{id}/resend', () => {
  test('answers the invitation with email_sent; the previous link stops working', async () => {
    const boss = await account('pro')
    const person = await account()
    const old = await tokenFor(served, boss, person)
    const [{ id }] = (await idOf(boss)) as [{ id: string }]
    await setClock(served, '2 days')
    const again = await boss.client.post(`/v1/team/invitations/${id}/resend`)
    await setClock(served, '0')
    expect(again).toMatchObject({ status: 200, body: { id, email: person.account.email, email_sent: true } })
    const later = Date.parse(String(again.body['expires_at'])) - Date.parse(plusDays(again.body.created_at, 9))
    expect(Math.abs(later)).toBeLessThan(60_000)
    await nextMinute()
    expect(codeOf(await look(old))).toEqual([404, 'NOT_FOUND'])
    expect(codeOf(await acceptAs(person, old))).toEqual([404, 'NOT_FOUND'])
    const fresh = await mailedToken(served, person.account.email)
    expect((await look(fresh)).body).toMatchObject({ state: 'open' })
    expect((await acceptAs(person, fresh)).status).toBe(200)
  })

  test('three times an hour; the fourth is 429 with Retry-After, and the link before it works', async () => {
    const boss = await account('pro')
    const { id } = (await invite(boss, 'often@example.com')).body
    const path = `/v1/team/invitations/${id}/resend`
    for (let nth = 0; nth < 3; nth += 1) expect((await boss.client.post(path)).status).toBe(200)
    const refused = await boss.client.post(path)
    expect(codeOf(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_500)
    await nextMinute()
    expect((await look(await mailedToken(served, 'often@example.com'))).status).toBe(200)
    await setClock(served, '1 hour 1 minute')
    const later = await boss.client.post(path)
    await setClock(served, '0')
    expect(later.status).toBe(200)
  })

  test('one that is not open is 409', async () => {
    const boss = await account('pro')
    const { id } = (await invite(boss, 'gone@example.com')).body
    const late = (await invite(boss, 'late@example.com')).body
    await boss.client.delete(`/v1/team/invitations/${id}`)
    expect(codeOf(await boss.client.post(`/v1/team/invitations/${id}/resend`))).toEqual([409, 'CONFLICT'])
    await setClock(served, '8 days')
    const expired = await boss.client.post(`/v1/team/invitations/${late.id}/resend`)
    await setClock(served, '0')
    expect(codeOf(expired)).toEqual([409, 'CONFLICT'])
  })
})

describe('DELETE /v1/team/invitations/{id}', () => {
  test('answers 204, and the link stops working', async () => {
    const boss = await account('pro')
    const person = await account()
    const token = await tokenFor(served, boss, person)
    const [{ id }] = (await idOf(boss)) as [{ id: string }]
    expect((await boss.client.delete(`/v1/team/invitations/${id}`)).status).toBe(204)
    expect(await idOf(boss)).toEqual([])
    expect(codeOf(await acceptAs(person, token))).toEqual([409, 'INVITATION_INVALID'])
    expect((await invite(boss, person.account.email)).status).toBe(201)
  })

  test('one that is already accepted or revoked is 409, and an unknown one 404', async () => {
    const boss = await account('pro')
    const person = await account()
    const token = await tokenFor(served, boss, person)
    const [{ id: accepted }] = (await idOf(boss)) as [{ id: string }]
    await acceptAs(person, token)
    const { id: revoked } = (await invite(boss, 'revoked@example.com')).body
    await boss.client.delete(`/v1/team/invitations/${revoked}`)
    for (const id of [accepted, revoked])
      expect(codeOf(await boss.client.delete(`/v1/team/invitations/${id}`))).toEqual([409, 'CONFLICT'])
    for (const id of [crypto.randomUUID(), 'first'])
      expect(codeOf(await boss.client.delete(`/v1/team/invitations/${id}`))).toEqual([404, 'NOT_FOUND'])
    expect((await boss.client.get('/v1/team')).body).toMatchObject({ member_count: 2 })
  })

  test('when it is accepted and revoked at the same moment, exactly one of the two happens', async () => {
    const boss = await account('scale')
    for (let round = 0; round < 8; round += 1) {
      const person = await account()
      const token = await tokenFor(served, boss, person)
      const [{ id }] = (await idOf(boss)) as [{ id: string }]
      const [accepted, revoked] = await Promise.all([
        acceptAs(person, token),
        boss.client.delete(`/v1/team/invitations/${id}`),
      ])
      expect([
        [200, 409],
        [409, 204],
      ]).toContainEqual([accepted.status, revoked.status])
    }
  })
})
