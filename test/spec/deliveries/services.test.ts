import { expect, test } from 'vitest'
import { DELIVERY_TYPES } from '../../../schema/monitor/delivery-config.ts'
import { SERVICE_NAMES } from '../../../schema/monitor/delivery-services.ts'
import type { Delivery } from '../../../schema/run/delivery.ts'
import { quietNow } from '../../support/api/quiet-now.ts'
import { startWatching } from '../../support/api/watching.ts'
import { shared } from '../../support/run/shared.ts'
import { neededOf } from '../../support/services/every-service.ts'

const watching = shared(() => startWatching({ hasMail: true }))

/** A destination of each type and of each service. */
const EVERY = [
  { type: 'webhook', url: 'https://example.com/' },
  { type: 'slack', webhookUrl: 'https://example.com/' },
  { type: 'discord', webhookUrl: 'https://example.com/' },
  { type: 'email', to: 'ops@example.com' },
  ...SERVICE_NAMES.map((service) => ({
    ...{ type: 'webhook', service, url: 'https://example.com/', options: neededOf(service) },
  })),
]
const TYPES = EVERY.map(({ type }) => type)

/** Lets a monitor of all of them fire; answers its deliveries. */
async function fired(more: object = {}): Promise<readonly Delivery[]> {
  const diff_predicate = { type: 'any_field_changes' }
  const page = await watching.watch({ value: 1 }, { diff_predicate, deliveries: EVERY, ...more })
  page.set({ value: 2 })
  const { id } = await page.run()
  return (await watching.served.me.get(`/v1/runs/${id}/deliveries`)).body.data as never
}

test('the deliveries of every service have the type and the payload of a plain webhook', async () => {
  const deliveries = await fired()
  expect(deliveries.map(({ delivery_type: type }) => type)).toEqual(TYPES)
  expect(new Set(TYPES)).toEqual(new Set(DELIVERY_TYPES))
  const webhooks = deliveries.filter(({ delivery_type: type }) => type === 'webhook')
  const [plain, ...ofServices] = webhooks.map(({ payload }) => ({ ...payload, id: '' }))
  expect(plain).toMatchObject({ diff: { before: { value: 1 }, after: { value: 2 } } })
  for (const payload of ofServices) expect(payload).toEqual(plain)
})

test('the quiet hours of a monitor hold the deliveries of every type and service', async () => {
  const deliveries = await fired({ quiet_hours: quietNow() })
  expect(deliveries.map(({ held, status }) => [held, status])).toEqual(TYPES.map(() => ['quiet_hours', 'pending']))
})
