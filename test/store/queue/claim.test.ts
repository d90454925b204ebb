import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { runIdMonitor } from '../../../core/run-id.ts'
import type { ClaimRequest } from '../../../store/queue/claim.ts'
import { releaseChecks } from '../../../store/queue/lease.ts'
import { recordUnchanged } from '../../../store/queue/record-unchanged.ts'
import { stopChecks } from '../../support/database/check-states.ts'
import { unchangedRun } from '../../support/database/finished-runs.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { eventually } from '../../support/run/eventually.ts'

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
})
// A test that failed leaves nothing to the next one either.
afterEach(async () => {
  await stopChecks(database, 'all')
  await database.setClock('0')
})
afterAll(() => database[Symbol.asyncDispose]())

const numbers = (rows: readonly { no: number }[]) => rows.map(({ no }) => no).sort((a, b) => a - b)

/**
 * Returns the numbers that `count` claims at once take, and then those that one claim after the other takes until one
 * takes nothing: a claim skips teams that another holds at that moment.
 */
async function claimAtOnce(count: number, limits: Partial<ClaimRequest>): Promise<number[]> {
  const claims = await Promise.all(Array.from({ length: count }, () => database.claim(limits)))
  const taken = claims.flatMap(numbers)
  for (let rest = await database.claim(limits); rest.length > 0; rest = await database.claim(limits))
    taken.push(...numbers(rest))
  return taken
}

test('a claim takes what is due, and nothing that is due later, paused or of another queue', async () => {
  const team = await database.team()
  const due = await database.monitors(team, { count: 2 })
  const [paused] = await database.monitors(team)
  await database.monitors(team, { dueSeconds: -30 })
  await database.monitors(team, { queue: 'visual' })
  await stopChecks(database, paused ?? 0)

  expect(numbers(await database.claim())).toEqual(due)
  expect(await database.claim()).toEqual([])
})

test('the most overdue checks are taken first', async () => {
  const team = await database.team()
  const late = await database.monitors(team, { count: 5, dueSeconds: 5 })
  const later = await database.monitors(team, { count: 5, dueSeconds: 50 })

  expect(numbers(await database.claim({ limit: 5 }))).toEqual(later)
  expect(numbers(await database.claim({ limit: 5 }))).toEqual(late)
})

test('a claimed check carries its own run id, fence, configuration and times', async () => {
  const team = await database.team()
  const [no = 0] = await database.monitors(team, {
    url: 'https://example.com/a',
    request: { method: 'POST' },
    dueSeconds: 2,
  })
  const [claimed] = await database.claim()
  const seen = await database.check(no)

  expect(claimed).toMatchObject({
    no,
    fence: 1,
    run_id: seen.run_id,
    team_id: team,
    url: 'https://example.com/a',
    reading_id: null,
    request_config: { method: 'POST' },
  })
  expect(runIdMonitor(claimed?.run_id ?? '')).toBe(no)
  expect((claimed?.claimed_ms ?? 0) - (claimed?.due_ms ?? 0)).toBeGreaterThan(1_900)
  expect(Math.abs((seen.due_ms ?? 0) - (claimed?.claimed_ms ?? 0) - 60_000)).toBeLessThan(1)
})

test('claims at once never take the same check, and together take each', async () => {
  const teams = await Promise.all(Array.from({ length: 5 }, () => database.team()))
  const due = (await Promise.all(teams.map((team) => database.monitors(team, { count: 120 })))).flat()
  const taken: number[] = []
  // Rounds, for a claim skips teams that another holds at that moment.
  for (let round = 0; round < 50 && taken.length < due.length; round++) {
    const claims = await Promise.all(Array.from({ length: 10 }, () => database.claim({ limit: 17, perTeam: 5 })))
    taken.push(...claims.flatMap(numbers))
  }

  expect(taken.toSorted((a, b) => a - b)).toEqual(due.toSorted((a, b) => a - b))
  for (const team of teams) expect((await database.usage(team)).runs_used).toBe(120)
})

test('one claim is divided among all teams that have due checks, whatever the first ones have', async () => {
  const floods = ['00000001', '00000002', '00000003', '00000004', '00000005']
  const teams: string[] = []
  for (const flood of floods) {
    const team = await database.team({ id: `${flood}-0000-4000-8000-000000000000` })
    await database.monitors(team, { count: 400, dueSeconds: 600 })
    teams.push(team)
  }
  const small = await database.team({ id: 'ffffffff-ffff-4fff-bfff-fffffffffff1' })
  const nos = await database.monitors(small, { count: 3 })
  const claimed = await database.claim({ limit: 600, perTeam: null })
  expect(claimed.filter((check) => check.team_id === small).map(({ no }) => no)).toEqual(nos)
  for (const team of teams) expect(claimed.filter((check) => check.team_id === team)).toHaveLength(100)
})

test('a check whose lease ended is due again, with the same run id and a new fence, not counted twice', async () => {
  const team = await database.team()
  await database.monitors(team)
  const [first] = await database.claim({ leaseSeconds: 0 })
  const [second] = await database.claim()

  expect(second?.run_id).toBe(first?.run_id)
  expect(second?.fence).toBe((first?.fence ?? 0) + 1)
  expect((await database.usage(team)).runs_used).toBe(1)
})

test('exactly seven checks start where seven runs are left, however many claim at once', async () => {
  const team = await database.team({ runs: 10, used: 3 })
  await database.monitors(team, { count: 60 })
  const started = await claimAtOnce(20, { limit: 5 })

  expect(new Set(started).size).toBe(7)
  expect(started).toHaveLength(7)
  expect(await database.usage(team)).toMatchObject({ runs_used: 10, credits: 0 })
})

test('credits are taken when the pool is used up, and neither is overspent by claims at once', async () => {
  const team = await database.team({ runs: 3, credits: 2 })
  await database.monitors(team, { count: 20 })
  const started = await claimAtOnce(8, { limit: 1 })

  expect(started).toHaveLength(5)
  expect(await database.usage(team)).toMatchObject({ runs_used: 3, credits: 0 })
})

test(
  'what another claim has counted since the statement began is seen: the pool is not overspent in place of ' +
    'credits.',
  async () => {
    await using slow = await openQueueDatabase()
    const team = await slow.team({ runs: 3, credits: 2 })
    await slow.monitors(team, { count: 20 })
    const holder = new pg.Client({ connectionString: slow.url })
    await holder.connect()
    await using closing = new AsyncDisposableStack()
    closing.defer(() => holder.end())
    await holder.query('select pg_advisory_lock(1)')
    // The clock is read after the statement's snapshot was taken and before the row of the quota is locked. It stands
    // still for as long as the holder likes.
    await slow.query(
      `create or replace function clock() returns timestamptz language sql volatile as 'select now() from ` +
        `pg_advisory_xact_lock_shared(1)'`,
    )
    // It would wait for the clock, and hold the row for so long that the claim skips it.
    await slow.query('alter table team_usage disable trigger team_usage_tell_quota')
    const claiming = slow.claim()
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`
    await eventually(
      () => slow.query(waiting),
      ({ length }) => length > 0,
    )
    await slow.query('update team_usage set runs_used = 3')
    await holder.query('select pg_advisory_unlock(1)')

    expect(await claiming).toHaveLength(2)
    expect(await slow.usage(team)).toMatchObject({ runs_used: 3, credits: 0 })
  },
)

test('credits still run checks where a smaller plan left more used than its limit', async () => {
  const team = await database.team({ runs: 200, used: 900, credits: 4 })
  await database.monitors(team, { count: 9 })

  expect(await database.claim()).toHaveLength(4)
  expect(await database.usage(team)).toMatchObject({ runs_used: 900, credits: 0 })
})

test('the pools of a trial are apart: visual and search checks do not take from the runs', async () => {
  const team = await database.team({ runs: 10, visual: 2, serp: 1 })
  for (const queue of ['static', 'visual', 'serp'] as const) await database.monitors(team, { count: 4, queue })

  expect(await database.claim({ queue: 'visual' })).toHaveLength(2)
  expect(await database.claim({ queue: 'serp' })).toHaveLength(1)
  expect(await database.claim({ queue: 'static' })).toHaveLength(4)
  expect(await database.usage(team)).toEqual({ runs_used: 4, visual_used: 2, serp_used: 1, credits: 0 })
})

test('where a plan has one pool, all kinds of checks share it', async () => {
  const team = await database.team({ runs: 5 })
  for (const queue of ['static', 'browser', 'visual', 'serp'] as const)
    await database.monitors(team, { count: 2, queue })
  const started = []
  for (const queue of ['visual', 'serp', 'browser', 'static'] as const)
    started.push(...(await database.claim({ queue })))

  expect(started).toHaveLength(5)
  expect(await database.usage(team)).toEqual({ runs_used: 5, visual_used: 0, serp_used: 0, credits: 0 })
})

test(
  'a check takes what it costs, from the pool first and then from the credits, and waits where too little is ' +
    'left.',
  async () => {
    const team = await database.team({ runs: 7, used: 5 })
    const [no = 0] = await database.monitors(team, { cost: 3 })
    expect(await database.claim()).toEqual([])
    expect(await database.usage(team)).toMatchObject({ runs_used: 5, credits: 0 })

    await database.query('update team_usage set credits = 4 where team_id = $1', [team])
    expect(numbers(await database.claim())).toEqual([no])
    expect(await database.usage(team)).toMatchObject({ runs_used: 7, credits: 3 })
  },
)

test('what is left is never overspent by checks that cost more than one, and cheaper ones go on', async () => {
  const team = await database.team({ runs: 10 })
  await database.monitors(team, { count: 4, cost: 3, dueSeconds: 10 })
  const [cheap = 0] = await database.monitors(team, { dueSeconds: 1 })
  expect(await database.claim()).toHaveLength(3)
  expect(await database.usage(team)).toMatchObject({ runs_used: 9 })
  expect(numbers(await database.claim())).toEqual([cheap])
  expect(await database.usage(team)).toMatchObject({ runs_used: 10 })

  const many = await database.team({ runs: 10 })
  await database.monitors(many, { count: 8, cost: 3 })
  expect(await claimAtOnce(8, { limit: 1 })).toHaveLength(3)
  expect(await database.usage(many)).toMatchObject({ runs_used: 9 })
})

test('a team without a limit claims whatever is due, and its credits stay', async () => {
  const team = await database.team({ credits: 2 })
  await database.query('update team_usage set runs_limit = null where team_id = $1', [team])
  for (const queue of ['static', 'visual', 'serp'] as const) await database.monitors(team, { queue, cost: 5, count: 2 })
  for (const queue of ['static', 'visual', 'serp'] as const) expect(await database.claim({ queue })).toHaveLength(2)
  expect(await database.usage(team)).toEqual({ runs_used: 30, visual_used: 0, serp_used: 0, credits: 2 })
})

test('a run that was paid when it was asked for is claimed though the quota is used up', async () => {
  const team = await database.team({ runs: 5, used: 5 })
  const [, asked = 0] = await database.monitors(team, { count: 3 })
  await database.query('update checks set queued_run_id = new_run_id(clock(), no) where no = $1', [asked])
  const { queued_run_id } = await database.check(asked)
  const claimed = await database.claim()

  expect(claimed.map(({ no, run_id }) => [no, run_id])).toEqual([[asked, queued_run_id]])
  expect((await database.check(asked)).queued_run_id).toBeNull()
  expect(await database.usage(team)).toMatchObject({ runs_used: 5 })
})

test('a run asked for while another is under way waits for it, and keeps its id', async () => {
  const team = await database.team()
  const [no = 0] = await database.monitors(team)
  const [first] = await database.claim()
  await database.query('update checks set queued_run_id = new_run_id(clock(), no) where no = $1', [no])
  const { queued_run_id } = await database.check(no)
  expect(await database.claim()).toEqual([])

  await recordUnchanged(database.store, [unchangedRun(first)])
  const [second] = await database.claim()
  expect(second?.run_id).toBe(queued_run_id)
  await recordUnchanged(database.store, [unchangedRun(second)])
  // Two runs of one millisecond have no order.
  const ended = await database.runs(no)
  expect(new Set(ended.map(({ id }) => id))).toEqual(new Set([first?.run_id, queued_run_id]))
})

test('a paused check that was asked for runs once and is not scheduled after it', async () => {
  const team = await database.team()
  const [no = 0] = await database.monitors(team)
  await database.query(
    'update checks set next_run_at = null, due_at = clock(), queued_run_id = new_run_id(clock(), no) where no = $1',
    [no],
  )
  const [claimed] = await database.claim()
  await recordUnchanged(database.store, [unchangedRun(claimed)])

  expect(claimed?.due_ms).toBeNull()
  expect(await database.check(no)).toMatchObject({ due_ms: null, next_ms: null, run_id: null, runs_total: 1 })
})

test('what is given back is due at once or after its delay, with the same run id and no second count', async () => {
  const team = await database.team()
  await database.monitors(team, { count: 2 })
  const [now, later] = await database.claim()
  if (!now || !later) throw new Error('two checks were due')
  await releaseChecks(database.store, [
    { no: now.no, fence: now.fence, delayMs: 0 },
    { no: later.no, fence: later.fence, delayMs: 3_000 },
  ])

  const again = await database.claim()
  expect(again.map(({ no, run_id }) => [no, run_id])).toEqual([[now.no, now.run_id]])
  expect((await database.usage(team)).runs_used).toBe(2)
  await database.setClock('3 seconds')
  expect(numbers(await database.claim())).toEqual([later.no])
})

test('due times follow the clock of the store', async () => {
  const team = await database.team()
  const [no = 0] = await database.monitors(team, { dueSeconds: -3 * 86_400 })
  expect(await database.claim()).toEqual([])
  await database.setClock('3 days 1 second')
  const [claimed] = await database.claim()
  expect(claimed?.no).toBe(no)
  await recordUnchanged(database.store, [unchangedRun(claimed)])
  const { now_ms, next_ms } = await database.check(no)
  expect((next_ms ?? 0) - now_ms).toBeGreaterThan(50_000)
})

test('teams without quota do not keep those behind them from being claimed', async () => {
  const poor = Array.from({ length: 300 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`)
  await database.query(
    `with u as (select unnest($1::uuid[]) as id),
     t as (insert into teams (id, name, owner_user_id, tier) select id, 'P', gen_random_uuid(), 'free' from u),
     q as (insert into team_usage (team_id, runs_limit, runs_used) select id, 200, 200 from u)
     insert into checks (no, team_id, queue, due_at, next_run_at, interval_seconds, shift_seconds)
     select 900000 + row_number() over (), id, 'static', clock(), clock(), 60, 0 from u`,
    [poor],
  )
  const team = await database.team({ id: 'ffffffff-ffff-4fff-bfff-ffffffffffff' })
  const [no] = await database.monitors(team)

  expect(numbers(await database.claim())).toEqual([no])
})
