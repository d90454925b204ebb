import { afterEach, expect, test } from 'vitest'
import { endTeam } from '../../../store/accounts/end-account.ts'
import { claimDeliveries, recordAttempts, type ClaimedDelivery } from '../../../store/deliveries/delivery-queue.ts'
import { leadDigest, readDigest } from '../../../store/deliveries/digests.ts'
import { replayDelivery } from '../../../store/deliveries/replay-deliveries.ts'
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

const recordOf = (
  { id, fence }: ClaimedDelivery,
  status: 'success' | 'failed',
  retrySeconds: number | null = null,
) => ({
  ...{ id, fence, status, attempts: 1, retry_after_seconds: retrySeconds, ended_ago_ms: 0, is_digest: true },
  ...{ response_status: status === 'success' ? 200 : 404, response_body: null },
})
/** Makes a digest of so many deliveries, of which the returned one leads the others. */
async function ledBy(count: number): Promise<ClaimedDelivery> {
  await outbox.addAll(rows(count))
  const [first] = await claimAll()
  if (!first) throw new Error('nothing was claimed')
  await leadDigest(outbox.store, first)
  return first
}
const statuses = async () => Object.fromEntries((await outbox.seeAll()).map(({ id, status }) => [id, status]))

test('that was given up gives no outcome to others when one of it is sent by itself', async () => {
  const leader = await ledBy(3)
  await recordAttempts(outbox.store, [recordOf(leader, 'failed')])
  await replayDelivery(outbox.store, outbox.teamId, leader.id)
  const [alone] = await claimAll()
  const other = await ledBy(2)
  if (!alone) throw new Error('it was not claimed')
  await recordAttempts(outbox.store, [recordOf(alone, 'success'), recordOf(other, 'success')])
  const found = await statuses()
  expect(found[leader.id]).toBe('success')
  expect(Object.values(found).toSorted()).toEqual(['failed', 'failed', 'success', 'success', 'success'])
})

test('is led by one that waits, whichever of its deliveries are replayed at once', async () => {
  const leader = await ledBy(4)
  await recordAttempts(outbox.store, [recordOf(leader, 'failed', 300)])
  const next = (await outbox.seeAll()).find(({ id }) => id !== leader.id)
  const other = await outbox.anotherStore()
  await Promise.all([
    outbox.store.transaction((tx) => replayDelivery(tx, outbox.teamId, leader.id)),
    other.transaction((tx) => replayDelivery(tx, outbox.teamId, next?.id ?? '')),
  ])
  const seen = await outbox.seeAll()
  const waiting = seen.filter(({ status }) => status === 'failed')
  expect(waiting).toHaveLength(2)
  const leading = waiting.filter(({ due_at: due }) => due !== null)
  expect(leading).toHaveLength(1)
  expect(waiting.map(({ digest_of: of }) => of)).toEqual(waiting.map(() => leading[0]?.id))
})

test('ends as a whole with its team', async () => {
  const leader = await ledBy(3)
  await recordAttempts(outbox.store, [recordOf(leader, 'failed', 300)])
  await outbox.store.transaction((tx) => endTeam(tx, outbox.teamId))
  const seen = await outbox.seeAll()
  expect(seen.map(({ status, next_attempt_at: next }) => [status, next])).toEqual(seen.map(() => ['dead', null]))
})
