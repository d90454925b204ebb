import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServedApi, serveApi } from '../spec/support.ts'
import { acceptAs, accountOf, type Person, tokenFor } from '../spec/team-support.ts'

let served: ServedApi
beforeAll(async () => {
  served = await serveApi('scale', { hasMail: true })
})
afterAll(() => served.close())

const account = (plan?: 'pro' | 'scale') => accountOf(served, plan)
const seats = async ({ client }: Person) => {
  const { member_count, pending_invites } = (await client.get('/v1/team')).body
  return { members: member_count, pending: pending_invites }
}

describe('two people at the same moment', () => {
  test('two admins who demote each other: one of them stays an admin', async () => {
    const boss = await account('scale')
    for (let round = 0; round < 6; round += 1) {
      const [one, other] = [await account(), await account()]
      for (const person of [one, other]) await acceptAs(person, await tokenFor(served, boss, person, 'admin'))
      const demote = (who: Person, whose: Person) =>
        who.client.patch(`/v1/team/members/${whose.account.user_id}`, { role: 'viewer' })
      const answers = await Promise.all([demote(one, other), demote(other, one)])
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 403])
    }
  })

  test('two admins who remove each other: one of them stays', async () => {
    const boss = await account('scale')
    for (let round = 0; round < 6; round += 1) {
      const [one, other] = [await account(), await account()]
      for (const person of [one, other]) await acceptAs(person, await tokenFor(served, boss, person, 'admin'))
      const remove = (who: Person, whose: Person) => who.client.delete(`/v1/team/members/${whose.account.user_id}`)
      const answers = await Promise.all([remove(one, other), remove(other, one)])
      // The one who is gone is answered by a 403, or as a stranger to the team by a 404.
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect([403, 404]).toContain(answers.find(({ status }) => status !== 200)?.status)
    }
    expect(await seats(boss)).toMatchObject({ members: 7 })
  })

  test('an owner who is demoted, removed and leaves at the same moment stays the owner', async () => {
    const boss = await account('pro')
    const [one, other] = [await account(), await account()]
    for (const person of [one, other]) await acceptAs(person, await tokenFor(served, boss, person, 'admin'))
    const path = `/v1/team/members/${boss.account.user_id}`
    const answers = await Promise.all([
      boss.client.delete(path),
      one.client.delete(path),
      other.client.patch(path, { role: 'viewer' }),
      one.client.patch(path, { role: 'member' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect((await boss.client.get('/v1/team')).body).toMatchObject({ role: 'owner', member_count: 3 })
  })

  test('a member who leaves while being removed is gone once', async () => {
    const boss = await account('scale')
    for (let round = 0; round < 6; round += 1) {
      const person = await account()
      await acceptAs(person, await tokenFor(served, boss, person))
      const path = `/v1/team/members/${person.account.user_id}`
      const answers = await Promise.all([boss.client.delete(path), person.client.delete(path)])
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
    }
    expect(await seats(boss)).toMatchObject({ members: 1 })
  })
})

test.each(['', ' ', 'x'.repeat(2_000)])(
  'a member whose provider gives a name like "%.5s" is listed and removed',
  async (name) => {
    const [boss, person] = [await account('scale'), await account()]
    await acceptAs(person, await tokenFor(served, boss, person))
    const { user_id: id } = person.account
    await served.api.sql(`update auth.users set name = '${name}' where id = '${id}'`)
    expect((await boss.client.get('/v1/team/members')).status).toBe(200)
    expect((await boss.client.delete(`/v1/team/members/${id}`)).status).toBe(200)
  },
)
