import { describe, expect, test } from 'vitest'
import { endedRuns, startWatching } from '../../support/api/watching.ts'
import { shared } from '../../support/run/shared.ts'

const watching = shared(() => startWatching())

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const HOOK = { type: 'webhook', url: 'https://receiver.example/hook' }
const any = { diff_predicate: { type: 'any_field_changes' }, deliveries: [HOOK] }
const monitor = async (id: string) => (await watching.served.me.get(`/v1/monitors/${id}`)).body

describe('monitor, as its runs go', () => {
  test('last_run_at is the time of its last run, next_run_at lies an interval ahead', async () => {
    const { id, baseline } = await watching.watch({ value: 1 }, { ...any, schedule_interval_seconds: 3600 })
    const { last_run_at: last, next_run_at: next, created_at: created } = await monitor(id)
    expect([last, next, created]).toEqual([1, 2, 3].map(() => expect.stringMatching(INSTANT) as string))
    expect(Date.parse(String(last))).toBeGreaterThanOrEqual(Date.parse(baseline.started_at))
    expect(Date.parse(String(last))).toBeLessThanOrEqual(Date.now())
    // The first run sets the place within the interval, once: at most 30 s behind.
    const ahead = (Date.parse(next) - Date.parse(created)) / 1000
    expect(ahead).toBeGreaterThanOrEqual(3600)
    expect(ahead).toBeLessThanOrEqual(3631)
  })

  test('consecutive_failures counts failed runs in a row; a success ends the count', async () => {
    const page = await watching.watch({ value: 1 }, any)
    expect(await monitor(page.id)).toMatchObject({ consecutive_failures: 0, status: 'active' })
    page.set('down', 'text/html', 500)
    for (const failures of [1, 2, 3, 4, 5]) {
      expect(await page.run()).toMatchObject({ status: 'error' })
      const status = failures < 5 ? 'active' : 'error'
      expect(await monitor(page.id)).toMatchObject({ consecutive_failures: failures, status })
    }
    page.set({ value: 1 })
    expect(await page.run()).toMatchObject({ status: 'success' })
    expect(await monitor(page.id)).toMatchObject({ consecutive_failures: 0, status: 'active' })
  })

  test('a run of a page has every field of the table, as it was', async () => {
    const page = await watching.watch({ value: 1 }, any)
    page.set({ value: 2 })
    const run = await page.run()
    const { started_at: started, ...rest } = run as never as Record<string, string>
    expect(rest).toEqual({
      id: run.id,
      monitor_id: page.id,
      user_id: watching.served.owner.user_id,
      completed_at: expect.stringMatching(INSTANT),
      status: 'success',
      extracted: { value: 2, other: null },
      diff: { fields_changed: ['value'], before: { value: 1 }, after: { value: 2 } },
      // Beyond the table: it fired, even if nobody had to be told.
      fired: true,
      delivery_triggered: true,
      fetch_method: 'static',
      // Beyond the table: why this layer. Null for a direct request.
      fetch_reason: null,
      duration_ms: expect.any(Number),
      error_message: null,
      error_code: null,
      warnings: [],
    })
    expect(started).toMatch(INSTANT)
    expect(Number.isInteger(Number(rest['duration_ms']))).toBe(true)
    expect(Date.parse(String(rest['completed_at'])) - Date.parse(String(started))).toBe(Number(rest['duration_ms']))
  })
})

describe('monitor, as time goes', () => {
  test('it runs each schedule_interval_seconds, and not between; a paused one does not', async () => {
    const own = await startWatching()
    try {
      const page = await own.watch({ value: 1 }, { ...any, schedule_interval_seconds: 60 })
      const { me } = own.served
      const { id: paused } = await own.watch({ value: 1 }, { ...any, schedule_interval_seconds: 60 })
      await me.post(`/v1/monitors/${paused}/pause`)
      await own.setClock(50)
      // What is made now is due now: when it has run, the looks since have found nothing else.
      await own.watch({ value: 1 }, any)
      expect((await me.get(`/v1/monitors/${page.id}/runs`)).body.pagination).toMatchObject({ total: 1 })
      await own.setClock(67)
      const [second] = await endedRuns(me, page.id, 2)
      expect(second).toMatchObject({ status: 'success', diff: {} })
      expect(await me.get(`/v1/monitors/${paused}/runs`)).toMatchObject({ body: { pagination: { total: 1 } } })
    } finally {
      await own.close()
    }
  })
})
