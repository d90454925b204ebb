import { describe, expect, test } from 'vitest'
import type { DeliveryStatus } from '../../../schema/run/delivery.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { failTimes, scheduleIn } from '../../support/database/check-states.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

const create = async () => (await createMonitor(served.me)).id
const status = async (id: string) => (await served.me.get(`/v1/monitors/${id}`)).body['status']
const whenOf = (next: string | null) =>
  next === null ? 'never' : Date.parse(next) - Date.now() < 5_000 ? 'now' : 'later'
const fail = (id: string, failures: number) => failTimes(served.api, id, failures)
const lock = (id: string) => changeMonitors(served.api, id, { locked: true })

describe('monitor status', () => {
  test('a new monitor is active and due at once', async () => {
    const before = Date.now()
    const monitor = await createMonitor(served.me)
    expect(monitor['status']).toBe('active')
    expect(Math.abs(Date.parse(monitor.next_run_at) - before)).toBeLessThan(5_000)
  })

  test('pause takes any non-locked state to paused, with no next run', async () => {
    const id = await create()
    const paused = await served.me.post(`/v1/monitors/${id}/pause`, {})
    expect(paused).toMatchObject({ status: 200, body: { id, status: 'paused', next_run_at: null } })
    expect((await served.me.post(`/v1/monitors/${id}/pause`)).body).toMatchObject({ status: 'paused' })
    await fail(id, 5)
    expect(await status(id)).toBe('paused')
  })

  test('resume takes paused to active, and an immediate run is scheduled', async () => {
    const id = await create()
    await served.me.post(`/v1/monitors/${id}/pause`)
    const resumed = await served.me.post(`/v1/monitors/${id}/resume`, {})
    expect(resumed).toMatchObject({ status: 200, body: { id, status: 'active' } })
    expect(Math.abs(Date.parse(resumed.body.next_run_at) - Date.now())).toBeLessThan(5_000)
  })

  test('resume of an active monitor changes nothing', async () => {
    const id = await create()
    const { body: before } = await served.me.get(`/v1/monitors/${id}`)
    expect(await served.me.post(`/v1/monitors/${id}/resume`)).toMatchObject({ status: 200, body: before })
  })

  test('resume of a billing_paused monitor is 403 FORBIDDEN, and it stays as it is', async () => {
    const id = await create()
    await lock(id)
    expect(await status(id)).toBe('billing_paused')
    for (const verb of ['resume', 'pause', 'run']) {
      const refused = await served.me.post(`/v1/monitors/${id}/${verb}`)
      expect([verb, refused.status, refused.body.error.code]).toEqual([verb, 403, 'FORBIDDEN'])
    }
    expect(await status(id)).toBe('billing_paused')
    await changeMonitors(served.api, id, { locked: false })
    expect(await status(id)).toBe('active')
  })

  test('the fifth failure in a row makes it error, and resuming makes it active', async () => {
    const id = await create()
    await fail(id, 4)
    expect(await status(id)).toBe('active')
    await fail(id, 5)
    expect((await served.me.get(`/v1/monitors/${id}`)).body).toMatchObject({ status: 'error', consecutive_failures: 5 })
    const resumed = await served.me.post(`/v1/monitors/${id}/resume`)
    expect(resumed.body).toMatchObject({ status: 'active', consecutive_failures: 0 })
  })

  /** The status of the answer, that of the monitor, and when it runs next. */
  const PAUSED = [200, 'paused', 'never']
  const STARTED = [200, 'active', 'now']
  const SAME = [200, 'active', 'later']
  const REFUSED = [403, 'billing_paused', 'later']
  test.each([
    ['active', (id: string) => fail(id, 2), { pause: PAUSED, resume: SAME }],
    ['error', (id: string) => fail(id, 7), { pause: PAUSED, resume: STARTED }],
    ['paused', (id: string) => fail(id, 7), { pause: PAUSED, resume: STARTED }],
    ['billing_paused', lock, { pause: REFUSED, resume: REFUSED }],
  ] as const)('from %s every move leads where store/monitors/monitor-record.ts says', async (from, bring, moves) => {
    for (const [verb, expected] of Object.entries(moves)) {
      const id = await create()
      await scheduleIn(served.api, id, 3600)
      await bring(id)
      if (from === 'paused') await served.me.post(`/v1/monitors/${id}/pause`)
      expect(await status(id)).toBe(from)
      const answer = await served.me.post(`/v1/monitors/${id}/${verb}`)
      const { body } = await served.me.get(`/v1/monitors/${id}`)
      expect([verb, answer.status, body['status'], whenOf(body['next_run_at'])]).toEqual([verb, ...expected])
      expect((await served.me.delete(`/v1/monitors/${id}`)).status).toBe(204)
      expect((await served.me.post(`/v1/monitors/${id}/${verb}`)).status).toBe(404)
    }
  })

  test('a deleted monitor is 404 and absent from lists; a run is read by its id', async () => {
    const id = await create()
    const run = await seedRun(served.api.services, id)
    expect((await served.me.delete(`/v1/monitors/${id}`)).status).toBe(204)
    expect((await served.me.get(`/v1/monitors/${id}`)).status).toBe(404)
    expect((await served.me.get(`/v1/monitors/${id}/runs`)).status).toBe(404)
    expect((await served.me.patch(`/v1/monitors/${id}`, { name: 'b' })).status).toBe(404)
    expect((await served.me.post(`/v1/monitors/${id}/run`)).status).toBe(404)
    expect((await served.me.delete(`/v1/monitors/${id}`)).status).toBe(404)
    expect(JSON.stringify((await served.me.get('/v1/monitors?limit=100')).body)).not.toContain(id)
    expect((await served.me.get(`/v1/runs/${run}`)).status).toBe(200)
  })
})

describe('run status', () => {
  test('a run that was queued when its monitor was deleted ends as an error', async () => {
    const id = await create()
    const { run_id: run } = (await served.me.post(`/v1/monitors/${id}/run`)).body
    await served.me.delete(`/v1/monitors/${id}`)
    const { body } = await served.me.get(`/v1/runs/${run}`)
    expect(body).toMatchObject({ id: run, status: 'error', completed_at: expect.any(String) })
    expect(body['error_message']).toMatch(/deleted/)
  })
})

describe('delivery status', () => {
  const seed = async (statuses: readonly { status: DeliveryStatus; nextInSeconds?: number }[]) => {
    const run = await seedRun(served.api.services, await create(), { triggered: true })
    const ids: string[] = []
    for (const one of statuses) ids.push(await seedDelivery(served.api.services, run, { attempts: 6, ...one }))
    return { run, ids }
  }
  const read = async (id: string) => (await served.me.get(`/v1/deliveries/${id}`)).body

  test.each([
    ['failed for good', { status: 'failed' }],
    ['failed and waiting for its next attempt', { status: 'failed', nextInSeconds: 300 }],
    ['dead', { status: 'dead' }],
  ] as const)('replay takes one that is %s to pending, re-queued immediately', async (_, from) => {
    const { ids } = await seed([from])
    const { payload } = await read(ids[0]!)
    expect(await served.me.post(`/v1/deliveries/${ids[0]}/replay`)).toMatchObject({
      status: 200,
      body: { queued: true },
    })
    const after = await read(ids[0]!)
    expect(after).toMatchObject({ id: ids[0], payload, status: 'pending', attempts: 0 })
    expect(Math.abs(Date.parse(after.next_attempt_at) - Date.now())).toBeLessThan(5_000)
  })

  test.each(['pending', 'success'] as const)('replay of a %s delivery is a 409 and changes nothing', async (from) => {
    const { ids } = await seed([{ status: from }])
    const before = await read(ids[0]!)
    const refused = await served.me.post(`/v1/deliveries/${ids[0]}/replay`)
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT'])
    expect(await read(ids[0]!)).toEqual(before)
  })

  test('replay of a run takes every failed or dead delivery, those that wait for a retry too', async () => {
    const { run, ids } = await seed([
      { status: 'dead' },
      { status: 'failed' },
      { status: 'failed', nextInSeconds: 300 },
      { status: 'success' },
      { status: 'pending' },
    ])
    expect(await served.me.post(`/v1/runs/${run}/replay`)).toMatchObject({ status: 200, body: { queued: 3 } })
    const { data } = (await served.me.get(`/v1/runs/${run}/deliveries`)).body
    expect(data.map((one) => [ids.indexOf(one['id'] ?? ''), one['status']])).toEqual([
      [0, 'pending'],
      [1, 'pending'],
      [2, 'pending'],
      [3, 'success'],
      [4, 'pending'],
    ])
    expect((await served.me.post(`/v1/runs/${run}/replay`)).body).toEqual({ queued: 0 })
  })
})
