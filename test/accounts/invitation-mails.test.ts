import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Tier } from '../../schema/account/plan.ts'
import { accountOf, invite, type Person, setClock } from '../support/api/people.ts'
import { type Answer, type ServedApi, serveApi } from '../support/api/served-api.ts'

const revoke = ({ client }: Person, id: string) => client.delete(`/v1/team/invitations/${id}`)
const resend = ({ client }: Person, id: string) => client.post(`/v1/team/invitations/${id}/resend`)
const stranger = () => `${crypto.randomUUID()}@example.com`

/** Invites a new address and revokes the invitation, so many times or until it is refused. Returns how many passed. */
async function inviteInTurn(boss: Person, most: number): Promise<number> {
  for (let passed = 0; passed < most; passed += 1) {
    const { status, body } = await invite(boss, stranger())
    if (status !== 201) return passed
    await revoke(boss, body.id)
  }
  return most
}

const refusalOf = ({ status, headers, body }: Answer) => ({
  status,
  code: body.error?.code,
  message: body.error?.message.replace(/\d+ s\.$/, 'N s.'),
  waitsHours: Number(headers.get('retry-after')) / 3600,
})
const refusedWith = (message: string, waitsHours: number) => ({
  status: 429,
  code: 'RATE_LIMIT_EXCEEDED',
  message: `${message}; those of revoked invitations and those sent again count. Try again in N s.`,
  waitsHours: expect.closeTo(waitsHours, 1),
})

const ofTeam = 'This team, with its number of seats, can send'
const passed = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 201).length

describe('invitation mails of a team', () => {
  let served: ServedApi
  beforeAll(async () => {
    served = await serveApi('scale', { hasMail: true })
  })
  afterEach(() => setClock(served, '0'))
  afterAll(() => served.close())
  const account = (plan: Tier) => accountOf(served, plan)

  test('are two for each seat and ten more within an hour, however often it revokes', async () => {
    const boss = await account('free')
    expect(await inviteInTurn(boss, 20)).toBe(14)
    expect(refusalOf(await invite(boss, stranger()))).toEqual(refusedWith(`${ofTeam} 14 invitation mails an hour`, 1))
    expect(await inviteInTurn(await account('free'), 1)).toBe(1)
    await setClock(served, '59 minutes')
    expect(await inviteInTurn(boss, 1)).toBe(0)
    await setClock(served, '1 hour')
    expect(await inviteInTurn(boss, 1)).toBe(1)
  })

  test('are five times as many within a day', async () => {
    const boss = await account('free')
    for (let hour = 0; hour < 5; hour += 1) {
      await setClock(served, `${hour} hours ${hour} minutes`)
      expect(await inviteInTurn(boss, 15)).toBe(14)
    }
    await setClock(served, '6 hours')
    expect(refusalOf(await invite(boss, stranger()))).toEqual(refusedWith(`${ofTeam} 70 invitation mails a day`, 18))
    await setClock(served, '24 hours')
    expect(await inviteInTurn(boss, 1)).toBe(1)
  })

  test('count those that are sent again', async () => {
    const boss = await account('free')
    const { id } = (await invite(boss, stranger())).body
    for (let nth = 0; nth < 3; nth += 1) expect((await resend(boss, id)).status).toBe(200)
    const often = await resend(boss, id)
    expect(often.status).toBe(429)
    expect(often.body.error.message).toContain('An invitation can be sent again 3 times an hour.')
    await revoke(boss, id)
    expect(await inviteInTurn(boss, 9)).toBe(9)
    const last = (await invite(boss, stranger())).body
    expect(refusalOf(await resend(boss, last.id))).toEqual(refusedWith(`${ofTeam} 14 invitation mails an hour`, 1))
    expect((await boss.client.get('/v1/team/members')).body['invitations']).toHaveLength(1)
  })

  test('are as many when 20 people are invited at once', async () => {
    const boss = await account('pro')
    expect(await inviteInTurn(boss, 25)).toBe(25)
    const answers = await Promise.all(Array.from({ length: 20 }, () => invite(boss, stranger())))
    expect(passed(answers)).toBe(5)
    for (const { status, body } of answers)
      if (status !== 201) expect([status, body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED'])
  })
})

describe('invitation mails of an installation', () => {
  let served: ServedApi
  beforeAll(async () => {
    served = await serveApi('scale', { invitationMailsPerHour: 9 })
  })
  afterAll(() => served.close())
  const account = (plan: Tier) => accountOf(served, plan)

  test('have a bound of which free teams together get half, also without a mail server', async () => {
    const [free, other, team] = [await account('free'), await account('free'), await account('unlimited')]
    expect([await inviteInTurn(free, 3), await inviteInTurn(other, 3)]).toEqual([3, 2])
    expect(refusalOf(await invite(other, stranger()))).toEqual(
      refusedWith('All teams on the plan free together can send 5 invitation mails an hour', 1),
    )
    expect(await inviteInTurn(team, 9)).toBe(4)
    expect(refusalOf(await invite(team, stranger()))).toEqual(
      refusedWith('All teams of this installation together can send 9 invitation mails an hour', 1),
    )
  })

  test('are not more when a team is deleted', async () => {
    await setClock(served, '1 hour')
    const gone = await account('free')
    expect(await inviteInTurn(gone, 5)).toBe(5)
    const { session_token, email } = gone.account
    expect((await served.api.call(session_token, 'DELETE', '/v1/account', { email })).status).toBe(204)
    expect(await inviteInTurn(await account('free'), 1)).toBe(0)
  })

  test('are as many when 20 teams invite at once', async () => {
    await setClock(served, '2 hours')
    const teams: Person[] = []
    for (let nth = 0; nth < 20; nth += 1) teams.push(await account('lite'))
    expect(passed(await Promise.all(teams.map((team) => invite(team, stranger()))))).toBe(9)
  })

  test('have no bound where the setting is 0', async () => {
    const open = await serveApi('scale', { invitationMailsPerHour: 0 })
    try {
      expect(await inviteInTurn(await accountOf(open, 'free'), 20)).toBe(14)
      expect(await inviteInTurn(await accountOf(open, 'unlimited'), 20)).toBe(20)
    } finally {
      await open.close()
    }
  })
})
