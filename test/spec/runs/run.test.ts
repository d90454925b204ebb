import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { seedRun } from '../../support/api/seeded-runs.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'

let served: ServedApi
let id: string
beforeAll(async () => {
  served = await serveApi()
})
beforeEach(async () => {
  id = (await createMonitor(served.me)).id
})
afterAll(() => served.close())

const read = async (run: string) => (await served.me.get(`/v1/runs/${run}`)).body as Record<string, unknown>
const diff = { fields_changed: ['price'], before: { price: '$10' }, after: { price: '$12' } }

describe('run', () => {
  test('a run that found a change has what was extracted, the difference, the layer and the times', async () => {
    const run = await seedRun(served.api.services, id, {
      extracted: { price: '$12' },
      diff,
      fetchMethod: 'static',
      triggered: true,
      startOffsetMs: 5,
      durationMs: 321,
    })
    const body = await read(run)
    expect(body).toEqual({
      id: run,
      monitor_id: id,
      user_id: served.owner.user_id,
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      completed_at: expect.any(String),
      status: 'success',
      extracted: { price: '$12' },
      diff,
      fired: true,
      delivery_triggered: true,
      fetch_method: 'static',
      fetch_reason: null,
      duration_ms: 321,
      error_message: null,
      error_code: null,
      warnings: [],
    })
    expect(Date.parse(String(body['completed_at'])) - Date.parse(String(body['started_at']))).toBe(321)
  })

  test('a run that found nothing new has the values of the one before it, and an empty difference', async () => {
    const first = await seedRun(served.api.services, id, { age: '1 minute', extracted: { price: '$12' } })
    const second = await seedRun(served.api.services, id, { readingId: first, fetchMethod: 'browser' })
    expect(await read(second)).toMatchObject({ extracted: { price: '$12' }, diff: {}, fetch_method: 'browser' })
    const { data } = (await served.me.get(`/v1/monitors/${id}/runs`)).body
    expect(data).toMatchObject([
      { id: second, extracted: { price: '$12' } },
      { id: first, extracted: { price: '$12' } },
    ])
  })

  test('a run that failed has a message, extracted nothing and differs in nothing', async () => {
    const errorMessage = 'The host name could not be resolved.'
    const run = await seedRun(served.api.services, id, { status: 'error', errorCode: 'dns_failed', errorMessage })
    const failed = { status: 'error', error_message: errorMessage, error_code: 'dns_failed' }
    expect(await read(run)).toMatchObject({ ...failed, extracted: {}, diff: {}, fetch_method: null })
  })

  test.each(['static', 'browser', 'proxy'] as const)(
    'fetch_method tells the layer that answered: %s',
    async (fetchMethod) => {
      const run = await seedRun(served.api.services, id, { extracted: {}, fetchMethod })
      expect(await read(run)).toMatchObject({ fetch_method: fetchMethod })
    },
  )

  test('a run that is queued is running: no end, no layer, no duration yet', async () => {
    const { run_id: run } = (await served.me.post(`/v1/monitors/${id}/run`)).body
    const waiting = {
      status: 'running',
      completed_at: null,
      fetch_method: null,
      duration_ms: 0,
      extracted: {},
      diff: {},
    }
    expect(await read(run)).toMatchObject({
      ...waiting,
      monitor_id: id,
      delivery_triggered: false,
      error_message: null,
    })
  })

  test('visual_change_pct is only on runs of monitors with the visual layer', async () => {
    expect(await read(await seedRun(served.api.services, id))).not.toHaveProperty('visual_change_pct')
  })

  test('a skipped run is shown as skipped', async () => {
    expect(await read(await seedRun(served.api.services, id, { status: 'skipped' }))).toMatchObject({
      status: 'skipped',
    })
  })

  test.each([
    'nonsense',
    '00000000-0000-0000-0000-000000000000',
    '01a1fde5-c95a-7efa-8000-0000006645d7',
    '01a1fde5-c95a-7efa-bfff-ffffffffffff',
  ])('an id that never was is 404: %s', async (unknown) => {
    expect((await served.me.get(`/v1/runs/${unknown}`)).status).toBe(404)
    expect((await served.me.get(`/v1/runs/${unknown}/deliveries`)).status).toBe(404)
    expect((await served.me.post(`/v1/runs/${unknown}/replay`)).status).toBe(404)
  })
})
