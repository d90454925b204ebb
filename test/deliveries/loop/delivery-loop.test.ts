import { afterEach, describe, expect, test } from 'vitest'
import { sign } from '../../../core/signature.ts'
import { claimDeliveries } from '../../../store/deliveries/delivery-queue.ts'
import { destinationKey } from '../../../store/deliveries/delivery-row.ts'
import { replayDelivery } from '../../../store/deliveries/replay-deliveries.ts'
import {
  dropDeliveries,
  hideDeliveries,
  refuseResults,
  returnDeliveries,
  takeResults,
} from '../../support/database/change-deliveries.ts'
import { OLD_SECRET, openOutbox, SECRET, startLoop, type Seen } from '../../support/database/outbox.ts'
import { lockTable } from '../../support/database/stored-rows.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'
import { openReceiver, reply } from '../../support/worker/receiver.ts'

const outbox = shared(openOutbox)
afterEach(async () => {
  await outbox.setClock(0)
  await dropDeliveries(outbox)
})

const isSent = ({ status }: Seen) => status === 'success'
const secondsTo = (row: Seen) => (Number(row.next_attempt_at) - Number(row.last_attempt_at)) / 1000

describe('the delivery loop', () => {
  test('sends what is due as a POST of the stored text and records the success', async () => {
    await using receiver = await openReceiver()
    const id = await outbox.webhook(receiver.url)
    await using _ = startLoop(outbox)
    const row = await outbox.until(id, isSent)
    expect(row).toMatchObject({
      attempts: 1,
      response_status: 200,
      response_body: 'ok',
      next_attempt_at: null,
      due_at: null,
    })
    expect(receiver.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /hook'])
    expect(receiver.requests[0]?.body.toString()).toBe(row.payload)
  })

  test('writes a line for each attempt, with the host of the destination and nothing else of its address', async () => {
    await using receiver = await openReceiver(reply(500))
    const id = await outbox.webhook(`${receiver.url}?token=canary`)
    await using running = startLoop(outbox)
    await outbox.until(id, ({ attempts }) => attempts === 1)
    const lines = running.log.filter((line) => line.startsWith('delivery {'))
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0]?.slice('delivery '.length) ?? '')).toEqual({
      delivery_id: id,
      run_id: expect.any(String),
      monitor_id: expect.any(String),
      type: 'webhook',
      host: new URL(receiver.url).host,
      attempt: 1,
      ms: expect.any(Number),
      status: 'failed',
      response_status: 500,
      retry_after_seconds: 300,
    })
    expect(lines[0]).not.toContain('canary')
  })

  test('sends at once what is stored while it is idle, when woken', async () => {
    await using receiver = await openReceiver()
    await using running = startLoop(outbox, { idleMs: 60_000 })
    await outbox.until(await outbox.webhook(receiver.url).then((id) => (running.loop.wake(), id)), isSent)
    const before = performance.now()
    const id = await outbox.webhook(receiver.url)
    running.loop.wake()
    await outbox.until(id, isSent)
    // Not at its next look.
    expect(performance.now() - before).toBeLessThan(30_000)
  })

  test('works a backlog off without waiting for its next look', async () => {
    await using receiver = await openReceiver()
    const { url } = receiver
    await outbox.addAll(Array.from({ length: 40 }, () => outbox.row({ type: 'webhook', url })))
    await using _ = startLoop(outbox, { idleMs: 60_000 })
    await eventually(
      () => outbox.seeAll(),
      (rows) => rows.every(isSent),
    )
  })

  test(
    'tries six times after 0 s, 5 min, 15 min, 30 min, 1 h and 2 h, with the same id and bytes, and never a ' +
      'seventh time',
    async () => {
      await using receiver = await openReceiver(reply(503, 'busy'))
      const id = await outbox.webhook(receiver.url)
      await using running = startLoop(outbox)
      let ahead = 0
      for (const [index, seconds] of [300, 900, 1800, 3600, 7200].entries()) {
        const row = await outbox.until(id, ({ attempts }) => attempts === index + 1)
        expect(row).toMatchObject({
          status: 'failed',
          response_status: 503,
          response_body: 'busy',
          due_at: row.next_attempt_at,
        })
        expect(secondsTo(row)).toBeCloseTo(seconds, 2)
        await outbox.setClock(ahead + seconds - 5)
        await nothingMore(running, id, index + 1)
        ahead += seconds + 1
        await outbox.setClock(ahead)
      }
      const dead = await outbox.until(id, ({ status }) => status === 'dead')
      expect(dead).toMatchObject({ attempts: 6, next_attempt_at: null, due_at: null })
      await outbox.setClock(ahead + 30 * 86_400)
      await nothingMore(running, id, 6)
      expect(receiver.requests).toHaveLength(6)
      expect(new Set(receiver.requests.map(({ body }) => body.toString()))).toEqual(new Set([dead.payload]))
    },
  )

  /** A marker that is sent later shows that the loop has looked and has passed the delivery over. */
  async function nothingMore({ loop }: { loop: { wake(): void } }, id: string, attempts: number): Promise<void> {
    await using marker = await openReceiver()
    const markerId = await outbox.webhook(marker.url)
    loop.wake()
    await outbox.until(markerId, isSent)
    expect((await outbox.see(id)).attempts).toBe(attempts)
  }

  test('replays a dead delivery from the first attempt on, with the same id and payload', async () => {
    let isUp = false
    await using receiver = await openReceiver((...args) => reply(isUp ? 200 : 500)(...args))
    const id = await outbox.webhook(receiver.url)
    await outbox.change(id, { attempts: 5 })
    await using running = startLoop(outbox)
    await outbox.until(id, ({ status }) => status === 'dead')
    isUp = true
    expect(await replayDelivery(outbox.store, outbox.teamId, id)).toMatchObject({ id })
    running.loop.wake()
    expect(await outbox.until(id, isSent)).toMatchObject({ attempts: 1, response_status: 200 })
    expect(receiver.requests[1]?.body).toEqual(receiver.requests[0]?.body)
  })

  test(
    'sends again with the same id and body what another process claimed and never recorded, once its lease is ' +
      'over',
    async () => {
      await using receiver = await openReceiver()
      const id = await outbox.webhook(receiver.url)
      const host = destinationKey(outbox.teamId, { type: 'webhook', url: receiver.url })
      const claim = { rooms: [{ host, room: 5 }], limit: 5, leaseSeconds: 60 }
      const [lost] = await claimDeliveries(outbox.store, claim)
      expect(lost?.id).toBe(id)
      await using running = startLoop(outbox)
      await nothingMore(running, id, 0)
      expect(receiver.requests).toHaveLength(0)
      await outbox.setClock(61)
      running.loop.wake()
      expect(await outbox.until(id, isSent)).toMatchObject({ attempts: 1, payload: lost?.payload })
      expect(receiver.requests[0]?.body.toString()).toBe(lost?.payload)
    },
  )

  test('sends nothing twice when two processes share the store', async () => {
    await using receiver = await openReceiver()
    const other = await outbox.anotherStore()
    const url = receiver.url
    await outbox.addAll(Array.from({ length: 200 }, () => outbox.row({ type: 'webhook', url })))
    await using _first = startLoop(outbox)
    await using _second = startLoop(outbox, { store: other })
    await eventually(
      () => outbox.seeAll(),
      (rows) => rows.every(isSent),
    )
    const ids = receiver.requests.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id)
    expect(ids).toHaveLength(200)
    expect(new Set(ids).size).toBe(200)
  })

  test('ignores the result of an attempt whose lease was lost meanwhile', async () => {
    const gate = Promise.withResolvers<void>()
    await using receiver = await openReceiver((socket, request, nth) => {
      if (nth > 1) return reply(200, 'second')(socket, request, nth)
      void gate.promise.then(() => reply(500, 'first')(socket, request, nth))
    })
    const id = await outbox.webhook(receiver.url)
    await using slow = startLoop(outbox)
    await eventually(
      () => receiver.requests.length,
      (count) => count === 1,
    )
    await outbox.setClock(61)
    await using _fast = startLoop(outbox, { store: await outbox.anotherStore() })
    const row = await outbox.until(id, isSent)
    gate.resolve()
    await slow.loop.drain(2_000)
    expect(await outbox.see(id)).toEqual(row)
  })

  test('lets an attempt finish and records it when it is drained', async () => {
    const gate = Promise.withResolvers<void>()
    await using receiver = await openReceiver((...args) => void gate.promise.then(() => reply(200, 'late')(...args)))
    const id = await outbox.webhook(receiver.url)
    await using running = startLoop(outbox)
    await eventually(
      () => receiver.requests.length,
      (count) => count === 1,
    )
    const drained = running.loop.drain(5_000)
    gate.resolve()
    await drained
    expect(await outbox.see(id)).toMatchObject({ status: 'success', response_body: 'late' })
  })

  test('gives back what a drain cannot finish within its grace, due at once, not counted as an attempt', async () => {
    await using receiver = await openReceiver((socket, request, nth) => nth > 1 && reply(200)(socket, request, nth))
    const id = await outbox.webhook(receiver.url)
    await using running = startLoop(outbox, { deadlineMs: 15_000 })
    await eventually(
      () => receiver.requests.length,
      (count) => count === 1,
    )
    const before = performance.now()
    await running.loop.drain(300)
    expect(performance.now() - before).toBeLessThan(10_000)
    const row = await outbox.see(id)
    expect(row).toMatchObject({ status: 'pending', attempts: 0 })
    expect(Number(row.due_at)).toBeLessThanOrEqual(Date.now())
    await using _ = startLoop(outbox)
    expect(await outbox.until(id, isSent)).toMatchObject({ attempts: 1 })
  })

  test('gives back unsent what a claim brings when the drain has begun', async () => {
    await using receiver = await openReceiver()
    const id = await outbox.webhook(receiver.url)
    const store = await outbox.anotherStore()
    const client = await outbox.connect()
    await lockTable(client, 'deliveries')
    await using running = startLoop(outbox, { store })
    // Ends the lock before the loop is drained, whatever fails here.
    using _ = { [Symbol.dispose]: () => client.release(true) }
    await eventually(
      // Files of tests have databases of their own on one server.
      async () =>
        (
          await outbox.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).rowCount,
      (count) => count === 1,
    )
    const drained = running.loop.drain(5_000)
    await client.query('rollback')
    await drained
    expect(await outbox.see(id)).toMatchObject({ status: 'pending', attempts: 0, fence: 2 })
    expect(receiver.contacts).toBe(0)
  })

  test('keeps results while the store is away, and records them when it is back', async () => {
    const gate = Promise.withResolvers<void>()
    await using receiver = await openReceiver((...args) => void gate.promise.then(() => reply(200)(...args)))
    const id = await outbox.webhook(receiver.url)
    const store = await outbox.anotherStore()
    await using running = startLoop(outbox, { store })
    await eventually(
      () => receiver.requests.length,
      (count) => count === 1,
    )
    await hideDeliveries(outbox)
    gate.resolve()
    await eventually(
      () => running.log,
      (log) => log.some((line) => line.startsWith('the store did not take the results')),
    )
    await eventually(
      () => running.log,
      (log) => log.some((line) => line.startsWith('the store did not answer a claim')),
    )
    await returnDeliveries(outbox)
    expect(await outbox.until(id, isSent)).toMatchObject({ attempts: 1 })
    expect(receiver.requests).toHaveLength(1)
    await outbox.until(await outbox.webhook(receiver.url), isSent)
  })

  test('goes on after all its connections to the store were cut', async () => {
    await using receiver = await openReceiver()
    const store = await outbox.anotherStore()
    await using _ = startLoop(outbox, { store })
    await outbox.until(await outbox.webhook(receiver.url), isSent)
    await outbox.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> ` +
        `pg_backend_pid()`,
    )
    await outbox.until(await outbox.webhook(receiver.url), isSent)
  })

  test('signs with the secret before as well while its grace lasts, and not a second longer', async () => {
    await using receiver = await openReceiver()
    await outbox.keepOldSecret()
    await using _ = startLoop(outbox)
    await outbox.until(await outbox.webhook(receiver.url), isSent)
    await outbox.setClock(3_601)
    await outbox.until(await outbox.webhook(receiver.url), isSent)
    const headers = receiver.requests.map((request) => request.headers.get('service-signature') ?? '')
    const bodies = receiver.requests.map(({ body }) => body)
    const signedBy = (index: number, secrets: string[]) =>
      headers[index] === sign(secrets, Number(/t=(\d+)/.exec(headers[index] ?? '')?.[1]), bodies[index] ?? '')
    expect(signedBy(0, [SECRET, OLD_SECRET])).toBe(true)
    expect(signedBy(1, [SECRET])).toBe(true)
  })

  test('makes no contact with a private destination, and tries again by the schedule', async () => {
    await using receiver = await openReceiver()
    const id = await outbox.webhook(receiver.url)
    await using _ = startLoop(outbox, { allow: [] })
    const row = await outbox.until(id, ({ attempts }) => attempts > 0)
    expect(row).toMatchObject({ status: 'failed', response_status: null })
    expect(row.response_body).toContain('is not allowed')
    expect(secondsTo(row)).toBeCloseTo(300, 2)
    expect(receiver.contacts).toBe(0)
  })

  test('records the others of a group when the store refuses the result of one', async () => {
    await using receiver = await openReceiver()
    await using running = startLoop(outbox, { idleMs: 60_000 })
    await refuseResults(outbox, 418)
    await using picky = await openReceiver(reply(418))
    const refused = await outbox.webhook(picky.url)
    const taken = await outbox.webhook(receiver.url)
    running.loop.wake()
    await outbox.until(taken, isSent)
    await eventually(
      () => running.log,
      (log) => log.some((line) => line.startsWith('the store refuses the result')),
    )
    await takeResults(outbox)
    expect(await outbox.see(refused)).toMatchObject({ status: 'pending', attempts: 0 })
    expect(picky.requests).toHaveLength(1)
  })

  test('tries again by the schedule when a secret cannot be opened, and says why', async () => {
    await using receiver = await openReceiver()
    const id = await outbox.webhook(receiver.url)
    await outbox.change(id, { target: Buffer.from([1, 0]) })
    await using _ = startLoop(outbox)
    const row = await outbox.until(id, ({ attempts }) => attempts > 0)
    expect(row).toMatchObject({ status: 'failed', response_status: null })
    expect(secondsTo(row)).toBeCloseTo(300, 2)
    expect(row.response_body).toContain('encryption key')
    expect(receiver.contacts).toBe(0)
  })
})
