import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Reading } from '../../../runners/check/reading.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import {
  endLeases,
  failTimes,
  forgetReading,
  makeDue,
  raiseFence,
  stopChecks,
} from '../../support/database/check-states.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { lockTable } from '../../support/database/stored-rows.ts'
import { html, openSite, pageOf, type Site } from '../../support/network/site.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type RunningWorker, startWorker, type WorkerOptions } from '../../support/worker/check-worker.ts'

let database: QueueDatabase
let site: Site
let worker: RunningWorker | undefined
beforeAll(async () => {
  database = await openQueueDatabase()
})
beforeEach(async () => {
  site = await openSite()
})
afterEach(async () => {
  await worker?.[Symbol.asyncDispose]()
  worker = undefined
  await site[Symbol.asyncDispose]()
  await stopChecks(database, 'all')
})
afterAll(() => database[Symbol.asyncDispose]())

const start = async (more: Partial<WorkerOptions> = {}) => {
  worker = await startWorker({ url: database.url, secrets: database.secrets, ...more })
  return worker
}
const recorded = (no: number, count = 1) =>
  eventually(
    () => database.runs(no),
    (runs) => runs.length >= count,
  )

test('a check that throws once is done again under the same lease, and its site has not failed', async () => {
  const [no = 0] = await database.monitors(await database.team(), { url: site.url })
  let tries = 0
  await start({
    around: (_, go) => {
      tries += 1
      if (tries === 1) throw new Error('a helper process died')
      return go()
    },
  })
  expect(await recorded(no)).toMatchObject([{ status: 'success' }])
  expect(tries).toBe(2)
  expect(await database.check(no)).toMatchObject({ failures: 0, fence: 1 })
  expect(worker?.log.join()).toContain('a helper process died')
})

test('a check that throws twice becomes a run with an internal error; the others go on', async () => {
  const nos = await database.monitors(await database.team(), { url: site.url, count: 3 })
  const bad = nos[1]
  await start({
    around: (task, go) => {
      if (task.no === bad) throw new Error('a bug of ours')
      return go()
    },
  })
  const runs = (await Promise.all(nos.map((no) => recorded(no)))).flat()
  expect(runs.map(({ status, error_code }) => [status, error_code])).toEqual([
    ['success', null],
    ['error', 'internal'],
    ['success', null],
  ])
  expect(worker?.log.join()).toContain('a bug of ours')
  expect(await database.check(bad ?? 0)).toMatchObject({ failures: 0 })
  expect(runs[1]?.error_message).not.toContain('bug')
})

test('an internal error that comes back as a value is tried once more, too', async () => {
  const [no = 0] = await database.monitors(await database.team(), { url: site.url })
  let tries = 0
  await start({
    around: async (_, go) => {
      tries += 1
      return tries === 1 ? OUR_FAULT : go()
    },
  })
  expect(await recorded(no)).toMatchObject([{ status: 'success' }])
  expect(tries).toBe(2)
  expect(worker?.log.join()).toContain('a cause for the log')
})

test('a page with a second body without attributes is read', async () => {
  site.answer(html('<html lang=en><body class=shop><b class=price>$1</b></body><body><p>and more</p>'))
  const [no = 0] = await database.monitors(await database.team(), { url: site.url })
  await start()
  expect(await recorded(no)).toMatchObject([{ status: 'success', extracted: { price: '$1' } }])
})

test('an internal error that lasts is an error run and a run used, and no failure of its monitor', async () => {
  const team = await database.team()
  const [no = 0] = await database.monitors(team, { url: site.url })
  await failTimes(database, no, 4)
  let tries = 0
  let counted = 0
  let notices = 0
  await start({
    around: async () => ((tries += 1), OUR_FAULT),
    onInternalError: () => void (counted += 1),
    onNotices: () => void (notices += 1),
  })
  expect(await recorded(no)).toMatchObject([{ status: 'error', error_code: 'internal' }])
  const check = await database.check(no)
  expect([tries, counted, notices, check.failures]).toEqual([2, 1, 0, 4])
  expect((await database.usage(team)).runs_used).toBe(1)
  expect((check.next_ms ?? 0) - check.now_ms).toBeLessThan(61_000)
  expect(worker?.log.join()).toContain('a run ended with an internal error')
})

const OUR_FAULT: Reading = {
  kind: 'failed',
  fetchMethod: 'static',
  fault: { code: 'internal', message: 'The thread that reads pages failed.' },
  retryAfterMs: 0,
  cause: new Error('a cause for the log'),
}

test('a host that hangs holds up no other, and no more of its checks start than its cap', async () => {
  await using slow = await openSite()
  let hanging = 0
  slow.answer(() => void hanging++)
  const team = await database.team()
  await database.monitors(team, { url: slow.url, count: 60, dueSeconds: 60 })
  const fast = await database.monitors(team, { url: site.url, count: 20 })
  const { loop } = await start({ perHost: 2, concurrency: 4 })
  await Promise.all(fast.map((no) => recorded(no)))

  expect(hanging).toBe(2)
  // Of those that waited, what is beyond the line was given back for a moment, with its run id: its claim made the
  // fence 1, the giving back 2. It is due again after a second; the fence is higher where the quick ones took longer.
  expect((await database.leases()).some(({ fence }) => fence >= 2)).toBe(true)
  await loop.drain(10)
})

test('of a host that is too slow those checks wait for a slot that were due first, given back or not', async () => {
  await using slow = await openSite()
  slow.answer(() => {})
  const team = await database.team()
  await database.monitors(team, { url: slow.url, count: 100, dueSeconds: 60 })
  const first = await database.monitors(team, { url: slow.url, count: 8, dueSeconds: 3600 })
  // They were given back, and are due again after the others.
  await endLeases(database, first)
  const { loop } = await start({ perHost: 2, concurrency: 16 })
  // A claim raises the fence, and giving back raises it once more.
  const leases = await eventually(database.leases, (all) => all.some(({ fence }) => fence >= 2))
  expect(leases.flatMap(({ no, fence }) => (first.includes(no) ? [fence] : []))).toEqual(first.map(() => 1))
  await loop.drain(10)
})

test('a team whose pages of a host all hang holds up no check of another team at the same host', async () => {
  let hanging = 0
  site.answer((response, request, nth) => {
    if (request.url === '/hang') hanging++
    else html(pageOf('$1'))(response, request, nth)
  })
  const url = `${site.url}hang`
  await database.monitors(await database.team(), { url, count: 300, dueSeconds: 60 })
  const [asked] = await database.monitors(await database.team(), { url: site.url, dueSeconds: -600 })
  // The first page that a worker reads waits until its thread for that has started, which is not what is measured here.
  await using elsewhere = await openSite()
  const [first = 0] = await database.monitors(await database.team(), { url: elsewhere.url })
  const { loop } = await start({ perHost: 4, concurrency: 64 })
  await recorded(first)
  await eventually(
    () => hanging,
    (count) => count === 3,
  )
  const from = performance.now()
  await endLeases(database, asked ?? 0)
  loop.wake()
  expect((await recorded(Number(asked)))[0]).toMatchObject({ status: 'success' })
  expect(performance.now() - from).toBeLessThan(2_000)
  expect(hanging).toBe(3)
})

test('a drain gives back what has not started, lets the rest finish, and claims no more', async () => {
  const team = await database.team()
  const nos = await database.monitors(team, { url: site.url, count: 6 })
  const open: (() => void)[] = []
  site.answer((response, request, nth) => void open.push(() => html(pageOf('$1'))(response, request, nth)))
  const { stop } = await start({ perHost: 2 })
  await eventually(
    () => open.length,
    (n) => n === 2,
  )
  const stopped = stop(60_000)
  await eventually(database.leases, (leases) => leases.filter(({ seconds }) => seconds <= 0).length === 4)
  await database.monitors(team, { url: site.url })
  for (const answer of open) answer()
  await stopped

  const runs = (await Promise.all(nos.map((no) => database.runs(no)))).flat()
  expect(runs.map((run) => run.status)).toEqual(['success', 'success'])
  expect(site.requests).toHaveLength(2)
  expect((await database.usage(team)).runs_used).toBe(6)
  expect(await database.claim()).toHaveLength(5)
})

test('what hangs beyond the grace of a drain is given back, and runs elsewhere under the same id', async () => {
  const [no = 0] = await database.monitors(await database.team(), { url: site.url })
  site.answer(() => {})
  const { stop } = await start()
  await eventually(
    () => site.requests.length,
    (n) => n === 1,
  )
  const { run_id } = await database.check(no)
  const before = performance.now()
  await stop(100)
  expect(performance.now() - before).toBeLessThan(3_000)
  expect(await database.runs(no)).toEqual([])

  site.price('$1')
  await start()
  const runs = await recorded(no)
  expect(runs.map(({ id }) => id)).toEqual([run_id])
})

test('what a claim brings while a drain has begun is given back at once', async () => {
  const team = await database.team()
  await database.monitors(team, { url: site.url })
  const holder = new pg.Client({ connectionString: database.url })
  await using open = new AsyncDisposableStack()
  open.defer(() => holder.end())
  await holder.connect()
  await lockTable(holder, 'checks')
  const { stop } = await start()
  const waits =
    `select from pg_stat_activity where datname = current_database() and application_name = 'test worker' and ` +
    `wait_event_type = 'Lock'`
  await eventually(
    () => database.query(waits),
    (rows) => rows.length === 1,
  )
  const stopped = stop(5_000)
  await holder.query('commit')
  await holder.end()
  await stopped
  expect(site.requests).toEqual([])
  expect((await database.leases()).filter(({ seconds }) => seconds > 0)).toEqual([])
})

test('heartbeats keep a check that takes longer than its lease; no other worker starts it', async () => {
  const [no = 0] = await database.monitors(await database.team(), { url: site.url })
  site.answer((response, request, nth) => void setTimeout(() => html(pageOf('$1'))(response, request, nth), 4_500))
  // Long enough for a heartbeat that a busy machine holds up.
  const leaseMs = 3_000
  await start({ leaseMs })
  await using other = await startWorker({ url: database.url, secrets: database.secrets, leaseMs })
  const runs = await recorded(no)
  await other.stop(100)
  expect(runs).toHaveLength(1)
  expect(site.requests).toHaveLength(1)
  expect((await database.check(no)).fence).toBe(1)
})

test('a monitor edited under way is fenced off, then runs its new configuration under the same run id', async () => {
  const [no = 0] = await database.monitors(await database.team(), { url: `${site.url}old` })
  site.answer((response, request, nth) => {
    if (request.url === '/new') html(pageOf('$2'))(response, request, nth)
  })
  await start({ leaseMs: 1_500 })
  await eventually(
    () => site.requests.length,
    (n) => n === 1,
  )
  const { run_id } = await database.check(no)
  await changeMonitors(database, no, { url: `${site.url}new` })
  await forgetReading(database, no)
  await raiseFence(database, no)
  await endLeases(database, no)

  const runs = await recorded(no)
  expect(runs).toMatchObject([{ id: run_id, status: 'success', extracted: { price: '$2' } }])
  expect(site.requests.map(({ url }) => url)).toEqual(['/old', '/new'])
})

test('somebody who asks for a run is not kept waiting for the next look', async () => {
  const { loop } = await start()
  await eventually(
    () => loop.sinceProgress(),
    (ms) => ms < 1_000,
  )
  const [no = 0] = await database.monitors(await database.team(), { url: site.url })
  loop.wake()
  await recorded(no)
})

test('a worker leases few more checks than it may soon start, however many hosts are due', async () => {
  const many = await database.team()
  const quick = await database.monitors(many, { url: site.url, count: 20 })
  const started = new Set<number>()
  const hangs: Promise<never> = new Promise(() => {})
  const { loop } = await start({
    concurrency: 8,
    around: (task, go) => (started.add(task.no), task.host.includes('hang') ? hangs : go()),
  })
  const [other = 0] = await database.monitors(await database.team(), { url: site.url })
  await Promise.all([other, ...quick].map((no) => recorded(no)))

  const hanging = await database.monitors(many, { url: site.url, count: 2_000, dueSeconds: -3600 })
  await database.query(`update monitors set url = 'http://hang' || no || '.localhost:8080/' where no = any($1)`, [
    hanging,
  ])
  await makeDue(database, hanging)
  // Each of these needs another claim.
  for (let n = 0; n < 12; n++) {
    const [no = 0] = await database.monitors(await database.team(), { url: site.url })
    loop.wake()
    await recorded(no)
  }
  const leased = (await database.leases()).filter(({ no }) => hanging.includes(no))
  // A claim takes up to 64.
  expect(leased.length).toBeLessThan(4 * 64)
  expect(started.size).toBeLessThan(50)
  await loop.drain(10)
})

test('of one host that hangs, many teams have few checks leased, and their other checks are made', async () => {
  await using dead = await openSite()
  dead.answer(() => {})
  const quick: number[] = []
  for (let n = 0; n < 32; n++) {
    const team = await database.team()
    await database.monitors(team, { url: dead.url, count: 14, dueSeconds: 60 })
    quick.push(...(await database.monitors(team, { url: site.url })))
  }
  const { loop } = await start({ concurrency: 16, perHost: 8 })
  await Promise.all(quick.map((no) => recorded(no)))
  // A claim takes up to 128. So many wait for a host of no known pace, and one more of each team. What a claim brings
  // beyond that is given back at once.
  await eventually(database.leases, (leases) => leases.filter(({ seconds }) => seconds > 10).length <= 128 + 32 + 8)
  await loop.drain(10)
})

test('nobody waits longer than one claim behind a team that has thousands of checks due', async () => {
  const flood = await database.team({ id: '00000000-0000-4000-8000-00000000000a' })
  const small = await database.team({ id: 'ffffffff-ffff-4fff-bfff-fffffffffff0' })
  const many = await database.monitors(flood, { url: site.url, count: 5_000, dueSeconds: 600, interval: 3600 })
  const nos = await database.monitors(small, { url: site.url, count: 3 })
  const { loop } = await start({ concurrency: 16, perHost: 16 })
  await Promise.all(nos.map((no) => recorded(no)))
  expect((await database.runs(many)).length).toBeLessThan(600)
  await loop.drain(50)
})
