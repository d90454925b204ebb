import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOwner } from '../../../store/accounts/accounts.ts'
import {
  createResetToken,
  grantCredits,
  revokeKeyOf,
  setEmail,
  setPlan,
} from '../../../store/accounts/admin-accounts.ts'
import { openStore, type Store } from '../../../store/db/client.ts'
import { row } from '../../../store/db/row.ts'
import { diskOfTeams, readUsage } from '../../../store/quota/usage-summary.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts'

let database: TestDatabase
let store: Store
beforeAll(async () => {
  database = await createTestDatabase()
  store = await openStore({ url: database.url, name: 'test' })
})
afterAll(async () => {
  await store.end()
  await database.drop()
})

async function owner(email: string, plan: 'free' | 'lite' = 'lite') {
  const made = await createOwner(store, { email, plan, serp: false, sessionKey: 'key' })
  if (!made.ok) throw new Error(made.reason)
  return made.owner
}
const line = row({
  action: Type.String(),
  actor_label: Type.String(),
  actor_type: Type.String(),
  metadata: Type.Unknown(),
})
const audit = (teamId: string) =>
  store.any(sql.type(line)`
    select action, actor_label, actor_type, metadata from audit_events where team_id = ${teamId}::uuid
      and action <> 'api_key.created' order by created_at`)

test('each change is in the audit log of the team, with the actor System', async () => {
  const { team_id: team } = await owner('a@example.com')
  expect(await setPlan(store, 'a@example.com', 'pro', true)).toEqual({
    plan: 'pro',
    serp: 'included',
    previous_plan: 'lite',
  })
  expect(await grantCredits(store, 'a@example.com', 7)).toEqual({ credits: 7, waitsForPlan: false })
  expect(await createResetToken(store, 'a@example.com')).toMatchObject({ token: expect.stringMatching(/^[\w-]{32}$/) })
  expect(await setEmail(store, 'a@example.com', 'B@example.com')).toBe('changed')
  const lines = await audit(team)
  expect(lines.map(({ action }) => action)).toEqual([
    'billing.plan_changed',
    'billing.credits_granted',
    'account.password_reset_issued',
    'account.email_changed',
  ])
  for (const { actor_label, actor_type } of lines) expect([actor_type, actor_label]).toEqual(['system', 'System'])
  expect(JSON.stringify(lines)).not.toMatch(/[\w-]{32}/)
})

test('an address that another account has is refused, and changes nothing', async () => {
  const { team_id: team } = await owner('c@example.com')
  await owner('d@example.com')
  expect(await setEmail(store, 'c@example.com', 'D@example.com')).toBe('taken')
  expect(await audit(team)).toEqual([])
})

test('a new address ends the sessions and links of the old one', async () => {
  const { user_id } = await owner('old@example.com')
  await createResetToken(store, 'old@example.com')
  const left = row({ sessions: Type.Integer(), links: Type.Integer() })
  const counted = () =>
    store.one(sql.type(left)`
      select (select count(*) from auth.sessions where user_id = ${user_id}::uuid) as sessions,
        (select count(*) from auth.verifications where value = ${user_id}) as links`)
  expect(await counted()).toEqual({ sessions: 1, links: 1 })
  expect(await setEmail(store, 'old@example.com', 'new@example.com')).toBe('changed')
  expect(await counted()).toEqual({ sessions: 0, links: 0 })
})

test('of two plans that are set at the same moment, the second begins where the first ended', async () => {
  const { team_id: team } = await owner('two@example.com', 'free')
  await Promise.all([setPlan(store, 'two@example.com', 'pro', false), setPlan(store, 'two@example.com', 'lite', true)])
  const changes = (await audit(team)).map(({ metadata }) => metadata as { from: string; to: string })
  // Events have the time at which their transaction began, and these two may have begun in either order.
  const first = changes.find(({ from }) => from === 'free')
  const second = changes.find((change) => change !== first)
  expect(changes).toHaveLength(2)
  expect(first).toBeDefined()
  expect(second?.from).toBe(first?.to)
})

test('a plan after the trial begins a period of a month, and one after another keeps what was used', async () => {
  const { team_id: team } = await owner('e@example.com', 'free')
  await store.query(sql.type(row({}))`update team_usage set runs_used = 150 where team_id = ${team}::uuid`)
  await setPlan(store, 'e@example.com', 'lite', false)
  const lite = await readUsage(store, team)
  expect(lite).toMatchObject({ tier: 'lite', runs: { used: 0, limit: 1000 }, trialEndsAt: null, visualRuns: null })
  await store.query(sql.type(row({}))`update team_usage set runs_used = 150 where team_id = ${team}::uuid`)
  await setPlan(store, 'e@example.com', 'unlimited', false)
  expect(await readUsage(store, team)).toMatchObject({
    runs: { used: 150, limit: null },
    runsResetAt: lite.runsResetAt,
    limits: { serp: 'included' },
  })
})

test('an account that does not exist is said so by each', async () => {
  const email = 'nobody@example.com'
  const answers = [
    await setPlan(store, email, 'pro', true),
    await grantCredits(store, email, 1),
    await createResetToken(store, email),
    await setEmail(store, email, 'x@example.com'),
    await revokeKeyOf(store, email, crypto.randomUUID()),
  ]
  expect(answers).toEqual([null, null, null, null, null])
})

test('the disk of teams is listed, the largest first', async () => {
  const [small, large] = [await owner('small@example.com'), await owner('large@example.com')]
  for (const [team, bytes] of [
    [small.team_id, 1_000],
    [large.team_id, 5_000],
    [large.team_id, 6_000],
  ] as const)
    await store.query(sql.type(row({}))`
      insert into images (id, team_id, monitor_no, bytes) values (gen_random_uuid(), ${team}::uuid, 1, ${bytes})`)
  await store.query(sql.type(row({}))`
    insert into images (id, team_id, monitor_no, bytes, doomed)
    values (gen_random_uuid(), ${small.team_id}::uuid, 1, 90000, true)`)
  await store.query(sql.type(row({}))`
    insert into page_texts (team_id, key, text, last_run_id)
    values (${small.team_id}::uuid, decode(repeat('00', 16), 'hex'), 'twelve bytes', gen_random_uuid())`)
  expect(await diskOfTeams(store, 10)).toEqual([
    {
      ...{ team_id: large.team_id, team: 'Team of large', owner: 'large@example.com' },
      ...{ picture_bytes: 11_000, text_bytes: 0 },
    },
    {
      ...{ team_id: small.team_id, team: 'Team of small', owner: 'small@example.com' },
      ...{ picture_bytes: 1_000, text_bytes: 12 },
    },
  ])
})
