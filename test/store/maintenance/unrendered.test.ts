import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WORK_KINDS } from '../../../boot/kinds.ts'
import type { CheckQueue } from '../../../core/check-queue.ts'
import { readBacklog } from '../../../store/maintenance/backlog.ts'
import { endUnrendered, noteRendering } from '../../../store/maintenance/unrendered.ts'
import { runNow } from '../../../store/monitors/monitor-run-now.ts'
import { renewPeriods } from '../../../store/quota/pool.ts'
import { createClaims } from '../../../worker/queue/claim-round.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { isolate, stopChecks } from '../../support/database/check-states.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { addSearch, claimIn, leaveAlone } from '../../support/database/stored-searches.ts'

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
})
beforeEach(async () => {
  await stopChecks(database, 'all')
  await database.query('update installation set rendered_at = null, unrendered_at = null')
})
afterAll(() => database[Symbol.asyncDispose]())

/** The first look was three minutes ago. */
const seenBefore = () => database.query(`update installation set unrendered_at = clock() - interval '3 minutes'`)
const events = (team: string) =>
  database.query('select kind, monitor_no, detail from notice_events where team_id = $1', [team])
const faults = (no: number) =>
  database.query<{ id: string; status: string; error_code: string; error_message: string }>(
    'select id, status, error_code, error_message from runs where monitor_no = $1',
    [no],
  )

test('where nobody renders pages, a check that waits for it ends as a failed run that does not count', async () => {
  const team = await database.team({ runs: 10, used: 4 })
  const [page] = await database.monitors(team, { queue: 'browser', dueSeconds: 700, interval: 3_600 })
  const [picture] = await database.monitors(team, { queue: 'visual', dueSeconds: 8_000, interval: 3_600 })
  // Not due for long, and no need of a browser.
  const [soon] = await database.monitors(team, { queue: 'browser', dueSeconds: 500, interval: 60 })
  const [other] = await database.monitors(team, { queue: 'static', dueSeconds: 9_000, interval: 60 })
  await seenBefore()
  expect(await readBacklog(database.store)).toMatchObject({ checks_unrendered: 2 })
  expect(await endUnrendered(database.store)).toEqual({ count: 2, isRendered: false })
  for (const no of [page!, picture!]) {
    const [run, ...rest] = await faults(no)
    expect(rest).toEqual([])
    expect(run).toMatchObject({ status: 'error', error_code: 'not_available' })
    expect(run?.error_message).toContain('No process of this installation renders pages')
    const { failures, run_id, next_ms, due_ms } = await database.check(no)
    expect({ failures, run_id, isLater: Number(next_ms) > Date.now() }).toEqual({
      failures: 0,
      run_id: null,
      isLater: true,
    })
    expect(due_ms).toBe(next_ms)
  }
  for (const no of [soon!, other!]) expect(await faults(no)).toEqual([])
  expect(await database.usage(team)).toMatchObject({ runs_used: 4 })
  expect(await readBacklog(database.store)).toMatchObject({ checks_unrendered: 0 })
  expect(await events(team)).toEqual([{ kind: 'failing', monitor_no: null, detail: { waiting_for_browser: 2 } }])
  expect(await endUnrendered(database.store)).toMatchObject({ count: 0 })
})

test('a run that somebody asked for ends under its own id, and a team gets a notice once a day', async () => {
  const team = await database.team()
  const [no] = await database.monitors(team, { queue: 'browser' })
  const isLate = `due_at = clock() - interval '11 minutes'`
  const [asked] = await database.query<{ id: string }>(
    `update checks set queued_run_id = new_run_id(clock(), no), ${isLate} where no = $1 returning queued_run_id as id`,
    [no],
  )
  await seenBefore()
  expect(await endUnrendered(database.store)).toMatchObject({ count: 1 })
  expect(await faults(no!)).toMatchObject([{ id: asked?.id }])
  expect(await database.check(no!)).toMatchObject({ queued_run_id: null })
  // One of a month whose runs are deleted.
  await database.query(
    `update checks set queued_run_id = '01700000-0000-7000-8000-000000000000', ${isLate} where no = $1`,
    [no],
  )
  await seenBefore()
  expect(await endUnrendered(database.store)).toMatchObject({ count: 1 })
  expect(await faults(no!)).toHaveLength(2)
  expect(await events(team)).toHaveLength(1)
})

describe('what was paid for a run that nobody did', () => {
  const setLate = (no: number) =>
    database.query(`update checks set due_at = clock() - interval '11 minutes' where no = $1`, [no])

  /** Asks for a run, which waits for eleven minutes. Returns its id. */
  async function asked(team: string, no: number, kind: 'page' | 'serp' = 'page'): Promise<string> {
    const { id } = await database.monitor(no)
    const found = await database.store.transaction((tx) => runNow(tx, team, id, kind))
    if (found.kind !== 'queued') throw new Error(found.kind)
    await setLate(no)
    return found.runId
  }
  const notYet = { dueSeconds: -3_600 }

  test('is given back: to the pool that paid, and the rest to the credits', async () => {
    const team = await database.team({ runs: 10, used: 4, visual: 5, serp: 2, credits: 3 })
    const [page] = await database.monitors(team, { queue: 'browser', ...notYet })
    const [picture] = await database.monitors(team, { queue: 'visual', ...notYet })
    const search = await addSearch(database, team, { pages: 3, ...notYet })
    await asked(team, page!)
    await asked(team, picture!)
    const runId = await asked(team, search, 'serp')
    expect(await database.usage(team)).toEqual({ runs_used: 5, visual_used: 1, serp_used: 2, credits: 2 })
    await seenBefore()
    expect(await endUnrendered(database.store)).toMatchObject({ count: 3 })
    expect(await faults(search)).toMatchObject([{ id: runId, error_message: expect.stringMatching(/of the plan\.$/) }])
    expect(await database.usage(team)).toEqual({ runs_used: 4, visual_used: 0, serp_used: 0, credits: 3 })
    await seenBefore()
    expect(await endUnrendered(database.store)).toMatchObject({ count: 0 })
    expect(await database.usage(team)).toMatchObject({ runs_used: 4 })
  })

  test('is given back where it was the last run that the team had', async () => {
    const team = await database.team({ runs: 1 })
    const [no] = await database.monitors(team, { queue: 'browser', ...notYet })
    const runId = await asked(team, no!)
    await seenBefore()
    expect(await readBacklog(database.store)).toMatchObject({ checks_unrendered: 1 })
    expect(await endUnrendered(database.store)).toMatchObject({ count: 1 })
    expect(await faults(no!)).toMatchObject([{ id: runId }])
    expect(await database.usage(team)).toMatchObject({ runs_used: 0 })
  })

  test('is given back after the process that had begun it died, and another run that waits is still paid', async () => {
    const team = await database.team()
    const search = await addSearch(database, team, { pages: 2 })
    const [claimed] = await claimIn(database)
    expect(claimed).toMatchObject({ no: search })
    const waiting = await asked(team, search, 'serp')
    expect(await database.usage(team)).toMatchObject({ runs_used: 4 })
    await seenBefore()
    expect(await endUnrendered(database.store)).toMatchObject({ count: 1 })
    expect(await faults(search)).toMatchObject([{ id: claimed?.run_id }])
    expect(await database.usage(team)).toMatchObject({ runs_used: 2 })
    expect(await database.check(search)).toMatchObject({ run_id: null, queued_run_id: waiting })
  })

  test('is nothing while an engine is left alone', async () => {
    const team = await database.team()
    const search = await addSearch(database, team, { pages: 2 })
    await leaveAlone(database)
    await claimIn(database)
    await setLate(search)
    await seenBefore()
    expect(await endUnrendered(database.store)).toMatchObject({ count: 1 })
    expect(await database.usage(team)).toMatchObject({ runs_used: 0, credits: 0 })
    await database.query('delete from serp_engines')
  })

  test('waits while something else has the rows of its team, and no lock is waited for', async () => {
    const team = await database.team()
    const [no] = await database.monitors(team, { queue: 'browser', ...notYet })
    await asked(team, no!)
    await seenBefore()
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    for (const rows of ['team_usage where team_id = $1', 'checks where team_id = $1']) {
      await other.query('begin')
      await other.query(`select from ${rows} for update`, [team])
      expect(await endUnrendered(database.store)).toMatchObject({ count: 0 })
      await other.query('commit')
    }
    await other.end()
    expect(await database.usage(team)).toMatchObject({ runs_used: 1 })
    await seenBefore()
    expect(await endUnrendered(database.store)).toMatchObject({ count: 1 })
    expect(await database.usage(team)).toMatchObject({ runs_used: 0 })
  })

  test('is given back once, however many looks and requests for runs there are at the same time', async () => {
    const team = await database.team({ runs: 1_000 })
    const search = await addSearch(database, team, { pages: 3, ...notYet })
    const other = await database.anotherStore()
    for (let round = 0; round < 12; round += 1) {
      await asked(team, search, 'serp')
      await seenBefore()
      const looks = [endUnrendered(database.store), endUnrendered(other), endUnrendered(database.store)]
      const [ended] = await Promise.all([Promise.all(looks), asked(team, search, 'serp')])
      expect(ended.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(1)
      const { queued_run_id: waiting } = await database.check(search)
      expect(await database.usage(team)).toMatchObject({ runs_used: waiting === null ? 0 : 3 })
    }
  })
})

test('what nobody rendered goes back to what paid for it, and not to a period that began later', async () => {
  const team = await database.team({ runs: 1, credits: 5 })
  const both = await database.monitors(team, { queue: 'browser', count: 2, dueSeconds: 700, interval: 3_600 })
  // Their process dies.
  expect(await database.claim({ queue: 'browser' })).toHaveLength(2)
  expect(await database.usage(team)).toMatchObject({ runs_used: 1, credits: 4 })
  await database.query(`update checks set due_at = clock() - interval '11 minutes' where no = any($1)`, [both])
  await database.query('update team_usage set resets_at = clock(), anchor_at = clock() where team_id = $1', [team])
  await renewPeriods(database.store)
  await seenBefore()
  expect(await endUnrendered(database.store)).toMatchObject({ count: 2 })
  expect(await database.usage(team)).toMatchObject({ runs_used: 0, credits: 5 })
})

test('a search that its team cannot pay for does not wait for a browser', async () => {
  const team = await database.team({ runs: 2 })
  const no = await addSearch(database, team, { pages: 3, dueSeconds: 900 })
  await seenBefore()
  expect(await readBacklog(database.store)).toMatchObject({ checks_unrendered: 0 })
  expect(await endUnrendered(database.store)).toMatchObject({ count: 0 })
  expect(await faults(no)).toEqual([])
})

test('checks that are late wait on while a process renders pages, and a team without runs waits too', async () => {
  const [team, spent] = [await database.team(), await database.team({ runs: 1, used: 1 })]
  const [no] = await database.monitors(team, { queue: 'browser', dueSeconds: 90_000 })
  await noteRendering(database.store)
  expect(await endUnrendered(database.store)).toEqual({ count: 0, isRendered: true })
  expect(await readBacklog(database.store)).toMatchObject({ checks_unrendered: 0 })
  await database.query(`update installation set rendered_at = clock() - interval '11 minutes'`)
  await database.monitors(spent, { queue: 'browser', dueSeconds: 9_000 })
  // The store was away: the first look after it ends nothing, nor does one that another process makes soon after.
  for (const _ of [1, 2]) expect(await endUnrendered(database.store)).toEqual({ count: 0, isRendered: false })
  expect(await faults(no!)).toEqual([])
  // A look before a further outage does not count.
  await database.query(`update installation set unrendered_at = clock() - interval '11 minutes'`)
  expect(await endUnrendered(database.store)).toEqual({ count: 0, isRendered: false })
  await seenBefore()
  expect(await endUnrendered(database.store)).toEqual({ count: 1, isRendered: false })
  expect(await faults(no!)).toHaveLength(1)
  expect(await events(spent)).toEqual([])
  // A time of a clock that was set back since is no sign of life.
  await database.query(`update installation set rendered_at = clock() + interval '1 day'`)
  expect(await endUnrendered(database.store)).toMatchObject({ isRendered: false })
})

test('an isolated check waits for an operator that starts runner pods, whoever else renders pages', async () => {
  const [ours, theirs] = [await database.team(), await database.team()]
  const [isolated] = await database.monitors(ours, { queue: 'browser', dueSeconds: 700 })
  const [shared] = await database.monitors(theirs, { queue: 'browser', dueSeconds: 700 })
  await isolate(database, isolated ?? 0)
  await database.query(
    `insert into operator_epochs (cluster_id, epoch, runners_seen_at) values ('a', 1, clock() - interval '11 minutes')`,
  )
  await noteRendering(database.store)
  // Only the second look ends it.
  expect(await endUnrendered(database.store)).toEqual({ count: 0, isRendered: false })
  expect(await readBacklog(database.store)).toMatchObject({ checks_unrendered: 1 })
  await seenBefore()
  expect(await endUnrendered(database.store)).toEqual({ count: 1, isRendered: false })
  expect(await faults(isolated!)).toMatchObject([{ error_message: expect.stringContaining('pod of its own') }])
  expect(await faults(shared!)).toEqual([])
  // The other way round.
  await database.query(`update checks set due_at = clock() - interval '11 minutes' where no = $1`, [isolated])
  await database.query(`update operator_epochs set runners_seen_at = clock()`)
  await database.query(`update installation set rendered_at = null`)
  await seenBefore()
  expect(await endUnrendered(database.store)).toEqual({ count: 1, isRendered: false })
  expect(await faults(isolated!)).toHaveLength(1)
  expect(await faults(shared!)).toMatchObject([{ error_message: expect.stringContaining('renders pages') }])
  await noteRendering(database.store)
  expect(await endUnrendered(database.store)).toEqual({ count: 0, isRendered: true })
  await database.query('delete from operator_epochs')
})

test('a process that asks for checks that need a browser renders pages, one that asks for others not', async () => {
  const { store, secrets } = database
  const claimsOf = (queues: readonly CheckQueue[]) =>
    createClaims({ kinds: WORK_KINDS, store, secrets, queues, leaseSeconds: 60, hasModel: false })
  await claimsOf(['static'])(1, { holder: null })
  expect(await endUnrendered(store)).toMatchObject({ isRendered: false })
  await claimsOf(['browser', 'visual', 'serp'])(1, { holder: null })
  expect(await endUnrendered(store)).toMatchObject({ isRendered: true })
})

test('a check that an answer moved to the browser is tried statically again, a configured one is not', async () => {
  const team = await database.team()
  const [moved] = await database.monitors(team, { queue: 'browser', dueSeconds: 700 })
  const [configured] = await database.monitors(team, { queue: 'browser', dueSeconds: 700 })
  const [results] = await database.monitors(team, { queue: 'browser', dueSeconds: 700 })
  await database.query(
    `update checks set static_again_at = clock() + interval '1 day', layer_reason = 'refused', read_by = 2
     where no = $1`,
    [moved],
  )
  await changeMonitors(database, configured ?? 0, { fetchMode: 'browser' })
  await seenBefore()
  expect(await endUnrendered(database.store)).toMatchObject({ count: 3 })
  const layers = await database.query(
    'select queue, static_again_at, layer_reason, read_by from checks where team_id = $1 order by no',
    [team],
  )
  const kept = { queue: 'browser', static_again_at: null, layer_reason: null, read_by: 0 }
  expect(layers).toEqual([{ ...kept, queue: 'static', read_by: 2 }, kept, kept])
  expect(await faults(results!)).toHaveLength(1)
})
