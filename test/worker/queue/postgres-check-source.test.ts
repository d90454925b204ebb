import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { WORK_KINDS } from '../../../boot/kinds.ts'
import { CHECK_QUEUES } from '../../../core/check-queue.ts'
import { createClaims } from '../../../worker/queue/claim-round.ts'
import { createPostgresCheckSource } from '../../../worker/queue/postgres-check-source.ts'
import type { Recorder } from '../../../worker/record/recording.ts'
import { stopChecks } from '../../support/database/check-states.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { addSearch, leaveAlone } from '../../support/database/stored-searches.ts'

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
})
beforeEach(async () => {
  await stopChecks(database, 'all')
})
afterEach(() => vi.useRealTimers())
afterAll(() => database[Symbol.asyncDispose]())

const FIRST = '00000000-0000-4000-8000-00000000000a'
const LAST = 'ffffffff-ffff-4fff-bfff-fffffffffff0'
const unused: Recorder = { record: () => Promise.reject(new Error('nothing is recorded')), settle: async () => {} }
const sourceOf = (queues: readonly (typeof CHECK_QUEUES)[number][] = ['static']) =>
  createPostgresCheckSource({
    kinds: WORK_KINDS,
    store: database.store,
    secrets: database.secrets,
    recorder: unused,
    queues,
    leaseMs: 60_000,
  })

test('a team with hundreds of due checks leaves room for the others in each claim', async () => {
  const flood = await database.team({ id: FIRST })
  const small = await database.team({ id: LAST })
  await database.monitors(flood, { count: 500, dueSeconds: 600 })
  const few = await database.monitors(small, { count: 3 })
  const source = sourceOf()

  const first = await source.claim(50)
  const second = await source.claim(50)
  expect(first.filter(({ no }) => few.includes(no))).toHaveLength(3)
  // The rest of the claim is not left empty.
  expect([first, second].map(({ length }) => length)).toEqual([50, 50])
})

test('teams that are all behind share a claim; a round over them leaves nobody out', async () => {
  const teams = await Promise.all(Array.from({ length: 6 }, () => database.team()))
  const due = await Promise.all(teams.map((team) => database.monitors(team, { count: 40 })))
  const source = sourceOf()
  const taken: number[] = []
  for (let n = 0; n < 6; n++) taken.push(...(await source.claim(20)).map(({ no }) => no))
  for (const nos of due) expect(nos.some((no) => taken.includes(no))).toBe(true)
  for (let n = 0; n < 30 && taken.length < 240; n++) taken.push(...(await source.claim(20)).map(({ no }) => no))
  expect(new Set(taken).size).toBe(240)
})

test('with more due teams than one statement looks at, a claim with room goes on to the rest of them', async () => {
  const ids = Array.from({ length: 300 }, (_, n) => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`)
  for (const id of ids) await database.monitors(await database.team({ id }))
  const source = sourceOf()
  const claimed = [...(await source.claim(270)), ...(await source.claim(20))]
  // Those that were first are due again at once. The others were claimed nevertheless, or are next.
  expect(new Set(claimed.map(({ team }) => team)).size).toBe(290)
  await database.query('update checks set due_at = clock(), run_id = null where team_id < $1', [ids[256]])
  expect((await source.claim(10)).map(({ team }) => team)).toEqual(ids.slice(290))
})

test('a claim of one isolated check is no turn: the next claim goes on where the last one ended', async () => {
  const teams = ['2', '3', '4'].map((first) => `${first}0000000-0000-4000-8000-000000000000`)
  for (const id of teams) await database.monitors(await database.team({ id }), { count: 2 })
  const claim = createClaims({
    kinds: WORK_KINDS,
    ...{ store: database.store, secrets: database.secrets, queues: ['static'], leaseSeconds: 60, hasModel: false },
  })
  const [one] = await claim(1, { holder: null })
  await claim(1, { holder: null, only: 1_000_000 })
  const [two] = await claim(1, { holder: null })
  expect([one?.team, two?.team]).toEqual(teams.slice(0, 2))
})

test('what other teams leave of a claim goes to a team that has more', async () => {
  const [flood, small] = [await database.team(), await database.team()]
  await database.monitors(flood, { count: 500 })
  await database.monitors(small, { count: 3 })
  const tasks = await sourceOf().claim(300)
  expect(tasks.filter(({ team }) => team === small)).toHaveLength(3)
  expect(tasks).toHaveLength(300)
})

test('a queue that is always full does not starve the others', async () => {
  const team = await database.team()
  await database.monitors(team, { count: 200 })
  const [visual] = await database.monitors(team, { queue: 'visual' })
  const source = sourceOf(CHECK_QUEUES)
  const taken: number[] = []
  for (let n = 0; n < CHECK_QUEUES.length; n++) taken.push(...(await source.claim(10)).map(({ no }) => no))
  expect(taken).toContain(visual)
})

test('without a browser, searches that are left alone are claimed', async () => {
  const team = await database.team()
  await leaveAlone(database)
  const claim = createClaims({
    kinds: WORK_KINDS,
    ...{ store: database.store, secrets: database.secrets, queues: ['serp'], leaseSeconds: 60, hasModel: false },
    search: { exit: null, hasProvider: false },
  })
  const claimed = async () => (await claim(2, { holder: null })).length
  for (let count = 0; count < 3; count++) await addSearch(database, team)
  expect([await claimed(), await claimed(), await claimed()]).toEqual([2, 1, 0])
})

test('a task tells where it goes, what it may be compared with, and the headers in the clear', async () => {
  const team = await database.team()
  await database.monitors(team, { url: 'https://example.com:8443/a?b', headers: { 'X-Key': 'k' } })
  const [task] = await sourceOf().claim(10)
  expect(task).toMatchObject({
    host: 'https://example.com:8443',
    headers: { 'X-Key': 'k' },
    last: null,
    obstacle: null,
    queue: 'static',
  })
})

test('a host with a final dot shares the cap of the host without it', async () => {
  const team = await database.team()
  for (const url of ['https://Example.com./a', 'https://example.com/b', 'https://example.com.:8443/', 'http://[::1]/'])
    await database.monitors(team, { url })
  const tasks = await sourceOf().claim(10)
  expect(tasks.map(({ host }) => host).toSorted()).toEqual([
    'http://[::1]',
    'https://example.com',
    'https://example.com',
    'https://example.com:8443',
  ])
})

test('nothing due is an empty claim', async () => {
  expect(await sourceOf(CHECK_QUEUES).claim(10)).toEqual([])
})
