import { afterEach, expect, test } from 'vitest'
import { type ClaimedDelivery, claimDeliveries, recordAttempts } from '../../../store/deliveries/delivery-queue.ts'
import { destinationKey } from '../../../store/deliveries/delivery-row.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { openOutbox } from '../../support/database/outbox.ts'
import { shared } from '../../support/run/shared.ts'

const outbox = shared(openOutbox)
afterEach(() => outbox.query('truncate deliveries, notice_events, dead_destinations'))

type Ending = 'dead' | 'refused' | 'retried' | 'taken'
const STATUS = { dead: 'dead', refused: 'failed', retried: 'failed', taken: 'success' } as const

async function claimed(urls: readonly string[]): Promise<readonly ClaimedDelivery[]> {
  for (const url of urls) await outbox.webhook(url)
  const hosts = new Set(urls.map((url) => destinationKey(outbox.teamId, { type: 'webhook', url })))
  const rooms = [...hosts].map((host) => ({ host, room: 10 }))
  return claimDeliveries(outbox.store, { rooms, limit: 100, leaseSeconds: 60 })
}

/** Sends one delivery to each address, and records them together. */
async function end(ending: Ending, ...urls: string[]): Promise<void> {
  const records = (await claimed(urls)).map(({ id, fence }) => ({
    id,
    fence,
    status: STATUS[ending],
    attempts: ending === 'dead' ? 6 : 1,
    retry_after_seconds: ending === 'retried' ? 300 : null,
    ended_ago_ms: 0,
    response_status: ending === 'taken' ? 200 : 503,
    response_body: null,
  }))
  expect((await recordAttempts(outbox.store, records)).size).toBe(urls.length)
}
const reported = async () =>
  (await outbox.query(`select detail from notice_events where kind = 'delivery_dead' order by created_at`)).rows.map(
    ({ detail }) => [detail.host, detail.status],
  )

const A = 'https://a.example/hook'
const B = 'https://b.example/hook'

test('a destination is reported once, however many of its deliveries die, until it takes one', async () => {
  await end('dead', A, A, A)
  await end('dead', A)
  expect(await reported()).toEqual([['a.example:443', 'dead']])
  await end('taken', A)
  await end('dead', A)
  expect(await reported()).toHaveLength(2)
})

test('a refusal for good is reported, and a failure that is tried again is not', async () => {
  await end('retried', A)
  expect(await reported()).toEqual([])
  await end('refused', B)
  expect(await reported()).toEqual([['b.example:443', 'failed']])
})

test('two addresses at one host are two destinations', async () => {
  await end('dead', `${A}/1`, `${A}/2`)
  expect(await reported()).toHaveLength(2)
  await end('taken', `${A}/1`)
  await end('dead', `${A}/1`, `${A}/2`)
  expect(await reported()).toHaveLength(3)
})

test('nobody gets a notice where nobody wants it', async () => {
  await outbox.query('update teams set error_notifications = false')
  await end('dead', A)
  expect(await reported()).toEqual([])
  await changeMonitors(outbox, 'all', { notifyOn: ['delivery_dead'] })
  await end('taken', A)
  await end('dead', A)
  expect(await reported()).toHaveLength(1)
})
