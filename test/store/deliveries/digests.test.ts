import { afterEach, expect, test } from 'vitest'
import { claimDeliveries, recordAttempts, type ClaimedDelivery } from '../../../store/deliveries/delivery-queue.ts'
import { leadDigest, readDigest } from '../../../store/deliveries/digests.ts'
import { forgetOld } from '../../../store/maintenance/retention.ts'
import { ageDeliveries, dropDeliveries } from '../../support/database/change-deliveries.ts'
import { openOutbox } from '../../support/database/outbox.ts'
import { shared } from '../../support/run/shared.ts'

const outbox = shared(openOutbox)
afterEach(async () => {
  await outbox.setClock(0)
  await dropDeliveries(outbox)
})

const ROOM = {
  type: 'slack',
  webhookUrl: 'https://chat.example/a',
  digest: { every_seconds: 60 },
} as const

const rows = (count: number, size = 1) =>
  Array.from({ length: count }, () => outbox.row(ROOM, { text: 'x'.repeat(size) }))

async function claimAll(): Promise<readonly ClaimedDelivery[]> {
  const hosts = new Set((await outbox.seeAll()).map(({ host }) => host))
  return claimDeliveries(outbox.store, {
    rooms: Array.from(hosts, (host) => ({ host, room: 100 })),
    limit: 100,
    leaseSeconds: 60,
  })
}

test('of all that claim a delivery of it at once, one leads it, and the others lose theirs', async () => {
  await outbox.addAll(rows(20))
  const claimed = await claimAll()
  expect(claimed).toHaveLength(20)
  const other = await outbox.anotherStore()
  const led = await Promise.all(claimed.map((one, at) => leadDigest(at % 2 === 0 ? outbox.store : other, one)))
  expect(led.filter(Boolean)).toHaveLength(1)
  const leader = claimed[led.indexOf(true)]
  const seen = await outbox.seeAll()
  expect(new Set(seen.map(({ digest_of: of }) => of))).toEqual(new Set([leader?.id]))
  expect(seen.filter(({ due_at: due }) => due !== null).map(({ id }) => id)).toEqual([leader?.id])
  // What the others would record changes nothing.
  const lost = claimed.filter(({ id }) => id !== leader?.id)
  const attempt = { status: 'success', attempts: 1, retry_after_seconds: null, ended_ago_ms: 0 } as const
  const records = lost.map(({ id, fence }) => ({ id, fence, ...attempt, response_status: 200, response_body: null }))
  expect((await recordAttempts(outbox.store, records)).size).toBe(0)
})

test('is led once, however often that is asked for', async () => {
  await outbox.addAll(rows(3))
  const [first, second] = await claimAll()
  if (!first || !second) throw new Error('nothing was claimed')
  expect(await leadDigest(outbox.store, first)).toBe(true)
  expect(await leadDigest(outbox.store, first)).toBe(true)
  expect(await leadDigest(outbox.store, second)).toBe(false)
  await outbox.addAll(rows(1))
  expect(await leadDigest(outbox.store, first)).toBe(true)
  expect(await readDigest(outbox.store, first.id)).toMatchObject({ count: 3, monitors: 1 })
})

test('is led by nobody whose claim has passed on', async () => {
  await outbox.addAll(rows(2))
  const [first] = await claimAll()
  if (!first) throw new Error('nothing was claimed')
  await outbox.setClock(61)
  await claimAll()
  expect(await leadDigest(outbox.store, first)).toBe(false)
})

test('reads as many changes as a message names, and counts all', async () => {
  const all = rows(60)
  await outbox.addAll(all)
  const [first] = await claimAll()
  if (!first) throw new Error('nothing was claimed')
  const before = await readDigest(outbox.store, first.id)
  await leadDigest(outbox.store, first)
  const read = await readDigest(outbox.store, first.id)
  expect(read).toEqual(before)
  expect(read).toMatchObject({ count: 60, monitors: 1 })
  expect(read.rows.map(({ id }) => id)).toEqual(
    all
      .map(({ id }) => id)
      .toSorted()
      .slice(0, 50),
  )
})

test('reads no more than about a megabyte of them', async () => {
  await outbox.addAll(rows(10, 250_000))
  const [first] = await claimAll()
  if (!first) throw new Error('nothing was claimed')
  const read = await readDigest(outbox.store, first.id)
  expect(read.count).toBe(10)
  expect(read.rows.length).toBeGreaterThan(2)
  expect(read.rows.length).toBeLessThan(6)
})

test('keeps what waits for its next attempt, however old that is', async () => {
  await outbox.addAll(rows(3))
  const [first] = await claimAll()
  if (!first) throw new Error('nothing was claimed')
  await leadDigest(outbox.store, first)
  await ageDeliveries(outbox, '10 years')
  await forgetOld(outbox.store, AbortSignal.timeout(60_000))
  expect(await outbox.seeAll()).toHaveLength(3)
  const { id, fence } = first
  const sent = { id, fence, status: 'success', attempts: 1, retry_after_seconds: null, is_digest: true } as const
  await recordAttempts(outbox.store, [{ ...sent, ended_ago_ms: 0, response_status: 200, response_body: null }])
  expect((await outbox.seeAll()).map(({ status }) => status)).toEqual(['success', 'success', 'success'])
  await forgetOld(outbox.store, AbortSignal.timeout(60_000))
  expect(await outbox.seeAll()).toHaveLength(0)
})
