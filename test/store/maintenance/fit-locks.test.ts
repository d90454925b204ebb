import fc from 'fast-check'
import { sql } from 'slonik'
import { expect, test } from 'vitest'
import { allowedBy } from '../../../core/machine/plan.ts'
import { serpAccess } from '../../../core/plan/serp-access.ts'
import type { Tier } from '../../../schema/account/plan.ts'
import { grantCredits, setPlan } from '../../../store/accounts/admin-accounts.ts'
import { nothing } from '../../../store/db/row.ts'
import { fitLocks } from '../../../store/maintenance/fit-locks.ts'
import { runNow } from '../../../store/monitors/monitor-run-now.ts'
import { readUsage } from '../../../store/quota/usage-summary.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { spendRun } from '../../support/database/spend-run.ts'
import { createTestOwner } from '../../support/database/test-owner.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

let count = 0
async function owner(plan: Tier) {
  const email = `owner${(count += 1)}@example.com`
  const made = await createTestOwner(database.store, { email, plan, serp: false, sessionKey: 'key' })
  return { email, team: made.team_id }
}
const endTrial = (team: string) =>
  database.query(`update teams set trial_ends_at = clock() - interval '1 second' where id = $1 and tier = 'free'`, [
    team,
  ])
async function search(team: string): Promise<number> {
  const [made] = await database.query<{ no: number }>(
    `with m as (
       insert into monitors (team_id, user_id, kind, name, schedule_interval_seconds, keyword, engine, mode, pages,
         location_code, language_code, device)
       values ($1, gen_random_uuid(), 'serp', 'S', 600, 'k', 'google', 'rank_tracking', 1, 'us', 'en', 'desktop')
       returning no
     ), c as (
       insert into checks (no, team_id, queue, due_at, next_run_at, interval_seconds, shift_seconds)
       select no, $1, 'serp', clock(), clock(), 600, 0 from m
     )
     select no::float8 from m`,
    [team],
  )
  return made?.no ?? 0
}
async function seen(no: number) {
  const [row] = await database.query<{ locked: boolean; scheduled: boolean; due: boolean | null }>(
    `select m.locked, c.next_run_at is not null as scheduled, c.due_at <= clock() as due
     from monitors m join checks c on c.no = m.no where m.no = $1`,
    [no],
  )
  return row
}

const RUNS = { locked: false, scheduled: true, due: true }
const LOCKED = { locked: true, scheduled: false, due: null }

test('the end of a trial stops every schedule, and a plan makes all due at once', async () => {
  const { email, team } = await owner('free')
  const [page] = await database.monitors(team, { dueSeconds: -3600 })
  await fitLocks(database.store)
  expect(await seen(page!)).toEqual({ locked: false, scheduled: true, due: false })
  await endTrial(team)
  await fitLocks(database.store)
  expect(await seen(page!)).toEqual(LOCKED)
  expect(await readUsage(database.store, team)).toMatchObject({
    monitorsActive: 0,
    monitorsLocked: 1,
    trialActive: false,
  })
  // Credits alone open nothing after a trial, and are kept.
  expect(await grantCredits(database.store, email, 5)).toEqual({ credits: 5, waitsForPlan: true })
  expect(await seen(page!)).toEqual(LOCKED)
  await setPlan(database.store, email, 'lite', false)
  expect(await seen(page!)).toEqual(RUNS)
  expect(await readUsage(database.store, team)).toMatchObject({ runCredits: 5, runs: { used: 0 }, monitorsLocked: 0 })
})

const notices = (team: string) =>
  database.query<{ detail: object }>(`select detail from notice_events where team_id = $1 and kind = 'quota'`, [team])

test('the end of a trial is reported once, with the number of monitors that it locks', async () => {
  const { team } = await owner('free')
  await database.monitors(team, { count: 2 })
  await database.setClock('15 days')
  expect((await fitLocks(database.store)).trials).toBeGreaterThan(0)
  expect(await fitLocks(database.store)).toEqual({ trials: 0, searches: 0 })
  await database.setClock('0')
  const found = await notices(team)
  expect(found).toEqual([{ detail: expect.objectContaining({ pool: 'trial', used: 14, limit: 14, locked: 2 }) }])
  const unused = await owner('free')
  await endTrial(unused.team)
  await fitLocks(database.store)
  expect(await notices(unused.team)).toEqual([])
})

test('searches that are locked because credits are used up are reported, each time that it happens', async () => {
  const { email, team } = await owner('lite')
  await search(team)
  for (let time = 1; time <= 2; time++) {
    await grantCredits(database.store, email, 3)
    await database.query('update team_usage set credits = 0 where team_id = $1', [team])
    await fitLocks(database.store)
    expect(await notices(team)).toHaveLength(time)
  }
  expect((await notices(team))[0]?.detail).toMatchObject({ pool: 'serp', locked: 1, credits_remaining: 0 })
})

test('a longer trial opens what its end had locked', async () => {
  const { team } = await owner('free')
  const [page] = await database.monitors(team)
  await endTrial(team)
  await fitLocks(database.store)
  expect(await seen(page!)).toEqual(LOCKED)
  await database.query(`update teams set trial_ends_at = clock() + interval '1 day' where id = $1`, [team])
  expect(await seen(page!)).toEqual(RUNS)
})

test('what is paused or suspended stays so after the lock', async () => {
  const { email, team } = await owner('free')
  const [paused, suspended] = await database.monitors(team, { count: 2 })
  await database.query(
    'update monitors set paused = no = $1, suspended = no = $2 where no = any(array[$1, $2]::bigint[])',
    [paused, suspended],
  )
  await database.query('update checks set next_run_at = null, due_at = null where team_id = $1', [team])
  await endTrial(team)
  await fitLocks(database.store)
  await setPlan(database.store, email, 'lite', false)
  for (const no of [paused, suspended]) expect(await seen(no!)).toEqual({ locked: false, scheduled: false, due: null })
})

test('a check under way and a queued run end after the lock, and no other follows', async () => {
  const { team } = await owner('free')
  const [running, queued] = await database.monitors(team, { count: 2 })
  await database.query(`update checks set queued_run_id = gen_random_uuid() where no = $1`, [queued])
  await database.query(
    `update checks set run_id = gen_random_uuid(), due_at = clock() + interval '60 s' where no = $1`,
    [running],
  )
  await endTrial(team)
  await fitLocks(database.store)
  expect(await seen(running!)).toEqual({ locked: true, scheduled: false, due: false })
  expect(await seen(queued!)).toEqual({ locked: true, scheduled: false, due: true })
})

test('no claim takes a check of a team whose trial has ended, before anything has locked its monitors', async () => {
  const { email, team } = await owner('free')
  const [fresh, queued, late] = await database.monitors(team, { count: 3, dueSeconds: 60 })
  await grantCredits(database.store, email, 5)
  await database.query(`update checks set queued_run_id = uuid_v7(clock()) where no = $1`, [queued])
  await database.query(`update checks set due_at = clock() + interval '1 hour' where no = $1`, [late])
  await database.setClock('15 days')
  const claimed = (await database.claim()).filter(({ team_id }) => team_id === team).map(({ no }) => no)
  // What was paid before still runs.
  expect(claimed).toEqual([queued])
  expect(await spendRun(database.store, team, 'runs')).toEqual({ kind: 'trial_over' })
  expect(await seen(fresh!)).toMatchObject({ locked: false })
  const [one] = await database.query<{ id: string }>('select id from monitors where no = $1', [fresh])
  expect(await database.store.transaction((tx) => runNow(tx, team, one!.id, 'page'))).toEqual({ kind: 'locked' })
  expect(await database.usage(team)).toMatchObject({ runs_used: 0, credits: 5 })
  await setPlan(database.store, email, 'lite', false)
  const after = (await database.claim()).filter(({ team_id }) => team_id === team).map(({ no }) => no)
  await database.setClock('0')
  expect(new Set(after)).toEqual(new Set([fresh, late]))
})

test('runs that are asked for while plans lock and unlock the monitors end in no deadlock', async () => {
  const { email, team } = await owner('free')
  const numbers = await database.monitors(team, { count: 8, dueSeconds: -3600 })
  const ids = await database.query<{ id: string }>('select id from monitors where no = any($1)', [numbers])
  const another = await database.anotherStore()
  const asked = Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      another.transaction((tx) => runNow(tx, team, ids[n % ids.length]!.id, 'page')).then(({ kind }) => kind),
    ),
  )
  for (let round = 0; round < 8; round += 1) {
    await endTrial(team)
    await fitLocks(database.store)
    await setPlan(database.store, email, 'lite', false)
    await setPlan(database.store, email, 'free', false)
  }
  // A deadlock would have ended one of the transactions with an error.
  expect(new Set(await asked).difference(new Set(['queued', 'locked', 'used_up']))).toEqual(new Set())
})

test('searches of a plan without SERP run while there are credits, and again once some are bought', async () => {
  const { email, team } = await owner('lite')
  const no = await search(team)
  const [page] = await database.monitors(team)
  await fitLocks(database.store)
  expect(await seen(no)).toEqual(LOCKED)
  await grantCredits(database.store, email, 3)
  expect(await seen(no)).toEqual(RUNS)
  await database.query('update team_usage set credits = 0 where team_id = $1', [team])
  await fitLocks(database.store)
  expect(await seen(no)).toEqual(LOCKED)
  await setPlan(database.store, email, 'lite', true)
  expect(await seen(no)).toEqual(RUNS)
  expect(await seen(page!)).toEqual(RUNS)
})

const EVENTS = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('plan' as const),
      tier: fc.constantFrom('lite', 'pro', 'free' as Tier),
      serp: fc.boolean(),
    }),
    fc.constant({ kind: 'trial_ends' as const }),
    fc.record({ kind: fc.constant('credits' as const), runs: fc.constantFrom(1, 50) }),
    fc.constant({ kind: 'credits_gone' as const }),
    fc.constant({ kind: 'another_look' as const }),
  ),
  { minLength: 1, maxLength: 12 },
)

test('whatever happens to a team, its monitors run exactly where the table of the plan lets them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('free' as Tier, 'lite' as Tier), EVENTS, async (first, events) => {
      const { email, team } = await owner(first)
      const [page] = await database.monitors(team)
      const serpMonitor = await search(team)
      const facts = { tier: first as Tier, serp: serpAccess(first, false), trialActive: first === 'free', credits: 0 }
      for (const event of events) {
        if (event.kind === 'plan') {
          await setPlan(database.store, email, event.tier, event.serp)
          const stays = facts.tier === 'free' && event.tier === 'free'
          facts.trialActive = event.tier === 'free' && (stays ? facts.trialActive : true)
          facts.tier = event.tier
          facts.serp = serpAccess(event.tier, event.serp)
        }
        if (event.kind === 'trial_ends') {
          await endTrial(team)
          facts.trialActive = false
        }
        if (event.kind === 'credits') {
          await grantCredits(database.store, email, event.runs)
          facts.credits += event.runs
        }
        if (event.kind === 'credits_gone') {
          await database.query('update team_usage set credits = 0 where team_id = $1', [team])
          facts.credits = 0
        }
        // What locks may come a second later; what unlocks is there at once.
        const { pages, searches } = allowedBy(facts)
        if (pages) expect(await seen(page!)).toMatchObject({ locked: false, scheduled: true })
        if (searches) expect(await seen(serpMonitor)).toMatchObject({ locked: false, scheduled: true })
        await fitLocks(database.store)
        expect(await seen(page!)).toMatchObject({ locked: !pages, scheduled: pages })
        expect(await seen(serpMonitor)).toMatchObject({ locked: !searches, scheduled: searches })
        expect((await readUsage(database.store, team)).serpAllowed).toBe(searches)
      }
    }),
    { numRuns: 25 },
  )
})

test('a plan that is set while a thousand checks are due is never overspent, and nobody waits for ever', async () => {
  const { email, team } = await owner('free')
  await database.monitors(team, { count: 1_000, dueSeconds: 60 })
  await database.query(`update team_usage set runs_used = 0 where team_id = $1`, [team])
  const claimed: string[] = []
  let isOver = false
  const claims = async () => {
    while (!isOver) for (const { run_id } of await database.claim({ limit: 40, perTeam: 40 })) claimed.push(run_id)
  }
  const changes = async () => {
    for (const [plan, serp] of [
      ['lite', false],
      ['free', false],
      ['lite', true],
      ['pro', false],
    ] as const) {
      await setPlan(database.store, email, plan, serp)
      await grantCredits(database.store, email, 3)
      await fitLocks(database.store)
    }
    isOver = true
  }
  await Promise.all([claims(), claims(), changes()])
  const [own] = await database.query<{ used: number; credits: number; most: number }>(
    'select runs_used::float8 as used, credits::float8, runs_limit::float8 as most from team_usage where team_id = $1',
    [team],
  )
  expect(new Set(claimed).size).toBe(claimed.length)
  expect(own!.used).toBeLessThanOrEqual(own!.most)
  await database.store.query(sql.type(nothing)`select 1`)
})
