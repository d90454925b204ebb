import { expect, test } from 'vitest'
import { createClaimRound, createHeldDeliveries } from '../../../deliveries/loop/delivery-round.ts'
import { Destinations } from '../../../deliveries/loop/destinations.ts'
import { PayloadBytes } from '../../../deliveries/loop/payload-bytes.ts'
import { CHAT_PACE } from '../../../schema/run/delivery.ts'
import { releaseDeliveries } from '../../../store/deliveries/delivery-lease.ts'
import { claimDeliveries, type ClaimedDelivery } from '../../../store/deliveries/delivery-queue.ts'
import { destinationKey } from '../../../store/deliveries/delivery-row.ts'
import { openOutbox } from '../../support/database/outbox.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'
import { NO_METRICS } from '../../support/worker/no-delivery-metrics.ts'

const outbox = shared(openOutbox)

const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const LEASE = { leaseSeconds: 0.15 }

async function claimed(): Promise<ClaimedDelivery> {
  const url = 'https://a.example/'
  await outbox.webhook(url)
  const rooms = [{ host: destinationKey(outbox.teamId, { type: 'webhook', url }), room: 1 }]
  const [one] = await claimDeliveries(outbox.store, { rooms, limit: 1, leaseSeconds: 60 })
  if (one === undefined) throw new Error('nothing was claimed')
  return one
}

function openLeases() {
  const leases = createHeldDeliveries({
    store: outbox.store,
    outbox: 'deliveries',
    log: quiet,
    metrics: NO_METRICS,
    ...LEASE,
  })
  leases.start()
  return { ...leases, [Symbol.asyncDispose]: () => leases.drain({ ended: Promise.resolve() }, 0) }
}

const dueAt = async ({ id }: ClaimedDelivery) => Number((await outbox.see(id)).due_at)

test('a lease is kept by heartbeats for as long as it takes', async () => {
  await using leases = openLeases()
  const delivery = await claimed()
  leases.hold(delivery)
  const first = await eventually(
    () => dueAt(delivery),
    (due) => due < Date.now() + 1_000,
  )
  await eventually(
    () => dueAt(delivery),
    (due) => due > first,
  )
})

test('what was dropped or taken over is left alone', async () => {
  await using leases = openLeases()
  const [dropped, lost, kept] = [await claimed(), await claimed(), await claimed()]
  const [first] = [dropped, lost, kept].map((delivery) => leases.hold(delivery))
  if (first) leases.drop(first)
  await releaseDeliveries(outbox.store, [lost])
  const before = [await dueAt(dropped), await dueAt(lost)]
  await eventually(
    () => dueAt(kept),
    (due) => due < Date.now() + 1_000,
  )
  expect([await dueAt(dropped), await dueAt(lost)]).toEqual(before)
})

test('the turn of a chat whose message another process has claimed is given back', async () => {
  await outbox.query('truncate deliveries')
  await outbox.add({ type: 'slack', webhookUrl: 'https://chat.example/hook' })
  const busyMs = async () => {
    const { rows } = await outbox.query(
      'select extract(epoch from busy_until - clock()) * 1000 as ms from chat_paces where address like $1',
      ['%chat.example%'],
    )
    return Number(rows[0]?.ms ?? 0)
  }
  const roundOf = () =>
    createClaimRound({
      store: outbox.store,
      destinations: new Destinations({ total: 10, perHost: 10, onRoom: () => {} }),
      payloads: new PayloadBytes(() => {}),
      leaseSeconds: 60,
      outbox: 'deliveries',
    })
  const [one, other] = [roundOf(), roundOf()]
  for (const round of [one, other]) while (await round.look());
  expect(await one.claim()).toHaveLength(1)
  expect(await other.claim()).toEqual([])
  expect(await busyMs()).toBeLessThanOrEqual(CHAT_PACE.everyMs.slack)
})
