import pg from 'pg'
import { sql } from 'slonik'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { renewInvitationsOf } from '../../store/accounts/admin-accounts.ts'
import { row } from '../../store/db/row.ts'
import { createMonitor, MONITOR } from '../support/api/monitor-requests.ts'
import { acceptAs, accountOf, type Person, tokenFor } from '../support/api/people.ts'
import { seedDelivery, seedRun } from '../support/api/seeded-runs.ts'
import { type Answer, serveApi } from '../support/api/served-api.ts'
import { eventually } from '../support/run/eventually.ts'
import { shared } from '../support/run/shared.ts'

const served = shared(() => serveApi('scale', { hasMail: true }))

const addKey = ({ client }: Person) => client.post('/v1/keys', { name: 'Late' })
const editSettings = ({ client }: Person) => client.patch('/v1/settings', { error_notifications: false })
const waiting = row({ count: Type.Integer() })
/** Waits until so many statements wait for a lock. */
const waitersOn = (wanted: number) =>
  eventually(
    () =>
      served.api.services.store.oneFirst(sql.type(waiting)`
        select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
    (count) => count === wanted,
  )
/** Begins the requests one after the other while a transaction holds what they need. Returns their answers. */
async function whileLocked(statement: string, values: string[], ...requests: (() => Promise<Answer>)[]) {
  const holder = new pg.Client({ connectionString: served.api.databaseUrl })
  await holder.connect()
  await holder.query('begin')
  await holder.query(statement, values)
  const answers: Promise<Answer>[] = []
  for (const request of requests) {
    answers.push(request())
    await waitersOn(answers.length)
  }
  await holder.query('commit')
  await holder.end()
  return Promise.all(answers)
}
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

  test('an admin who is demoted meanwhile makes no key and changes no setting', async () => {
    const boss = await account('scale')
    for (let round = 0; round < 5; round += 1) {
      const admin = await account()
      await acceptAs(admin, await tokenFor(served, boss, admin, 'admin'))
      const act = round % 2 === 0 ? addKey : editSettings
      const path = `/v1/team/members/${admin.account.user_id}`
      // Both wait for the team; the demotion comes first.
      const [demoted, acted] = await whileLocked(
        'select from teams where id = $1 for no key update',
        [boss.account.team_id],
        () => boss.client.patch(path, { role: 'viewer' }),
        () => act(admin),
      )
      expect(demoted?.status).toBe(200)
      expect(acted).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
    }
  })

  test('a session that switches to a team while its user is removed from it does not act for it later', async () => {
    const boss = await account('scale')
    const person = await account()
    await acceptAs(person, await tokenFor(served, boss, person, 'member'))
    const team_id = boss.account.team_id
    await person.client.post('/v1/team/switch', { team_id: person.account.team_id })
    const path = `/v1/team/members/${person.account.user_id}`
    const [switched] = await whileLocked(
      'delete from team_members where team_id = $1 and user_id = $2',
      [team_id, person.account.user_id],
      () => person.client.post('/v1/team/switch', { team_id }),
    )
    expect(switched?.status).toBe(404)
    expect((await boss.client.delete(path)).status).toBe(404)
    await served.api.sql(`do $$ begin assert not exists (select from auth.sessions
      where user_id = '${person.account.user_id}' and active_team_id = '${team_id}'); end $$`)
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

describe('an invitation', () => {
  test('is for the address that the account has when it is accepted', async () => {
    const [boss, person] = [await account('pro'), await account()]
    const token = await tokenFor(served, boss, person)
    const [answer] = await whileLocked(
      'update auth.users set email = $2 where id = $1',
      [person.account.user_id, `moved-${person.account.email}`],
      () => acceptAs(person, token),
    )
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'INVITATION_INVALID' } } })
    expect(await seats(boss)).toEqual({ members: 1, pending: 1 })
  })

  test('that ends while the administrator asks for its link gets none', async () => {
    const [boss, person] = [await account('pro'), await account()]
    await tokenFor(served, boss, person)
    let renewed: unknown
    const [log] = await whileLocked(
      `with team as (select id from teams where id = $1 for no key update)
       update invitations set ended_as = 'revoked' where team_id in (select id from team)`,
      [boss.account.team_id],
      async () => {
        renewed = await renewInvitationsOf(served.api.services.store, person.account.email)
        return boss.client.get('/v1/team/audit?action=team.invitation_resent')
      },
    )
    expect(renewed).toEqual([])
    expect(log?.body.data).toEqual([])
  })
})

describe('an account that is deleted', () => {
  const goodbye = ({ account: { session_token, email } }: Person) =>
    served.api.call(session_token, 'DELETE', '/v1/account', { email }) as unknown as Promise<Answer>
  const rowsOf = (table: string, { account: { team_id } }: Person) =>
    served.api.services.store.oneFirst(sql.type(waiting)`
      select count(*) from ${sql.identifier([table])} where team_id = ${team_id}::uuid`)

  const meanwhile = (boss: Person, ...requests: (() => Promise<Answer>)[]) =>
    whileLocked(
      'select from teams where id = $1 for no key update',
      [boss.account.team_id],
      () => goodbye(boss),
      ...requests,
    )
  const writingKey = async ({ client }: Person) =>
    served.as((await client.post('/v1/keys', { name: 'CI', scopes: ['write'] })).body.key)

  test('leaves no monitor that was made at the same moment', async () => {
    const boss = await account('scale')
    const key = await writingKey(boss)
    const search = { name: 'S', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }
    const [deleted, ...late] = await meanwhile(
      boss,
      () => key.post('/v1/monitors', MONITOR),
      () => key.post('/v1/serp-monitors', search),
    )
    expect(deleted?.status).toBe(204)
    expect(late.map(({ status, body }) => [status, body.error?.code])).toEqual([
      [404, 'NOT_FOUND'],
      [404, 'NOT_FOUND'],
    ])
    expect(await rowsOf('monitors', boss)).toBe(0)
  })

  test('leaves no delivery that is sent again', async () => {
    const boss = await account('scale')
    const key = await writingKey(boss)
    const run = await seedRun(served.api.services, (await createMonitor(key)).id)
    const delivery = await seedDelivery(served.api.services, run, { status: 'dead' })
    const [deleted, one, all] = await meanwhile(
      boss,
      () => key.post(`/v1/deliveries/${delivery}/replay`),
      () => key.post(`/v1/runs/${run}/replay`),
    )
    expect([deleted?.status, one?.status, all?.body['queued']]).toEqual([204, 409, 0])
    await served.api.sql(`do $$ begin assert not exists (
      select from deliveries where team_id = '${boss.account.team_id}' and due_at is not null); end $$`)
  })

  test('leaves no message that was made of an event at the same moment', async () => {
    const boss = await account('scale')
    const { team_id } = boss.account
    await served.api.sql(`insert into notice_events (team_id, kind, key) values ('${team_id}', 'quota', '${team_id}')`)
    const [deleted] = await whileLocked(
      `with told as (select team_id from notice_events where team_id = $1 for update)
       insert into notices (id, team_id, kind, type, target, host, payload, due_at, next_attempt_at)
       select gen_random_uuid(), team_id, 'quota', 'email', 'sealed', 'h', '{}', clock(), clock() from told`,
      [team_id],
      () => goodbye(boss),
    )
    expect(deleted?.status).toBe(204)
    expect([await rowsOf('notice_events', boss), await rowsOf('notices', boss)]).toEqual([0, 0])
  })
})
