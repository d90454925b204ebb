import { describe, expect, test } from 'vitest'
import { shiftSeconds } from '../../../core/schedule.ts'
import type { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { monitorSpec, PAGE_TABLE } from '../../../store/monitors/kinds/page-table.ts'
import { hideMonitor } from '../../../store/monitors/monitor-delete.ts'
import { stopSchedule, startSchedule } from '../../../store/monitors/monitor-pause.ts'
import { runNow } from '../../../store/monitors/monitor-run-now.ts'
import { findMonitor } from '../../../store/monitors/monitors.ts'
import { findSigningFacts, replaceSigningSecret } from '../../../store/monitors/signing-secret.ts'
import { recordReadings } from '../../../store/queue/record-reading.ts'
import { recordUnchanged } from '../../../store/queue/record-unchanged.ts'
import { findRun } from '../../../store/runs/runs.ts'
import { SPEC } from '../../support/api/monitor-spec.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { stopChecks } from '../../support/database/check-states.ts'
import { readingRun, unchangedRun } from '../../support/database/finished-runs.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'
import { create, edit } from './stored-monitors.ts'

const database = shared(openQueueDatabase)

const claimOne = async (no: number) => {
  const claimed = await database.claim()
  return claimed.find((one) => one.no === no)
}
const run = (teamId: string, id: string) => database.store.transaction((tx) => runNow(tx, teamId, id, 'page'))
const queuedRun = async (teamId: string, id: string) => {
  const outcome = await run(teamId, id)
  if (outcome.kind !== 'queued') throw new Error(outcome.kind)
  return outcome.runId
}

describe('creating', () => {
  test('a monitor and its check are there together, due at once', async () => {
    const team = await database.team()
    const { id, no } = await create(database, team)
    const check = await database.check(no)
    expect(check.next_ms).toBe(check.due_ms)
    expect(check.now_ms - (check.due_ms ?? 0)).toBeLessThan(5_000)
    expect(await claimOne(no)).toMatchObject({ no, monitor_id: id, url: SPEC.url })
    const [stored] = await database.query('select interval_seconds, shift_seconds from checks where no = $1', [no])
    expect(stored).toEqual({ interval_seconds: 600, shift_seconds: shiftSeconds(id, 600) })
  })

  test('what may hold credentials is not readable in the table, and comes back as it was', async () => {
    const team = await database.team()
    const secretive: Partial<MonitorSpec> = {
      request_headers: { authorization: 'Bearer hidden-1' },
      deliveries: [{ type: 'webhook', url: 'https://example.com/hidden-2', headers: { 'x-token': 'hidden-3' } }],
    }
    const stored = await create(database, team, secretive)
    const [text] = await database.query<{ row: string }>('select m::text as row from monitors m where no = $1', [
      stored.no,
    ])
    expect(text?.row).not.toContain('hidden')
    expect(text?.row).not.toContain(Buffer.from('hidden').toString('hex'))
    expect(monitorSpec(stored, database.secrets)).toEqual({ ...SPEC, ...secretive })
  })

  test.each<[string, Partial<MonitorSpec>]>([
    ['static', {}],
    ['browser', { fetch_mode: 'browser' }],
    ['visual', { visual_config: { enabled: true } }],
    ['static', { visual_config: { enabled: false } }],
    ['static', { request_config: {}, fetch_mode: 'browser' }],
  ])('its checks wait in the queue %s with %j', async (queue, spec) => {
    const { no } = await create(database, await database.team(), spec)
    expect(await database.query('select queue from checks where no = $1', [no])).toEqual([{ queue }])
  })
})

describe('an edit that changes what a run means', () => {
  test.each<[string, Partial<MonitorSpec>]>([
    ['url', { url: 'https://example.com/other' }],
    ['extract_config', { extract_config: { method: 'css', fields: { price: '.cost' } } }],
    ['request_config', { request_config: { method: 'POST' } }],
    ['request_headers', { request_headers: { accept: 'text/html' } }],
    ['fetch_mode', { fetch_mode: 'browser' }],
    ['visual_config', { visual_config: { enabled: true } }],
  ])('%s makes the next run a baseline', async (_, patch) => {
    const monitor = await create(database, await database.team())
    const taken = await claimOne(monitor.no)
    await recordReadings(database.store, [readingRun(taken, { price: '1' })])
    await database.query('update checks set failures = 3 where no = $1', [monitor.no])
    const before = await database.check(monitor.no)
    expect(before).toMatchObject({ reading_id: taken?.run_id, etag: '"1"' })
    await edit(database, monitor, patch)
    const reset = { reading_id: null, etag: null, failures: 0, fence: before.fence + 1 }
    expect(await database.check(monitor.no)).toMatchObject({ ...reset, due_ms: before.due_ms, next_ms: before.next_ms })
  })

  test.each<[string, Partial<MonitorSpec>]>([
    ['name', { name: 'Other' }],
    ['diff_predicate', { diff_predicate: { type: 'field_changes', field: 'price' } }],
    ['deliveries', { deliveries: [{ type: 'email', to: 'a@example.com' }] }],
    ['the order of keys', { extract_config: { fields: { price: '.price' }, method: 'css' } }],
  ])('%s does not', async (_, patch) => {
    const monitor = await create(database, await database.team())
    await recordReadings(database.store, [readingRun(await claimOne(monitor.no), { price: '1' })])
    const { now_ms: _now, ...before } = await database.check(monitor.no)
    await edit(database, monitor, patch)
    expect(await database.check(monitor.no)).toMatchObject(before)
  })

  test('a new value of a header keeps the baseline, and no check under way ends with the old one', async () => {
    const monitor = await create(database, await database.team(), { request_headers: { Authorization: 'old' } })
    await recordReadings(database.store, [readingRun(await claimOne(monitor.no), { price: '1' })])
    await database.query('update checks set due_at = clock(), failures = 3 where no = $1', [monitor.no])
    const taken = await claimOne(monitor.no)
    const { reading_id, fence } = await database.check(monitor.no)
    await edit(database, monitor, { request_headers: { authorization: 'new' } })
    expect(await database.check(monitor.no)).toMatchObject({ reading_id, failures: 3, etag: '"1"', fence: fence + 1 })
    expect(await recordReadings(database.store, [readingRun(taken, { price: 'old' })])).toEqual(new Set())
    expect(await claimOne(monitor.no)).toMatchObject({ run_id: taken?.run_id })
  })

  test('a check in flight is fenced off, and starts over under the same run id without a second count', async () => {
    const team = await database.team()
    const monitor = await create(database, team)
    const taken = await claimOne(monitor.no)
    await edit(database, monitor, { url: 'https://example.com/new' })
    expect(await recordReadings(database.store, [readingRun(taken, { price: 'old' })])).toEqual(new Set())
    const again = await claimOne(monitor.no)
    expect(again).toMatchObject({ run_id: taken?.run_id, url: 'https://example.com/new' })
    expect(await recordReadings(database.store, [readingRun(again, { price: 'new' })])).toEqual(new Set([monitor.no]))
    expect(await database.runs(monitor.no)).toMatchObject([{ id: taken?.run_id, extracted: { price: 'new' } }])
    expect(await database.usage(team)).toMatchObject({ runs_used: 1 })
  })

  test('an edit of the name leaves a check in flight alone', async () => {
    const monitor = await create(database, await database.team())
    const taken = await claimOne(monitor.no)
    const { due_ms } = await database.check(monitor.no)
    await edit(database, monitor, { name: 'Other', schedule_interval_seconds: 60 })
    expect((await database.check(monitor.no)).due_ms).toBe(due_ms)
    expect(await recordReadings(database.store, [readingRun(taken, { price: '1' })])).toEqual(new Set([monitor.no]))
  })
})

describe('a change of the interval', () => {
  test('brings the next run forward, never back', async () => {
    const monitor = await create(database, await database.team())
    await recordReadings(database.store, [readingRun(await claimOne(monitor.no), { price: '1' })])
    const before = await database.check(monitor.no)
    expect((before.next_ms ?? 0) - before.now_ms).toBeGreaterThan(500_000)
    await edit(database, monitor, { schedule_interval_seconds: 60 })
    const sooner = await database.check(monitor.no)
    expect(Math.abs((sooner.next_ms ?? 0) - sooner.now_ms - 60_000)).toBeLessThan(5_000)
    expect(sooner.due_ms).toBe(sooner.next_ms)
    await edit(database, monitor, { schedule_interval_seconds: 86_400 })
    expect((await database.check(monitor.no)).next_ms).toBe(sooner.next_ms)
  })

  test('does not wake a paused monitor', async () => {
    const monitor = await create(database, await database.team())
    await database.store.transaction((tx) => stopSchedule(tx, monitor.no, PAGE_TABLE))
    await edit(database, monitor, { schedule_interval_seconds: 60 })
    expect(await database.check(monitor.no)).toMatchObject({ next_ms: null, due_ms: null })
  })
})

describe('pausing', () => {
  test('a check in flight keeps its lease and is recorded, and then nothing is due', async () => {
    const monitor = await create(database, await database.team())
    const taken = await claimOne(monitor.no)
    const { due_ms } = await database.check(monitor.no)
    await database.store.transaction((tx) => stopSchedule(tx, monitor.no, PAGE_TABLE))
    expect(await database.check(monitor.no)).toMatchObject({ due_ms, next_ms: null })
    await recordReadings(database.store, [readingRun(taken, { price: '1' })])
    expect(await database.check(monitor.no)).toMatchObject({ due_ms: null, next_ms: null, run_id: null })
  })

  test('a run that was asked for still happens, and the monitor stays paused after it', async () => {
    const team = await database.team()
    const monitor = await create(database, team)
    await database.store.transaction((tx) => stopSchedule(tx, monitor.no, PAGE_TABLE))
    expect(await claimOne(monitor.no)).toBeUndefined()
    const runId = await queuedRun(team, monitor.id)
    const taken = await claimOne(monitor.no)
    expect(taken?.run_id).toBe(runId)
    await recordReadings(database.store, [readingRun(taken, { price: '1' })])
    expect(await database.check(monitor.no)).toMatchObject({ due_ms: null, next_ms: null, queued_run_id: null })
  })

  test('resuming makes it due at once, with no failures counted', async () => {
    const monitor = await create(database, await database.team())
    await database.store.transaction((tx) => stopSchedule(tx, monitor.no, PAGE_TABLE))
    await database.query('update checks set failures = 7 where no = $1', [monitor.no])
    const row = await database.store.transaction((tx) => startSchedule(tx, monitor.no, PAGE_TABLE))
    expect(row).toMatchObject({ paused: false, failures: 0 })
    expect(await claimOne(monitor.no)).toBeDefined()
  })
})

describe('a run that is asked for', () => {
  test('is claimed under the id that was answered, and is not counted twice', async () => {
    const team = await database.team({ runs: 10, used: 4 })
    const { id, no } = await create(database, team)
    const runId = await queuedRun(team, id)
    expect(await database.usage(team)).toMatchObject({ runs_used: 5 })
    expect(await findRun(database.store, team, runId)).toMatchObject({ id: runId, status: 'running' })
    expect(await claimOne(no)).toMatchObject({ run_id: runId })
    expect(await findRun(database.store, team, runId)).toMatchObject({ id: runId, status: 'running' })
    expect(await database.usage(team)).toMatchObject({ runs_used: 5 })
  })

  test('while another is in flight it waits behind it, and runs as soon as that is recorded', async () => {
    const team = await database.team()
    const { id, no } = await create(database, team)
    const scheduled = await claimOne(no)
    const { due_ms } = await database.check(no)
    const runId = await queuedRun(team, id)
    expect(runId).not.toBe(scheduled?.run_id)
    expect((await database.check(no)).due_ms).toBe(due_ms)
    await recordReadings(database.store, [readingRun(scheduled, { price: '1' })])
    const asked = await claimOne(no)
    expect(asked?.run_id).toBe(runId)
    await recordUnchanged(database.store, [unchangedRun(asked)])
    expect(await findRun(database.store, team, runId)).toMatchObject({ status: 'success', extracted: { price: '1' } })
  })

  test('ten requests at once queue one run and use one run of the quota', async () => {
    const team = await database.team({ runs: 100 })
    const { id } = await create(database, team)
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => queuedRun(team, id)))
    expect(new Set(outcomes).size).toBe(1)
    expect(await database.usage(team)).toMatchObject({ runs_used: 1 })
  })

  test('requests and claims at the same time neither overspend nor lock each other out', async () => {
    const team = await database.team({ runs: 30 })
    const asked = []
    for (let i = 0; i < 20; i++) asked.push(await create(database, team))
    await database.monitors(team, { count: 40 })
    const claims = Array.from({ length: 8 }, () => database.claim({ limit: 10 }))
    await Promise.all([...asked.map(({ id }) => run(team, id)), ...claims])
    await database.claim()
    expect(await database.usage(team)).toMatchObject({ runs_used: 30, credits: 0 })
    const [{ open } = { open: 0 }] = await database.query<{ open: number }>(
      'select count(run_id)::int + count(queued_run_id)::int as open from checks where team_id = $1',
      [team],
    )
    expect(open).toBe(30)
    await stopChecks(database, 'all')
  })

  test('a team without an own visual pool pays for a visual run from the runs', async () => {
    const shared = await database.team({ runs: 5 })
    const apart = await database.team({ runs: 5, visual: 1, credits: 1 })
    const visual = { visual_config: { enabled: true } }
    await run(shared, (await create(database, shared, visual)).id)
    expect(await database.usage(shared)).toMatchObject({ runs_used: 1, visual_used: 0 })
    for (const kind of ['queued', 'queued', 'used_up'])
      expect(await run(apart, (await create(database, apart, visual)).id)).toMatchObject({ kind })
    expect(await database.usage(apart)).toMatchObject({ runs_used: 0, visual_used: 1, credits: 0 })
  })

  test('a locked monitor is not run, and nothing is counted', async () => {
    const team = await database.team()
    const { id, no } = await create(database, team)
    await changeMonitors(database, no, { locked: true })
    expect(await run(team, id)).toEqual({ kind: 'locked' })
    expect(await database.usage(team)).toMatchObject({ runs_used: 0 })
    expect(await database.check(no)).toMatchObject({ queued_run_id: null })
  })
})

describe('deleting', () => {
  test('ends what is in flight and what is queued, fences the worker off, and keeps the runs readable', async () => {
    const team = await database.team()
    const { id, no } = await create(database, team)
    const taken = await claimOne(no)
    const queued = await queuedRun(team, id)
    await database.store.transaction((tx) => hideMonitor(tx, no))
    expect(await recordReadings(database.store, [readingRun(taken, { price: '1' })])).toEqual(new Set())
    for (const runId of [taken?.run_id ?? '', queued])
      expect(await findRun(database.store, team, runId)).toMatchObject({ status: 'error', error_code: null })
    const gone = { due_ms: null, next_ms: null, run_id: null, queued_run_id: null, runs_total: 2 }
    expect(await database.check(no)).toMatchObject(gone)
    expect(await findMonitor(database.store, team, id, PAGE_TABLE)).toBeNull()
    expect(await claimOne(no)).toBeUndefined()
  })
})

describe('the signing secret', () => {
  const webhook: Partial<MonitorSpec> = { deliveries: [{ type: 'webhook', url: 'https://example.com/' }] }
  const read = ({ team_id: teamId, id }: { team_id: string; id: string }) =>
    findSigningFacts(database.store, database.secrets, { teamId, id, kind: 'page' })

  test('comes with the first webhook and is kept through edits, also without webhooks', async () => {
    const monitor = await create(database, await database.team())
    expect(await read(monitor)).toMatchObject({ hasWebhook: false, secret: null })
    await edit(database, monitor, webhook)
    const first = await read(monitor)
    expect(first).toMatchObject({ hasWebhook: true, secret: expect.stringMatching(/^[0-9a-f]{64}$/) })
    await edit(database, monitor, { deliveries: [] })
    expect(await read(monitor)).toEqual({ ...first, hasWebhook: false })
    await edit(database, monitor, webhook)
    expect(await read(monitor)).toEqual(first)
  })

  test.each([
    [0, null],
    [2, 7_200_000],
  ])('a rotation with %i hours of grace keeps the old one for that long', async (graceHours, keptMs) => {
    const monitor = await create(database, await database.team(), webhook)
    const before = await read(monitor)
    const place = { teamId: monitor.team_id, id: monitor.id, graceHours }
    const fresh = await database.store.transaction((tx) => replaceSigningSecret(tx, database.secrets, place))
    expect((await read(monitor))?.secret).toBe(fresh)
    expect(fresh).not.toBe(before?.secret)
    const [stored] = await database.query<{ old: Buffer | null; ms: number | null }>(
      `select old_signing_secret as old, (extract(epoch from old_secret_until - clock()) * 1000)::float8 as ms ` +
        `from monitors where no = $1`,
      [monitor.no],
    )
    const opened = stored?.old
      ? database.secrets.open(
          { teamId: monitor.team_id, column: 'monitors.old_signing_secret', rowId: monitor.id },
          stored.old,
        )
      : null
    expect(opened).toBe(keptMs === null ? null : before?.secret)
    if (keptMs === null) expect(stored?.ms).toBeNull()
    else expect(Math.abs((stored?.ms ?? 0) - keptMs)).toBeLessThan(10_000)
  })
})
