import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { SEARCH_TABLE, serpMonitorSpec } from '../../../store/monitors/kinds/search-table.ts'
import { lockMonitor, saveMonitor } from '../../../store/monitors/monitor-edit.ts'
import { runNow } from '../../../store/monitors/monitor-run-now.ts'
import { extendLeases, releaseChecks } from '../../../store/queue/lease.ts'
import { freeExits, keepExits } from '../../../store/queue/search-exits.ts'
import { renewPeriods } from '../../../store/quota/pool.ts'
import { stopChecks } from '../../support/database/check-states.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import {
  addSearch,
  checkIn,
  claimIn,
  leaveAlone,
  recordIn,
  resetSearches,
} from '../../support/database/stored-searches.ts'

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
})
afterEach(() => resetSearches(database))
afterAll(() => database[Symbol.asyncDispose]())

const MINUTES = 60_000

test('one check of an engine and exit is claimed at a time; other engines and other exits have their own', async () => {
  const team = await database.team()
  await addSearch(database, team, { engine: 'google' })
  await addSearch(database, team, { engine: 'google' })
  await addSearch(database, team, { engine: 'google' })
  await addSearch(database, team, { engine: 'bing' })
  const claimed = await claimIn(database)
  expect(claimed.map(({ search }) => search.engine).toSorted()).toEqual(['bing', 'google'])
  expect(await claimIn(database)).toEqual([])
  expect(await claimIn(database, { exit: 'elsewhere' })).toMatchObject([{ search: { engine: 'google' } }])
})

test('two processes that claim at once never get two checks of one engine and exit', async () => {
  const team = await database.team()
  for (let n = 0; n < 6; n++) await addSearch(database, team, { engine: 'yahoo' })
  const other = await database.anotherStore()
  const both = [database, { ...database, store: other }]
  for (let round = 0; round < 6; round++) {
    const claims = await Promise.all([...both, ...both].map((one) => claimIn(one)))
    expect(claims.flat()).toHaveLength(1)
    const [claimed] = claims.flat()
    if (claimed) await recordIn(database, claimed, { outcome: 'ok' })
  }
})

test('the next check of an engine and exit waits for the spacing, and up to a half more', async () => {
  const team = await database.team()
  await addSearch(database, team)
  await addSearch(database, team)
  await checkIn(database, { outcome: 'ok' }, { spacingMs: 40_000 })
  expect(await claimIn(database)).toEqual([])
  await database.setClock('39 seconds')
  expect(await claimIn(database)).toEqual([])
  await database.setClock('61 seconds')
  expect(await claimIn(database)).toHaveLength(1)
})

test('the exit of a worker that was killed is free when its lease ends, and the check keeps its run', async () => {
  const team = await database.team()
  await addSearch(database, team)
  const [first] = await claimIn(database)
  await database.setClock('59 seconds')
  expect(await claimIn(database)).toEqual([])
  await database.setClock('61 seconds')
  const [again] = await claimIn(database)
  expect(again).toMatchObject({ no: first?.no, run_id: first?.run_id })
  expect((await database.usage(team)).runs_used).toBe(1)
  // The first worker wakes: it has neither the check nor the exit any more, and says nothing about the engine.
  if (first) expect(await recordIn(database, first, { outcome: 'blocked' })).toEqual(new Set())
  expect(await database.query('select from serp_engines')).toEqual([])
  expect(await database.query('select from serp_exits where busy_until is not null')).toHaveLength(1)
})

test('a heartbeat keeps the exit of a check that takes long', async () => {
  const team = await database.team()
  await addSearch(database, team)
  await addSearch(database, team)
  const claimed = await claimIn(database)
  await database.setClock('50 seconds')
  await keepExits(database.store, claimed, 60)
  await extendLeases(database.store, claimed, 60)
  await database.setClock('100 seconds')
  expect(await claimIn(database)).toEqual([])
})

test('a check that is given back frees its exit, after the spacing', async () => {
  const team = await database.team()
  await addSearch(database, team)
  const claimed = await claimIn(database)
  await freeExits(database.store, claimed, 10_000)
  await releaseChecks(
    database.store,
    claimed.map(({ no, fence }) => ({ no, fence, delayMs: 0 })),
  )
  expect(await claimIn(database)).toEqual([])
  await database.setClock('16 seconds')
  expect(await claimIn(database)).toHaveLength(1)
})

test('teams take turns at an engine, however many checks one of them has', async () => {
  const [busy, quiet] = [await database.team(), await database.team()]
  for (let n = 0; n < 4; n++) await addSearch(database, busy, { dueSeconds: 100 })
  await addSearch(database, quiet)
  const turns = [await checkIn(database, { outcome: 'ok' }), await checkIn(database, { outcome: 'ok' })]
  expect(new Set(turns.map(({ team_id }) => team_id))).toEqual(new Set([busy, quiet]))
})

test('a check costs one run for each page, out of the pool of searches where there is one, then credits', async () => {
  const trial = await database.team({ serp: 4, credits: 2 })
  await addSearch(database, trial, { pages: 3 })
  await checkIn(database, { outcome: 'ok' })
  expect(await database.usage(trial)).toMatchObject({ runs_used: 0, serp_used: 3, credits: 2 })
  await database.makeDue()
  await checkIn(database, { outcome: 'ok' })
  expect(await database.usage(trial)).toMatchObject({ serp_used: 4, credits: 0 })

  const paid = await database.team()
  await addSearch(database, paid, { pages: 2 })
  await checkIn(database, { outcome: 'ok' })
  expect(await database.usage(paid)).toMatchObject({ runs_used: 2, serp_used: 0 })
})

test('a check that needs more runs than are left is skipped: a row for each missed check, no run used', async () => {
  const team = await database.team({ runs: 2 })
  const no = await addSearch(database, team, { pages: 3 })
  expect(await claimIn(database)).toEqual([])
  expect(await claimIn(database)).toEqual([])
  expect(await database.runs(no)).toMatchObject([
    { status: 'skipped', error_code: null, error_message: expect.stringContaining('needs 3 runs, and 2 are left') },
  ])
  expect(await database.usage(team)).toMatchObject({ runs_used: 0 })
  const { next_ms, now_ms, failures } = await database.check(no)
  expect(next_ms).toBeGreaterThan(now_ms)
  expect(failures).toBe(0)
  await database.setClock('11 minutes')
  await claimIn(database)
  expect(await database.runs(no)).toHaveLength(2)
  await database.query('update team_usage set runs_limit = 3 where team_id = $1', [team])
  await database.setClock('22 minutes')
  expect(await claimIn(database)).toHaveLength(1)
})

test('a search that is due at the end of a period is not skipped: it waits for the next period', async () => {
  const team = await database.team({ runs: 4, used: 4, credits: 5 })
  const no = await addSearch(database, team, { pages: 3 })
  const query = "update team_usage set resets_at = clock() - interval '1 second' where team_id = $1"
  await database.query(query, [team])
  expect(await claimIn(database)).toEqual([])
  expect(await database.runs(no)).toEqual([])
  await renewPeriods(database.store)
  expect(await claimIn(database)).toMatchObject([{ no }])
  expect(await database.usage(team)).toMatchObject({ runs_used: 3, credits: 5 })
})

test.each([
  ['credits', { runs: 2 }, 'credits = 1'],
  ['a larger plan', { runs: 2 }, 'runs_limit = 3'],
  ['a plan without a limit', { runs: 2 }, 'runs_limit = null'],
  ['a larger pool of searches', { serp: 2 }, 'serp_limit = 3'],
  ['a new period', { runs: 4, used: 3 }, 'runs_used = 0'],
])('a daily search that was skipped is due at once after %s, and keeps its times', async (_, has, change) => {
  const team = await database.team(has)
  const no = await addSearch(database, team, { pages: 3, interval: 86_400 })
  await claimIn(database)
  const skipped = await database.check(no)
  await database.query(`update team_usage set ${change} where team_id = $1`, [team])
  const [claimed] = await claimIn(database)
  expect(claimed).toMatchObject({ no })
  if (claimed) await recordIn(database, claimed, { outcome: 'ok' })
  expect((await database.check(no)).next_ms).toBe(skipped.next_ms)
})

test('too few runs wake no skipped search, and enough of them wake none that was made or paused', async () => {
  const team = await database.team({ runs: 4 })
  const made = await addSearch(database, team, { pages: 3, interval: 86_400, dueSeconds: 9 })
  await checkIn(database, { outcome: 'ok' })
  const [dear, paused] = [
    await addSearch(database, team, { pages: 3, interval: 86_400 }),
    await addSearch(database, team, { pages: 3, interval: 86_400 }),
  ]
  await database.query('delete from serp_exits')
  await claimIn(database)
  await stopChecks(database, paused)
  const due = async () =>
    (await database.query<{ no: number }>('select no::float8 from checks where due_at <= clock()')).map(({ no }) => no)
  await database.query('update team_usage set credits = 1 where team_id = $1', [team])
  expect(await due()).toEqual([])
  await database.query('update team_usage set credits = 2 where team_id = $1', [team])
  expect(await due()).toEqual([dear])
  expect((await database.check(made)).next_ms).toBeGreaterThan((await database.check(made)).now_ms)
})

test('a purchase while a check is about to be skipped is not missed', async () => {
  const team = await database.team({ runs: 2 })
  const no = await addSearch(database, team, { pages: 3, interval: 86_400 })
  const buyer = new pg.Client({ connectionString: database.url })
  await buyer.connect()
  await buyer.query('begin')
  await buyer.query('update team_usage set credits = 1 where team_id = $1', [team])
  expect(await claimIn(database)).toEqual([])
  await buyer.query('commit')
  await buyer.end()
  expect(await claimIn(database)).toMatchObject([{ no }])
})

test('a check of an engine that is left alone is claimed without an exit and without a run', async () => {
  const team = await database.team()
  await addSearch(database, team)
  await checkIn(database, { outcome: 'blocked' })
  const no = await addSearch(database, team, { pages: 2 })
  const [claimed] = await claimIn(database)
  expect(claimed).toMatchObject({ no })
  const { now_ms } = await database.check(no)
  expect((claimed?.refused_until_ms ?? 0) - now_ms).toBeGreaterThan(14 * MINUTES)
  expect(await database.usage(team)).toMatchObject({ runs_used: 1 })
  expect(await database.query('select from serp_exits where busy_until is not null')).toEqual([])
})

test('a run whose process died gets its runs back when its engine is left alone then, and only once', async () => {
  const team = await database.team({ runs: 10 })
  const no = await addSearch(database, team, { pages: 3 })
  const [lost] = await claimIn(database)
  expect(await database.usage(team)).toMatchObject({ runs_used: 3 })
  await addSearch(database, team)
  const [other] = await claimIn(database, { exit: 'elsewhere' })
  if (other) await recordIn(database, other, { outcome: 'blocked' })
  expect(await database.usage(team)).toMatchObject({ runs_used: 4 })
  for (const after of ['61 seconds', '122 seconds']) {
    await database.setClock(after)
    expect(await claimIn(database)).toMatchObject([{ no, run_id: lost?.run_id, refused_until_ms: expect.any(Number) }])
    expect(await database.usage(team)).toMatchObject({ runs_used: 1 })
  }
})

test('a run that asked nothing and whose process died is paid when its engine is asked again', async () => {
  const team = await database.team({ runs: 10 })
  await addSearch(database, team)
  await checkIn(database, { outcome: 'blocked' })
  const no = await addSearch(database, team, { pages: 3 })
  await database.query('update checks set queued_run_id = new_run_id(clock(), no) where no = $1', [no])
  await database.query('update team_usage set runs_used = runs_used + 3 where team_id = $1', [team])
  const [lost] = await claimIn(database)
  expect(await database.usage(team)).toMatchObject({ runs_used: 1 })
  await database.query('delete from serp_engines')
  await database.setClock('61 seconds')
  const [again] = await claimIn(database)
  expect(again).toMatchObject({ no, run_id: lost?.run_id, refused_until_ms: null })
  expect(await database.usage(team)).toMatchObject({ runs_used: 4 })
  // From here on it is paid like any other.
  await database.setClock('122 seconds')
  expect(await claimIn(database)).toMatchObject([{ no }])
  expect(await database.usage(team)).toMatchObject({ runs_used: 4 })
})

test('a run that asked nothing, whose process died and that cannot be paid is skipped under its own id', async () => {
  const team = await database.team({ runs: 3 })
  await addSearch(database, team)
  await checkIn(database, { outcome: 'blocked' })
  const no = await addSearch(database, team, { pages: 2 })
  const [lost] = await claimIn(database)
  await database.query('update team_usage set runs_used = 3 where team_id = $1', [team])
  await database.query('delete from serp_engines')
  await database.setClock('61 seconds')
  expect(await claimIn(database)).toEqual([])
  expect(await database.runs(no)).toMatchObject([{ id: lost?.run_id, status: 'skipped' }])
  if (lost) expect(await recordIn(database, lost, { outcome: 'ok' })).toEqual(new Set())
  await database.query('update team_usage set runs_limit = 9 where team_id = $1', [team])
  await database.setClock('11 minutes')
  expect((await claimIn(database)).map((one) => one.no)).toContain(no)
})

test('Google is claimed at once for a provider while it is left alone, and paid for', async () => {
  const team = await database.team()
  await addSearch(database, team)
  await addSearch(database, team, { engine: 'bing' })
  for (let n = 0; n < 2; n++) {
    const [one] = await claimIn(database, { limit: 1 })
    if (one) await recordIn(database, one, { outcome: 'blocked' })
  }
  await addSearch(database, team)
  await addSearch(database, team, { engine: 'bing' })
  const claimed = await claimIn(database, { hasProvider: true })
  expect(claimed.map(({ search }) => search.engine).toSorted()).toEqual(['bing', 'google'])
  expect(claimed.every(({ refused_until_ms: until }) => until !== null)).toBe(true)
  // Bing asked nothing; the provider answers for Google.
  expect(await database.usage(team)).toMatchObject({ runs_used: 3 })
})

test('a process without a browser claims only what asks no engine, and has no exit', async () => {
  const [team, poor] = [await database.team(), await database.team({ runs: 1 })]
  const here = { exit: null } as const
  const dear = await addSearch(database, poor, { pages: 2 })
  await addSearch(database, team, { engine: 'google' })
  expect(await claimIn(database, here)).toEqual([])
  expect(await database.runs(dear)).toMatchObject([{ status: 'skipped' }])
  expect(await database.query('select from serp_exits')).toEqual([])
  await checkIn(database, { outcome: 'blocked' })
  const no = await addSearch(database, team, { engine: 'google' })
  await addSearch(database, team, { engine: 'bing' })
  expect(await claimIn(database, { ...here, hasProvider: true })).toMatchObject([{ no, search: { engine: 'google' } }])
  expect(await database.usage(team)).toMatchObject({ runs_used: 2 })
  const other = await addSearch(database, team, { engine: 'google' })
  expect(await claimIn(database, here)).toMatchObject([{ no: other, refused_until_ms: expect.any(Number) }])
  expect(await database.usage(team)).toMatchObject({ runs_used: 2 })
})

test('a run that asked nothing takes on another number of pages at once', async () => {
  const team = await database.team({ runs: 2 })
  const no = await addSearch(database, team, { pages: 2 })
  await leaveAlone(database)
  expect(await claimIn(database)).toMatchObject([{ no }])
  // Its process dies, and the monitor has another number of pages.
  const edit = edits(team, no)
  await edit(5)
  await database.query('delete from serp_engines')
  await database.setClock('61 seconds')
  expect(await claimIn(database)).toEqual([])
  expect(await database.runs(no)).toMatchObject([{ error_message: expect.stringContaining('needs 5 runs') }])
  await edit(1)
  await database.setClock('11 minutes')
  expect(await claimIn(database)).toMatchObject([{ no, search: { pages: 1 } }])
})

/** The next run is compared with the last one. */
const SAME = { resetsBaseline: false, startsOver: false }

/** Returns what sets the pages of a monitor, as its owner does. */
function edits(team: string, no: number) {
  return (pages: number) =>
    database.store.transaction(async (tx) => {
      const { id } = await database.monitor(no)
      const stored = await lockMonitor(tx, team, id, SEARCH_TABLE)
      if (!stored) throw new Error('no monitor')
      const spec = { ...serpMonitorSpec(stored, database.secrets), pages }
      return saveMonitor(tx, database.secrets, SEARCH_TABLE, { stored, spec, changed: ['pages'], ...SAME })
    })
}

test('a run asks for the pages that it was paid with; another number of pages counts from the next one', async () => {
  const team = await database.team({ runs: 100 })
  const no = await addSearch(database, team, { pages: 3, dueSeconds: -300 })
  const { id } = await database.monitor(no)
  const ask = () => database.store.transaction((tx) => runNow(tx, team, id, 'serp'))
  const edit = edits(team, no)
  const used = async () => (await database.usage(team)).runs_used
  await edit(1)
  await ask()
  expect(await used()).toBe(1)
  expect(await edit(5)).toMatchObject({ pages: 5 })
  const [waited] = await claimIn(database)
  expect(waited).toMatchObject({ search: { pages: 1 } })
  // The worker is killed. Who takes the run over asks for the same.
  await edit(4)
  await database.setClock('61 seconds')
  const [again] = await claimIn(database)
  expect(again).toMatchObject({ run_id: waited?.run_id, search: { pages: 1 } })
  if (again) await recordIn(database, again, { outcome: 'ok' })
  expect(await used()).toBe(1)
  await ask()
  expect(await used()).toBe(5)
  await edit(2)
  // What was paid is given back, and not what the next one costs.
  await leaveAlone(database)
  const [left] = await claimIn(database)
  expect(await used()).toBe(1)
  if (left) await recordIn(database, left, { outcome: 'left_alone' })
  await database.query('delete from serp_engines')
  await ask()
  expect(await used()).toBe(3)
  expect(await claimIn(database)).toMatchObject([{ search: { pages: 2 } }])
})
