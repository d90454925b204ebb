import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findTeam } from '../../store/accounts/team/teams.ts'
import { forgetOld } from '../../store/maintenance/retention.ts'
import { claimChecks, CLAIMED_PAGE, CLAIMED_SEARCH, claimedOf } from '../../store/queue/claim.ts'
import { createMonitor } from '../support/api/monitor-requests.ts'
import { acceptAs, accountOf, invite, type Person, tokenFor } from '../support/api/people.ts'
import { seedDelivery, seedRun } from '../support/api/seeded-runs.ts'
import { type ServedApi, serveApi } from '../support/api/served-api.ts'
import { beginRun } from '../support/database/check-states.ts'

const CLAIMED = claimedOf([CLAIMED_PAGE, CLAIMED_SEARCH])

let served: ServedApi
let database: pg.Client
let ada: Person
beforeAll(async () => {
  served = await serveApi('scale', { hasMail: true })
  database = new pg.Client({ connectionString: served.api.databaseUrl })
  await database.connect()
})
afterAll(async () => {
  await database.end()
  await served.close()
})
beforeEach(async () => {
  ada = await accountOf(served, 'scale')
})

const remove = ({ account: { session_token, email } }: Person, body: object = { email }) =>
  served.api.call(session_token, 'DELETE', '/v1/account', body)
const rows = async (text: string, ...values: unknown[]) =>
  (await database.query<Record<string, unknown>>(text, values)).rows
const HOOK = { type: 'webhook', url: 'https://hooks.example.com/secret' } as const

test('an account is gone with its team: keys, members, invitations, monitors, and what waits to be sent', async () => {
  const { services } = served.api
  const { team_id, user_id, email } = ada.account
  const monitor = await createMonitor(ada.client, { deliveries: [HOOK], request_headers: { 'X-Key': 'secret' } })
  const run = await seedRun(services, monitor.id)
  const waiting = await seedDelivery(services, run, { config: HOOK, status: 'pending' })
  await beginRun(database, monitor.id)
  const { key } = (await ada.client.post('/v1/keys', { name: 'k', scopes: ['read', 'write'] })).body
  const guest = await accountOf(served)
  await acceptAs(guest, await tokenFor(served, ada, guest))
  await rows(`insert into prompt_answers (team_id, key, answer) values ($1, sha256('a'), '{"price": 9}')`, team_id)
  await rows(
    `insert into asked_work (no, kind, team_id, request, deadline_at, from_pool, credits, period)
     values (1, 'preview', $1, 'sealed', clock() + interval '1 minute', 0, 0, clock())`,
    team_id,
  )
  const open = await invite(ada, 'late@example.com')
  expect(open.status).toBe(201)

  expect((await remove(ada)).status).toBe(204)
  expect((await ada.client.get('/v1/usage')).status).toBe(401)
  expect((await served.as(key).get('/v1/usage')).status).toBe(401)
  // The guest is back in the own team.
  expect((await guest.client.get('/v1/team')).body).toMatchObject({ id: guest.account.team_id, role: 'owner' })
  expect(await rows(`select status, due_at from deliveries where id = $1`, waiting)).toEqual([
    { status: 'dead', due_at: null },
  ])
  expect(
    await rows(
      `select m.deleted_at is not null as deleted, m.deliveries, m.request_headers, c.due_at, c.run_id
       from monitors m join checks c on c.no = m.no where m.team_id = $1`,
      team_id,
    ),
  ).toEqual([{ deleted: true, deliveries: null, request_headers: null, due_at: null, run_id: null }])
  expect(await rows(`select from runs where team_id = $1 and status = 'error'`, team_id)).toHaveLength(1)
  const emptied = ['invitations', 'notices', 'notice_events', 'team_members', 'prompt_answers', 'asked_work']
  for (const table of emptied) expect(await rows(`select from ${table} where team_id = $1`, team_id), table).toEqual([])
  for (const table of ['sessions', 'accounts'])
    expect(await rows(`select from auth.${table} where user_id = $1`, user_id), table).toEqual([])
  expect(
    await rows(
      `select actor_label, target_id, metadata from audit_events where action = 'account.deleted'
      and team_id = $1`,
      team_id,
    ),
  ).toEqual([{ actor_label: email, target_id: user_id, metadata: { teams_left: 0 } }])
  const request = { queue: 'static', limit: 100, perTeam: 100, afterTeam: '', leaseSeconds: 60 } as const
  expect((await claimChecks(services.store, CLAIMED, request)).filter((check) => check.team_id === team_id)).toEqual([])
  // A namespace of a cluster that is labelled with it names no team.
  expect(await findTeam(services.store, team_id)).toBeNull()
  // The daily clean-up deletes its history.
  await forgetOld(services.store, AbortSignal.timeout(60_000))
  for (const table of ['runs', 'deliveries', 'monitors', 'audit_events'])
    expect(await rows(`select from ${table} where team_id = $1`, team_id), table).toEqual([])
})

test('the teams of others are left, audited there, and what the account made in them stays', async () => {
  const boss = await accountOf(served, 'scale')
  await acceptAs(ada, await tokenFor(served, boss, ada, 'admin'))
  const { key } = (await ada.client.post('/v1/keys', { name: 'k' })).body
  const monitor = await createMonitor(ada.client)
  expect((await remove(ada)).status).toBe(204)
  expect((await boss.client.get('/v1/team')).body).toMatchObject({ member_count: 1 })
  expect((await boss.client.get(`/v1/monitors/${monitor.id}`)).body).toMatchObject({ status: 'active' })
  expect((await served.as(key).get('/v1/usage')).status).toBe(200)
  expect((await boss.client.get('/v1/team/audit?action=team.member_left')).body).toMatchObject({
    data: [{ actor: { label: ada.account.email }, target_id: ada.account.user_id, metadata: { role: 'admin' } }],
  })
})

test('the body must name the account, and an API key cannot delete it', async () => {
  expect((await remove(ada, {})).status).toBe(422)
  const other = await remove(ada, { email: 'other@example.com' })
  expect(other).toMatchObject({ status: 422, body: { error: { details: [{ path: 'email' }] } } })
  const { key } = (await ada.client.post('/v1/keys', { name: 'k', scopes: ['write'] })).body
  expect((await served.api.call(key, 'DELETE', '/v1/account', { email: ada.account.email })).status).toBe(403)
  expect((await ada.client.get('/v1/usage')).status).toBe(200)
  expect((await remove(ada, { email: ada.account.email.toUpperCase() })).status).toBe(204)
})

test('while a subscription would be renewed it is 409; once that is cancelled, the account can go', async () => {
  const { team_id } = ada.account
  await rows(
    `insert into subscriptions (team_id, customer_id, subscription_id, status, is_live, period_ends_at)
     values ($1, 'c', 's', 'active', true, clock() + interval '9 days')`,
    team_id,
  )
  const refused = await remove(ada)
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } })
  expect(refused.body.error.message).toContain('Cancel it first')
  await rows('update subscriptions set cancel_at_period_end = true where team_id = $1', team_id)
  expect((await remove(ada)).status).toBe(204)
})

test('an account that is deleted while it accepts an invitation takes no seat', async () => {
  const boss = await accountOf(served, 'scale')
  for (let round = 0; round < 5; round += 1) {
    const person = await accountOf(served)
    const token = await tokenFor(served, boss, person)
    await Promise.all([remove(person), acceptAs(person, token)])
  }
  expect(
    await rows(
      `select from team_members m
       where m.team_id = $1 and not exists (select from auth.users u where u.id = m.user_id)`,
      boss.account.team_id,
    ),
  ).toEqual([])
})

test("two members who delete their accounts at the same moment leave each other's teams", async () => {
  for (let round = 0; round < 5; round += 1) {
    const [one, other] = [await accountOf(served, 'scale'), await accountOf(served, 'scale')]
    await acceptAs(one, await tokenFor(served, other, one))
    await other.client.post('/v1/team/switch', { team_id: other.account.team_id })
    await acceptAs(other, await tokenFor(served, { ...one, client: await one.signInAgain() }, other))
    const answers = await Promise.all([remove(one), remove(other)])
    expect(answers.map(({ status }) => status)).toEqual([204, 204])
  }
})
