import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'

let served: ServedApi
let monitor: string
let run: string
beforeAll(async () => {
  served = await serveApi()
  monitor = (await createMonitor(served.me)).id
  run = await seedRun(served.api.services, monitor, { triggered: true })
})
afterAll(() => served.close())

const hook = 'https://example.com/hook?token=1'

describe('delivery', () => {
  test('a delivery has the fifteen fields of the table, and beyond the contract its monitor and a key', async () => {
    const id = await seedDelivery(served.api.services, run, {
      config: { type: 'webhook', url: hook, headers: { authorization: 'Bearer hidden' } },
      status: 'failed',
      attempts: 2,
      nextInSeconds: 900,
      payload: { version: '2026-05-01', monitor_id: monitor },
      responseStatus: 503,
      responseBody: 'down',
    })
    const { body } = await served.me.get(`/v1/deliveries/${id}`)
    expect(body).toEqual({
      id,
      monitor_id: monitor,
      user_id: served.owner.user_id,
      run_id: run,
      monitor: { kind: 'page', name: expect.any(String) },
      delivery_type: 'webhook',
      destination: hook,
      destination_key: expect.stringMatching(/^[0-9a-f]{16}$/),
      payload: { id, version: '2026-05-01', monitor_id: monitor },
      status: 'failed',
      attempts: 2,
      last_attempt_at: expect.stringMatching(/Z$/),
      next_attempt_at: expect.stringMatching(/Z$/),
      response_status: 503,
      response_body: 'down',
      created_at: expect.stringMatching(/Z$/),
    })
    expect(JSON.stringify(body)).not.toContain('hidden')
  })

  test.each<[DeliveryConfig, string]>([
    [{ type: 'webhook', url: hook }, hook],
    [{ type: 'slack', webhookUrl: hook }, hook],
    [{ type: 'discord', webhookUrl: hook }, hook],
    [{ type: 'email', to: 'name@example.com' }, 'name@example.com'],
  ])('the destination of %j is its address', async (config, destination) => {
    const id = await seedDelivery(served.api.services, run, { config })
    const { body } = await served.me.get(`/v1/deliveries/${id}`)
    expect(body).toMatchObject({ delivery_type: config.type, destination })
  })

  test('one that nothing was tried for has no attempts, no answer and a next attempt', async () => {
    const { body } = await served.me.get(`/v1/deliveries/${await seedDelivery(served.api.services, run)}`)
    const untried = {
      status: 'pending',
      attempts: 0,
      last_attempt_at: null,
      response_status: null,
      response_body: null,
    }
    expect(body).toMatchObject({ ...untried, next_attempt_at: expect.any(String) })
  })
})
