import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyFor, createOwner, ensureFirstOwner } from '../../../store/accounts/accounts.ts'
import { findLiveApiKey } from '../../../store/accounts/credentials/api-key-text.ts'
import { readSessionCredential } from '../../../store/accounts/credentials/session-token.ts'
import { findLiveSession, purgeSessions } from '../../../store/accounts/credentials/sessions.ts'
import { openStore, type Store } from '../../../store/db/client.ts'
import { row } from '../../../store/db/row.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts'

const key = 'a key of the tests, which is long enough'
let database: TestDatabase
let store: Store
beforeAll(async () => {
  database = await createTestDatabase()
  store = await openStore({ url: database.url, name: 'tidemark test', connections: 8 })
})
afterAll(async () => {
  await store.end()
  await database.drop()
})

const plan = row({
  tier: Type.String(),
  serp: Type.String(),
  runs_limit: Type.Union([Type.Number(), Type.Null()]),
  visual_limit: Type.Union([Type.Number(), Type.Null()]),
  serp_limit: Type.Union([Type.Number(), Type.Null()]),
  renews: Type.Boolean(),
  trial: Type.Boolean(),
})
const planOf = (teamId: string) =>
  store.one(sql.type(plan)`
  select t.tier, t.serp, u.runs_limit, u.visual_limit, u.serp_limit, u.resets_at = u.period_start + interval '1 month'
    is true as renews,
    t.trial_ends_at is not null as trial
  from teams t join team_usage u on u.team_id = t.id where t.id = ${teamId}`)

test('the first owner is made once, however many programs start together, on the plan without limits', async () => {
  const made = await Promise.all(Array.from({ length: 6 }, () => ensureFirstOwner(store, 'Owner@tidemark.local', key)))
  const owners = made.filter((owner) => owner !== null)
  expect(owners).toHaveLength(1)
  expect(owners[0]).toMatchObject({ email: 'owner@tidemark.local', password: expect.stringMatching(/^[\w-]{20}$/) })
  expect(await planOf(owners[0]!.team_id)).toMatchObject({
    tier: 'unlimited',
    serp: 'included',
    runs_limit: null,
    renews: true,
    trial: false,
  })
  expect(await ensureFirstOwner(store, 'second@tidemark.local', key)).toBeNull()
})

test('an owner gets a key that may do all, and an open session, both for the team', async () => {
  const made = await createOwner(store, { email: 'a@example.com', plan: 'pro', serp: false, sessionKey: key })
  if (!made.ok) throw new Error(made.reason)
  const { team_id: teamId, user_id: userId, api_key, session_token } = made.owner
  expect(await findLiveApiKey(store, api_key)).toMatchObject({ teamId, userId, scopes: ['read', 'write'] })
  expect(await findLiveSession(store, readSessionCredential(session_token, key) ?? '')).toMatchObject({
    teamId,
    userId,
    role: 'owner',
    email: 'a@example.com',
  })
  expect(await planOf(teamId)).toEqual({
    tier: 'pro',
    serp: 'none',
    runs_limit: 15_000,
    visual_limit: null,
    // Searches run on credits alone.
    serp_limit: 0,
    renews: true,
    trial: false,
  })
})

test('a trial has pools of its own that nothing renews', async () => {
  const made = await createOwner(store, { email: 'trial@example.com', plan: 'free', serp: false, sessionKey: key })
  if (!made.ok) throw new Error(made.reason)
  expect(await planOf(made.owner.team_id)).toEqual({
    tier: 'free',
    serp: 'trial',
    runs_limit: 200,
    visual_limit: 100,
    serp_limit: 100,
    renews: false,
    trial: true,
  })
})

test('an address has one account in whatever case it is written, and a refused one leaves nothing behind', async () => {
  await createOwner(store, { email: 'same@example.com', plan: 'lite', serp: false, sessionKey: key })
  const count = () => store.oneFirst(sql.type(row({ n: Type.Number() }))`select count(*)::int as n from teams`)
  const before = await count()
  expect(await createOwner(store, { email: 'SAME@example.com', plan: 'lite', serp: false, sessionKey: key })).toEqual({
    ok: false,
    reason: 'email_taken',
  })
  expect(await count()).toBe(before)
})

test('keys for scripts are made for an account by its address', async () => {
  const issued = await createKeyFor(store, 'A@example.com', 'Script', ['read'])
  expect(await findLiveApiKey(store, issued!.key)).toMatchObject({ name: 'Script', scopes: ['read'] })
  expect(await createKeyFor(store, 'nobody@example.com', 'Script', ['read'])).toBeNull()
})

test('what is made on the command line is audited as done by the system, without the key', async () => {
  const events = await store.any(sql.type(
    row({ line: Type.String(), actor_label: Type.String(), target_type: Type.String() }),
  )`
    select to_jsonb(a)::text as line, actor_label, target_type from audit_events a where action = 'api_key.created'`)
  expect(events.length).toBeGreaterThan(3)
  for (const event of events) {
    expect(event).toMatchObject({ actor_label: 'System', target_type: 'api_key' })
    expect(event.line).not.toMatch(/svc_\w{5,}/)
  }
})

test('passwords and keys are nowhere in the database', async () => {
  const made = await createOwner(store, {
    email: 'dump@example.com',
    password: 'canary password',
    plan: 'lite',
    serp: false,
    sessionKey: key,
  })
  if (!made.ok) throw new Error(made.reason)
  const dump = await store.any(sql.type(row({ line: Type.String() }))`
    select to_jsonb(x)::text as line from auth.users x union all select to_jsonb(x)::text from auth.accounts x
    union all select to_jsonb(x)::text from auth.sessions x union all select to_jsonb(x)::text from api_keys x
    union all select to_jsonb(x)::text from audit_events x`)
  const text = JSON.stringify(dump)
  for (const secret of ['canary password', made.owner.api_key.slice(8), made.owner.session_token])
    expect(text).not.toContain(secret)
})

test('sessions that ended are forgotten a day later, open ones never', async () => {
  const made = await createOwner(store, { email: 'purge@example.com', plan: 'lite', serp: false, sessionKey: key })
  if (!made.ok) throw new Error(made.reason)
  const token = readSessionCredential(made.owner.session_token, key) ?? ''
  expect(await purgeSessions(store)).toBe(0)
  await store.query(
    sql.type(row({}))`update auth.sessions set expires_at = now() - interval '25 hours' where token = ${token}`,
  )
  expect(await purgeSessions(store)).toBe(1)
})
