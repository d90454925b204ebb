import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freeExits, keepExits } from '../../../store/queue/claim-search.ts'
import { extendLeases, releaseChecks } from '../../../store/queue/lease.ts'
import { openQueueWorld, type QueueWorld } from './queue-world.ts'
import { addSearch, checkIn, claimIn, recordIn } from './search-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await openQueueWorld()
})
afterEach(async () => {
  await world.setClock('0')
  await world.query('update checks set due_at = null, next_run_at = null, run_id = null, queued_run_id = null')
  await world.query('delete from serp_exits')
  await world.query('delete from serp_engines')
})
afterAll(() => world[Symbol.asyncDispose]())

const MINUTES = 60_000

test('one check of an engine and exit is claimed at a time; other engines and other exits have their own', async () => {
  const team = await world.team()
  await addSearch(world, team, { engine: 'google' })
  await addSearch(world, team, { engine: 'google' })
  await addSearch(world, team, { engine: 'google' })
  await addSearch(world, team, { engine: 'bing' })
  const claimed = await claimIn(world)
  expect(claimed.map(({ search }) => search.engine).toSorted()).toEqual(['bing', 'google'])
  expect(await claimIn(world)).toEqual([])
  expect(await claimIn(world, { exit: 'elsewhere' })).toMatchObject([{ search: { engine: 'google' } }])
})

test('two processes that claim at once never get two checks of one engine and exit', async () => {
  const team = await world.team()
  for (let n = 0; n < 6; n++) await addSearch(world, team, { engine: 'yahoo' })
  const other = await world.anotherStore()
  const both = [world, { ...world, store: other }]
  for (let round = 0; round < 6; round++) {
    const claims = await Promise.all([...both, ...both].map((one) => claimIn(one)))
    expect(claims.flat()).toHaveLength(1)
    const [claimed] = claims.flat()
    if (claimed) await recordIn(world, claimed, { outcome: 'ok' })
  }
})

test('the next check of an engine and exit waits for the spacing, and up to a half more', async () => {
  const team = await world.team()
  await addSearch(world, team)
  await addSearch(world, team)
  await checkIn(world, { outcome: 'ok' }, { spacingMs: 40_000 })
  expect(await claimIn(world)).toEqual([])
  await world.setClock('39 seconds')
  expect(await claimIn(world)).toEqual([])
  await world.setClock('61 seconds')
  expect(await claimIn(world)).toHaveLength(1)
})

test('the exit of a worker that was killed is free when its lease ends, and the check keeps its run', async () => {
  const team = await world.team()
  await addSearch(world, team)
  const [first] = await claimIn(world)
  await world.setClock('59 seconds')
  expect(await claimIn(world)).toEqual([])
  await world.setClock('61 seconds')
  const [again] = await claimIn(world)
  expect(again).toMatchObject({ no: first?.no, run_id: first?.run_id })
  expect((await world.usage(team)).runs_used).toBe(1)
  // The first worker wakes: it has neither the check nor the exit any more, and says nothing about the engine.
  if (first) expect(await recordIn(world, first, { outcome: 'blocked' })).toEqual(new Set())
  expect(await world.query('select from serp_engines')).toEqual([])
  expect(await world.query('select from serp_exits where busy_until is not null')).toHaveLength(1)
})

test('a heartbeat keeps the exit of a check that takes long', async () => {
  const team = await world.team()
  await addSearch(world, team)
  await addSearch(world, team)
  const claimed = await claimIn(world)
  await world.setClock('50 seconds')
  await keepExits(world.store, claimed, 60)
  await extendLeases(world.store, claimed, 60)
  await world.setClock('100 seconds')
  expect(await claimIn(world)).toEqual([])
})

test('a check that is given back frees its exit, after the spacing', async () => {
  const team = await world.team()
  await addSearch(world, team)
  const claimed = await claimIn(world)
  await freeExits(world.store, claimed, 10_000)
  await releaseChecks(
    world.store,
    claimed.map(({ no, fence }) => ({ no, fence, delayMs: 0 })),
  )
  expect(await claimIn(world)).toEqual([])
  await world.setClock('16 seconds')
  expect(await claimIn(world)).toHaveLength(1)
})

test('teams take turns at an engine, however many checks one of them has', async () => {
  const [busy, quiet] = [await world.team(), await world.team()]
  for (let n = 0; n < 4; n++) await addSearch(world, busy, { dueSeconds: 100 })
  await addSearch(world, quiet)
  const turns = [await checkIn(world, { outcome: 'ok' }), await checkIn(world, { outcome: 'ok' })]
  expect(new Set(turns.map(({ team_id }) => team_id))).toEqual(new Set([busy, quiet]))
})

test('a check costs one run for each page, out of the pool of searches where there is one, then credits', async () => {
  const trial = await world.team({ serp: 4, credits: 2 })
  await addSearch(world, trial, { pages: 3 })
  await checkIn(world, { outcome: 'ok' })
  expect(await world.usage(trial)).toMatchObject({ runs_used: 0, serp_used: 3, credits: 2 })
  await world.makeDue()
  await checkIn(world, { outcome: 'ok' })
  expect(await world.usage(trial)).toMatchObject({ serp_used: 4, credits: 0 })

  const paid = await world.team()
  await addSearch(world, paid, { pages: 2 })
  await checkIn(world, { outcome: 'ok' })
  expect(await world.usage(paid)).toMatchObject({ runs_used: 2, serp_used: 0 })
})

test('a check that needs more runs than are left is skipped: a row for each missed check, no run used', async () => {
  const team = await world.team({ runs: 2 })
  const no = await addSearch(world, team, { pages: 3 })
  expect(await claimIn(world)).toEqual([])
  expect(await claimIn(world)).toEqual([])
  expect(await world.runs(no)).toMatchObject([
    { status: 'skipped', error_code: null, error_message: expect.stringContaining('needs 3 runs, and 2 are left') },
  ])
  expect(await world.usage(team)).toMatchObject({ runs_used: 0 })
  const { next_ms, now_ms, failures } = await world.check(no)
  expect(next_ms).toBeGreaterThan(now_ms)
  expect(failures).toBe(0)
  await world.setClock('11 minutes')
  await claimIn(world)
  expect(await world.runs(no)).toHaveLength(2)
  await world.query('update team_usage set runs_limit = 3 where team_id = $1', [team])
  await world.setClock('22 minutes')
  expect(await claimIn(world)).toHaveLength(1)
})

test('a check of an engine that is left alone is claimed without an exit and without a run', async () => {
  const team = await world.team()
  await addSearch(world, team)
  await checkIn(world, { outcome: 'blocked' })
  const no = await addSearch(world, team, { pages: 2 })
  const [claimed] = await claimIn(world)
  expect(claimed).toMatchObject({ no })
  const { now_ms } = await world.check(no)
  expect((claimed?.refused_until_ms ?? 0) - now_ms).toBeGreaterThan(14 * MINUTES)
  expect(await world.usage(team)).toMatchObject({ runs_used: 1 })
  expect(await world.query('select from serp_exits where busy_until is not null')).toEqual([])
})

test('a run that a person asked for gets its runs back when its engine is left alone', async () => {
  const team = await world.team({ serp: 1, credits: 5 })
  await addSearch(world, team)
  await checkIn(world, { outcome: 'blocked' })
  const no = await addSearch(world, team, { pages: 3, dueSeconds: -300 })
  // As run-now pays: the pool is empty, so it took three credits.
  await world.query('update team_usage set credits = 2 where team_id = $1', [team])
  await world.query('update checks set queued_run_id = new_run_id(clock(), no), due_at = clock() where no = $1', [no])
  await claimIn(world)
  expect(await world.usage(team)).toMatchObject({ serp_used: 0, credits: 4 })
})

test('Google is claimed at once for a provider while it is left alone, and paid for', async () => {
  const team = await world.team()
  await addSearch(world, team)
  await addSearch(world, team, { engine: 'bing' })
  for (let n = 0; n < 2; n++) {
    const [one] = await claimIn(world, { limit: 1 })
    if (one) await recordIn(world, one, { outcome: 'blocked' })
  }
  await addSearch(world, team)
  await addSearch(world, team, { engine: 'bing' })
  const claimed = await claimIn(world, { hasProvider: true })
  expect(claimed.map(({ search }) => search.engine).toSorted()).toEqual(['bing', 'google'])
  expect(claimed.every(({ refused_until_ms: until }) => until !== null)).toBe(true)
  // Bing asked nothing; the provider answers for Google.
  expect(await world.usage(team)).toMatchObject({ runs_used: 3 })
})
