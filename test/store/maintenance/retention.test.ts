import pg from 'pg'
import { sql } from 'slonik'
import { beforeEach, expect, test } from 'vitest'
import { listAudit } from '../../../store/accounts/audit.ts'
import { nothing } from '../../../store/db/row.ts'
import { forgetOld } from '../../../store/maintenance/retention.ts'
import { recordReadings, ensureRunPartitions } from '../../../store/queue/record-reading.ts'
import { recordUnchanged } from '../../../store/queue/record-unchanged.ts'
import { countRuns, listRuns } from '../../../store/runs/runs.ts'
import { endLeases } from '../../support/database/check-states.ts'
import { readingRun, unchangedRun } from '../../support/database/finished-runs.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'

const NOTHING = {
  months: 0,
  folded: 0,
  runs: 0,
  deliveries: 0,
  auditEvents: 0,
  apiKeys: 0,
  pageTexts: 0,
  notices: 0,
  monitors: 0,
  teams: 0,
}

const database = shared(openQueueDatabase)
beforeEach(async () => {
  await database.query(`
    truncate runs, run_stretches, folded_days, forgotten_runs,
      deliveries, notices, notice_events, audit_events, api_keys,
      baselines, checks, monitors cascade
  `)
})

const forget = () => forgetOld(database.store, new AbortController().signal)

/** Moves the clock to noon of a day (from 1) of a month that is so many months ahead. */
async function toDay(day: number, months = 1): Promise<void> {
  const [row] = await database.query<{ offset: string }>(
    `select extract(epoch from (date_trunc('month', now(), 'UTC') at time zone 'UTC' + make_interval(months => $1,
      days => $2, hours => 12)) at time zone 'UTC' - now())
       || ' seconds' as offset`,
    [months, day - 1],
  )
  await database.setClock(row?.offset ?? '')
  await ensureRunPartitions(database.store)
}

async function team(tier: 'free' | 'scale'): Promise<string> {
  const id = await database.team()
  await database.query('update teams set tier = $2 where id = $1', [id, tier])
  return id
}

/** A first reading, then unchanged ones, on these days. */
async function runOn(days: readonly number[], months = 1): Promise<void> {
  for (const [at, day] of days.entries()) {
    await toDay(day, months)
    await endLeases(database, 'all')
    const taken = await database.claim()
    const isFirst = at === 0 && months === 1
    if (isFirst)
      await recordReadings(
        database.store,
        taken.map((one) => readingRun(one, { price: '1' })),
      )
    else
      await recordUnchanged(
        database.store,
        taken.map((one) => unchangedRun(one)),
      )
  }
}

const idOf = async (no: number) =>
  (await database.query<{ id: string }>('select id from monitors where no = $1', [no]))[0]?.id ?? ''

test('runs before the window of their team are deleted; what visible runs point to stays, unseen', async () => {
  const [free, scale] = [await team('free'), await team('scale')]
  const [[short = 0], [long = 0]] = [await database.monitors(free), await database.monitors(scale)]
  await runOn([1, 2, 12, 17])
  await toDay(18)
  await endLeases(database, 'all')
  const changed = (await database.claim()).map((one) => readingRun(one, { price: '2' }))
  await recordReadings(database.store, changed)
  await toDay(20)
  expect(await forget()).toMatchObject({ months: 0, runs: 1 })
  expect(await database.runs(long)).toHaveLength(5)
  expect(await database.runs(short)).toHaveLength(4)
  expect(await countRuns(database.store, free, await idOf(short), 'page')).toBe(3)
  const seen = await listRuns(database.store, {
    kind: 'page',
    teamId: free,
    monitorId: await idOf(short),
    offset: 0,
    limit: 10,
  })
  expect(seen.map(({ extracted }) => extracted)).toEqual([{ price: '2' }, { price: '1' }, { price: '1' }])
  expect(await forget()).toEqual(NOTHING)
})

test('the reading that the next run may point to stays, however old it is', async () => {
  const [no = 0] = await database.monitors(await team('free'))
  await runOn([1, 2])
  await toDay(28)
  expect(await forget()).toMatchObject({ runs: 1 })
  await endLeases(database, 'all')
  const taken = await database.claim()
  await recordUnchanged(
    database.store,
    taken.map((one) => unchangedRun(one)),
  )
  const [first, last] = await database.runs(no)
  expect(last?.reading_id).toBe(first?.id)
  expect(first?.extracted).toEqual({ price: '1' })
})

const months = () =>
  database.query<{ name: string; pending: boolean }>(
    `select inhrelid::regclass::text as name, inhdetachpending as pending from pg_inherits
     where inhparent = 'runs'::regclass order by name`,
  )

/** A monitor with two runs in a month that nobody can see any more, and one in the month after it. */
async function oldMonth() {
  const id = await team('scale')
  const [no = 0] = await database.monitors(id)
  await runOn([1, 2])
  await runOn([5], 2)
  await toDay(3, 1 + 25)
  const count = async () => countRuns(database.store, id, await idOf(no), 'page')
  expect(await count()).toBe(1)
  return { no, count }
}

/** Does the work while another connection is in a transaction that has run the statement. */
async function during(statement: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(statement)
    await work()
  } finally {
    await client.end()
  }
}

test('a month that no team can see any more is dropped whole, and counted out of the totals', async () => {
  const { no, count } = await oldMonth()
  const before = await months()
  expect(await forget()).toMatchObject({ runs: 0 })
  expect((await months()).length).toBeLessThan(before.length)
  expect(await database.runs(no)).toHaveLength(1)
  expect(await count()).toBe(1)
  expect(await forget()).toEqual(NOTHING)
})

test('checks that are locked, and claims and records, do not wait for the clean-up, nor it for them', async () => {
  const { no, count } = await oldMonth()
  const [hidden = 0] = await database.monitors(await team('free'))
  await runOn([4, 5], 27)
  await toDay(28, 27)
  await endLeases(database, 'all')
  const taken = await database.claim()
  expect(taken).toHaveLength(2)
  // As a statement does that records both.
  await during('select from checks for update', async () => {
    expect(await forget()).toMatchObject({ runs: 2 })
  })
  const runs = taken.map((one) => unchangedRun(one))
  expect(await recordUnchanged(database.store, runs)).toEqual(new Set([no, hidden]))
  expect(await count()).toBe(3)
})

test('a month whose end was interrupted is dropped the next time, and counted once', async () => {
  const { count } = await oldMonth()
  const name = (await months())[0]?.name ?? ''
  await database.query(`alter table runs detach partition ${name} concurrently`)
  expect(await forget()).toMatchObject({ months: expect.any(Number) })
  expect(await database.query(`select to_regclass('${name}') as gone`)).toEqual([{ gone: null }])
  expect(await count()).toBe(1)
})

test('a reader that stays for long keeps a month from being dropped, and nobody else waits meanwhile', async () => {
  const { no, count } = await oldMonth()
  const before = (await months()).length
  await during('select count(*) from runs', async () => {
    expect(await forget()).toMatchObject({ months: 0 })
    expect((await months()).some(({ pending }) => pending)).toBe(true)
    await endLeases(database, 'all')
    const taken = await database.claim()
    const runs = taken.map((one) => unchangedRun(one))
    expect(await recordUnchanged(database.store, runs)).toEqual(new Set([no]))
  })
  await forget()
  expect((await months()).length).toBeLessThan(before)
  expect((await months()).some(({ pending }) => pending)).toBe(false)
  expect(await count()).toBe(2)
})

test('deliveries and audit events before the window go; a delivery that is still to be sent stays', async () => {
  const [free, scale] = [await team('free'), await team('scale')]
  await toDay(1)
  for (const id of [free, scale])
    await database.query(
      `with d as (
         insert into deliveries (id, team_id, monitor_no, run_id, type, target, host, payload, status, due_at)
         values (gen_random_uuid(), $1, 1, gen_random_uuid(), 'webhook', '', 'h', '{}', 'success', null),
           (gen_random_uuid(), $1, 1, gen_random_uuid(), 'webhook', '', 'h', '{}', 'pending', clock())
       )
       insert into audit_events (team_id, action, target_type, actor_type, actor_label)
         values ($1, 'monitor.created', 'monitor', 'user', 'a')`,
      [id],
    )
  await toDay(14)
  expect(await forget()).toMatchObject({ deliveries: 0, auditEvents: 0, pageTexts: 0 })
  await toDay(16)
  expect(await forget()).toMatchObject({ deliveries: 1, auditEvents: 1 })
  expect(await database.query('select status from deliveries where team_id = $1', [free])).toEqual([
    { status: 'pending' },
  ])
  expect(await database.query('select 1 from audit_events where team_id = $1', [scale])).toHaveLength(1)
})

test('a destination that took no message stays marked when its last delivery is forgotten', async () => {
  const id = await team('free')
  const [no] = await database.monitors(id)
  await toDay(1)
  await database.query(
    `with x as (insert into dead_destinations (monitor_no, target_key) values ($1, 'used'))
     insert into deliveries (id, team_id, monitor_no, run_id, type, target, target_key, host, payload, status, due_at)
     select gen_random_uuid(), team_id, no, gen_random_uuid(), 'webhook', '', 'used', 'h', '{}', 'dead', null
     from monitors where no = $1`,
    [no],
  )
  await toDay(16)
  expect(await forget()).toMatchObject({ deliveries: 1 })
  expect(await database.query('select target_key from dead_destinations')).toEqual([{ target_key: 'used' }])
})

test('sent notices and reported events go with the window; what is still to be sent stays', async () => {
  const [free, scale] = [await team('free'), await team('scale')]
  await toDay(1)
  for (const id of [free, scale])
    await database.query(
      `with n as (
         insert into notices (id, team_id, monitor_no, kind, type, target, host, payload, status, due_at)
         values (gen_random_uuid(), $1, null, 'quota', 'webhook', '', 'h', '{}', 'success', null),
           (gen_random_uuid(), $1, null, 'quota', 'webhook', '', 'h', '{}', 'dead', null),
           (gen_random_uuid(), $1, null, 'quota', 'webhook', '', 'h', '{}', 'pending', clock())
       )
       insert into notice_events (team_id, monitor_no, run_id, kind, key, due_at)
         values ($1, null, null, 'quota', 'told ' || $1::text, null),
           ($1, null, null, 'quota', 'to be told ' || $1::text, clock()),
           ($1, 7, '01900000-0000-7000-8000-000000000001', 'failing', 'first ' || $1::text, null),
           ($1, 7, '01900000-0000-7000-8000-000000000002', 'failing', 'last ' || $1::text, null)`,
      [id],
    )
  await toDay(14)
  expect(await forget()).toEqual(NOTHING)
  await toDay(16)
  expect(await forget()).toMatchObject({ notices: 2 })
  const left = (table: string, column: string, id: string) =>
    database.query(`select ${column} as what from ${table} where team_id = $1 order by 1`, [id])
  expect(await left('notices', 'status', free)).toEqual([{ what: 'pending' }])
  // The last word about the health of a monitor stays: the next one depends on it.
  expect(await left('notice_events', 'key', free)).toEqual([{ what: `last ${free}` }, { what: `to be told ${free}` }])
  expect(await left('notices', 'status', scale)).toHaveLength(3)
  expect(await left('notice_events', 'key', scale)).toHaveLength(4)
})

test('while one process deletes, another does nothing', async () => {
  await database.monitors(await team('free'))
  await runOn([1, 2])
  await toDay(28)
  await database.store.connect(async (connection) => {
    await connection.query(sql.type(nothing)`select pg_advisory_lock(hashtext('tidemark.retention'))`)
    expect(await forget()).toEqual(NOTHING)
    await connection.query(sql.type(nothing)`select pg_advisory_unlock(hashtext('tidemark.retention'))`)
  })
  expect(await forget()).toMatchObject({ runs: 1 })
})

test('keys that ended before the window of their team are deleted, and the audit log still names them', async () => {
  const [free, scale] = [await team('free'), await team('scale')]
  await database.setClock('0')
  const key = async (teamId: string, name: string, ended: { revoked?: string; expires?: string } = {}) => {
    const [made] = await database.query<{ id: string }>(
      `insert into api_keys (team_id, user_id, name, prefix, hash, scopes, revoked_at, expires_at)
       values ($1, gen_random_uuid(), $2, 'svc_1234', decode(md5(random()::text), 'hex'), '{read}',
         clock() + $3::interval, clock() + $4::interval) returning id`,
      [teamId, name, ended.revoked ?? null, ended.expires ?? null],
    )
    return made?.id ?? ''
  }
  const names = async () =>
    (await database.query<{ name: string }>('select name from api_keys order by name')).map(({ name }) => name)
  await key(free, 'lives')
  await key(free, 'lives for a month', { expires: '30 days' })
  const revoked = await key(free, 'revoked', { revoked: '0' })
  await key(free, 'expired', { expires: '1 day' })
  await key(free, 'in grace, then revoked', { revoked: '7 days', expires: '30 days' })
  await key(scale, 'revoked, of a longer window', { revoked: '0' })
  await database.setClock('13 days 23 hours')
  expect(await forget()).toMatchObject({ apiKeys: 0 })
  await database.query(
    `insert into audit_events (team_id, action, target_type, target_id, target_label, actor_type, actor_id, actor_label)
     values ($1, 'monitor.created', 'monitor', 'm', 'M', 'api_key', $2, 'revoked')`,
    [free, revoked],
  )
  await database.setClock('15 days 1 minute')
  expect(await forget()).toMatchObject({ apiKeys: 2, auditEvents: 0 })
  expect(await names()).toEqual(['in grace, then revoked', 'lives', 'lives for a month', 'revoked, of a longer window'])
  const page = { offset: 0, limit: 10 }
  expect(await listAudit(database.store, { teamId: free, filter: {}, page })).toMatchObject([
    { actor: { type: 'api_key', id: revoked, label: 'revoked' } },
  ])
  await database.setClock('21 days 1 minute')
  expect(await forget()).toMatchObject({ apiKeys: 1 })
  await database.setClock('731 days')
  expect(await forget()).toMatchObject({ apiKeys: 2 })
  expect(await names()).toEqual(['lives'])
})
