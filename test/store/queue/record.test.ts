import pg from 'pg'
import { expect, test } from 'vitest'
import { newDelivery } from '../../../store/deliveries/delivery-row.ts'
import { PAGE_TABLE } from '../../../store/monitors/kinds/page-table.ts'
import { hideMonitor } from '../../../store/monitors/monitor-delete.ts'
import { stopSchedule } from '../../../store/monitors/monitor-pause.ts'
import { readBaselines } from '../../../store/queue/baselines.ts'
import { recordFailed } from '../../../store/queue/record-failed.ts'
import { recordReadings } from '../../../store/queue/record-reading.ts'
import { recordUnchanged } from '../../../store/queue/record-unchanged.ts'
import { endLeases, stopChecks } from '../../support/database/check-states.ts'
import { failedRun, readingRun, unchangedRun } from '../../support/database/finished-runs.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

/** One check, claimed. */
async function claimedCheck(more: Parameters<QueueDatabase['monitors']>[1] = {}) {
  await stopChecks(database, 'all')
  const team = await database.team()
  const [no = 0] = await database.monitors(team, more)
  const [taken] = await database.claim()
  if (taken?.no !== no) throw new Error('another check was claimed')
  return { team, no, taken }
}

/** Claims the same check once more. */
async function claimAgain(no: number) {
  await endLeases(database, no)
  return (await database.claim()).find((taken) => taken.no === no)
}

test('a reading is stored once; unchanged runs after it point at it', async () => {
  const { team, no, taken } = await claimedCheck()
  expect(await recordReadings(database.store, [readingRun(taken, { price: '1' })])).toEqual(new Set([no]))
  const again = await claimAgain(no)
  expect(again).toMatchObject({ reading_id: taken.run_id, etag: '"1"' })
  expect(await recordUnchanged(database.store, [unchangedRun(again, { etag: '"2"' })])).toEqual(new Set([no]))

  const [first, second] = await database.runs(no)
  expect(first).toMatchObject({
    status: 'success',
    extracted: { price: '1' },
    reading_id: null,
    diff: null,
    duration_ms: 20,
  })
  expect(second).toMatchObject({ status: 'success', extracted: null, reading_id: taken.run_id })
  expect(await database.check(no)).toMatchObject({ run_id: null, reading_id: taken.run_id, etag: '"2"', runs_total: 2 })
  expect((await database.usage(team)).runs_used).toBe(2)
})

test('a change replaces the baseline and writes its deliveries in the same statement', async () => {
  const { team, no, taken } = await claimedCheck()
  await recordReadings(database.store, [readingRun(taken, { price: '1' })])
  const again = await claimAgain(no)
  const config = { type: 'webhook', url: 'http://127.0.0.1:1/hook' } as const
  const deliveries = [1, 2].map(() =>
    newDelivery({ secrets: database.secrets, teamId: team, config, at: Date.now(), payload: (id) => ({ id }) }),
  )
  const diff = JSON.stringify({ fields_changed: ['price'], before: { price: '1' }, after: { price: '2' } })
  await recordReadings(database.store, [readingRun(again, { price: '2' }, { diff, deliveries })])

  const [, run] = await database.runs(no)
  expect(run).toMatchObject({ delivery_triggered: true, diff: { fields_changed: ['price'] } })
  const sent = await database.query(
    'select id, run_id, team_id, status, due_at <= clock() as due from deliveries where monitor_no = $1 order by id',
    [no],
  )
  expect(sent).toEqual(
    deliveries
      .map(({ id }) => ({ id, run_id: again?.run_id, team_id: team, status: 'pending', due: true }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  )
  const third = await claimAgain(no)
  const baselines = await readBaselines(database.store, third ? [third] : [])
  expect(baselines.get(no)?.extracted).toEqual({ price: '2' })
})

test('a run without a body hash is recorded too', async () => {
  const { no, taken } = await claimedCheck()
  await recordReadings(database.store, [readingRun(taken, { price: '1' }, { body_hash: null })])
  expect(await claimAgain(no)).toMatchObject({ body_hash: null })
})

test('a failure leaves the baseline, counts up, and a success ends the count', async () => {
  const { no, taken } = await claimedCheck()
  await recordReadings(database.store, [readingRun(taken, { price: '1' })])
  expect(await recordFailed(database.store, [failedRun(await claimAgain(no))])).toEqual(new Map([[no, 1]]))
  expect(await recordFailed(database.store, [failedRun(await claimAgain(no))])).toEqual(new Map([[no, 2]]))
  expect(await database.check(no)).toMatchObject({ failures: 2, reading_id: taken.run_id })
  expect((await database.runs(no)).at(-1)).toMatchObject({
    status: 'error',
    error_code: 'http_status',
    extracted: null,
  })

  await recordUnchanged(database.store, [unchangedRun(await claimAgain(no))])
  expect(await database.check(no)).toMatchObject({ failures: 0, runs_total: 4 })
})

test('a late writer changes nothing after another worker has taken the check', async () => {
  const { no, taken } = await claimedCheck()
  const stolen = await claimAgain(no)
  const before = await database.check(no)
  expect(await recordUnchanged(database.store, [unchangedRun(taken)])).toEqual(new Set())
  expect(await recordFailed(database.store, [failedRun(taken)])).toEqual(new Map())
  expect(await recordReadings(database.store, [readingRun(taken, { price: '1' })])).toEqual(new Set())
  expect(await readBaselines(database.store, [taken])).toEqual(new Map())

  expect({ ...(await database.check(no)), now_ms: 0 }).toEqual({ ...before, now_ms: 0 })
  expect(await database.runs(no)).toEqual([])
  expect(await recordReadings(database.store, [readingRun(stolen, { price: '1' })])).toEqual(new Set([no]))
})

test('recording an outcome twice, as after a commit of unknown outcome, does nothing the second time', async () => {
  const { team, no, taken } = await claimedCheck()
  const config = { type: 'webhook', url: 'http://127.0.0.1:1/hook' } as const
  const delivery = newDelivery({
    secrets: database.secrets,
    teamId: team,
    config,
    at: Date.now(),
    payload: (id) => ({ id }),
  })
  const row = readingRun(taken, { price: '1' }, { deliveries: [delivery] })
  expect((await recordReadings(database.store, [row])).size).toBe(1)
  expect((await recordReadings(database.store, [row])).size).toBe(0)
  expect(await database.runs(no)).toHaveLength(1)
  expect(await database.query('select id from deliveries where monitor_no = $1', [no])).toHaveLength(1)
  expect((await database.check(no)).runs_total).toBe(1)
})

test('a check that was edited under way is fenced off and starts over under the same run id', async () => {
  const { no, taken } = await claimedCheck()
  // What an edit that resets the baseline does (store/monitors/monitor-edit.ts).
  await database.query(
    `update checks set fence = fence + 1, reading_id = null, reading_hash = null, due_at = clock() where no = $1`,
    [no],
  )
  expect((await recordReadings(database.store, [readingRun(taken, { price: '1' })])).size).toBe(0)
  const [again] = await database.claim()
  expect(again).toMatchObject({ no, run_id: taken.run_id, reading_id: null })
})

test('the run of a monitor deleted under way ends as an error, and its late writer changes nothing', async () => {
  const { no, taken } = await claimedCheck()
  await database.store.transaction((tx) => hideMonitor(tx, no))
  expect((await recordReadings(database.store, [readingRun(taken, { price: '1' })])).size).toBe(0)
  expect((await recordFailed(database.store, [failedRun(taken)])).size).toBe(0)
  const [run, ...more] = await database.runs(no)
  expect(more).toEqual([])
  expect(run).toMatchObject({ id: taken.run_id, status: 'error' })
  expect(await database.check(no)).toMatchObject({ due_ms: null, run_id: null, runs_total: 1 })
})

test('a check that was paused under way is recorded and not scheduled again, whatever came of it', async () => {
  for (const record of [
    (taken: Parameters<typeof unchangedRun>[0]) => recordReadings(database.store, [readingRun(taken, {})]),
    (taken: Parameters<typeof unchangedRun>[0]) =>
      recordFailed(database.store, [failedRun(taken, { retry_after_ms: 5_000 })]),
  ]) {
    const { no, taken } = await claimedCheck()
    await database.store.transaction((tx) => stopSchedule(tx, no, PAGE_TABLE))
    await record(taken)
    expect(await database.check(no)).toMatchObject({ due_ms: null, next_ms: null, run_id: null, runs_total: 1 })
  }
})

test('a pause that comes while a failure is being written is not undone by it', async () => {
  const { no, taken } = await claimedCheck()
  const person = new pg.Client({ connectionString: database.url })
  await person.connect()
  await person.query('begin')
  await person.query('update checks set next_run_at = null where no = $1', [no])
  // Waits for the row that the pause holds, and finds it changed.
  const recording = recordFailed(database.store, [failedRun(taken)])
  await waitingForLock()
  await person.query('commit')
  await person.end()
  expect((await recording).size).toBe(1)
  expect(await database.check(no)).toMatchObject({ due_ms: null, next_ms: null })
})

async function waitingForLock(): Promise<void> {
  const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await eventually(
    () => database.query(text),
    ({ length }) => length > 0,
  )
}

test('one row that the store refuses takes its batch with it, and changes nothing', async () => {
  const { team, no, taken } = await claimedCheck()
  const [other = 0] = await database.monitors(team)
  const [second] = await database.claim()
  const rows = [readingRun(taken, { price: '1' }), readingRun(second, {}, { etag: 'NUL: \0' })]
  await expect(recordReadings(database.store, rows)).rejects.toThrow(/Query violates|invalid byte sequence/i)
  expect([...(await database.runs(no)), ...(await database.runs(other))]).toEqual([])
})

test('what was asked for while a run was under way is due as soon as that is recorded', async () => {
  const { no, taken } = await claimedCheck()
  await database.query('update checks set queued_run_id = new_run_id(clock(), no) where no = $1', [no])
  await recordFailed(database.store, [failedRun(taken, { retry_after_ms: 600_000 })])
  const { due_ms, next_ms, now_ms } = await database.check(no)
  expect(due_ms).toBeLessThanOrEqual(now_ms)
  expect(next_ms).toBeGreaterThan(now_ms + 590_000)
})
