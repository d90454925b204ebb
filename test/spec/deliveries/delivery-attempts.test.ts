import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DELIVERY_DELAYS_SECONDS } from '../../../schema/run/delivery.ts'
import { startWatching, type Watching } from '../../support/api/watching.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'
import { closedPort, openReceiver, type Receiver, type Reply, reply } from '../../support/worker/receiver.ts'

const watching = shared(() => startWatching({ deliver: true }))

interface Seen {
  readonly id: string
  readonly status: string
  readonly attempts: number
  readonly last_attempt_at: string | null
  readonly next_attempt_at: string | null
  readonly response_status: number | null
  readonly response_body: string | null
}

const read = async (own: Watching, id: string) =>
  (await own.served.me.get(`/v1/deliveries/${id}`)).body as never as Seen
const until = (own: Watching, id: string, condition: (seen: Seen) => boolean) =>
  eventually(() => read(own, id), condition)

/** Fires once at an address; answers the delivery's id. */
async function fireAt(url: string, own = watching): Promise<string> {
  const page = await own.watch(
    { value: 1 },
    { diff_predicate: { type: 'any_field_changes' }, deliveries: [{ type: 'webhook', url }] },
  )
  page.set({ value: 2 })
  const { id: run } = await page.run()
  const { data } = (await own.served.me.get(`/v1/runs/${run}/deliveries`)).body
  return String(data[0]?.['id'])
}

const silent: Reply = () => {}

// Begun first and looked at last: its fifteen seconds pass while the others run.
describe('the destination must answer within 15 seconds', () => {
  let late: Receiver
  let never: Receiver
  const ids = { late: '', never: '' }
  const timers: NodeJS.Timeout[] = []
  beforeAll(async () => {
    late = await openReceiver((socket, request, nth) => {
      timers.push(setTimeout(() => reply(200)(socket, request, nth), 11_000))
    })
    never = await openReceiver(silent)
    ids.late = await fireAt(late.url)
    ids.never = await fireAt(never.url)
  })
  afterAll(async () => {
    for (const timer of timers) clearTimeout(timer)
    await late[Symbol.asyncDispose]()
    await never[Symbol.asyncDispose]()
  })

  describe.concurrent('delivery status', () => {
    test('pending becomes success when the destination answers 2xx', async () => {
      for (const status of [200, 201, 204, 299]) {
        await using receiver = await openReceiver(reply(status, status === 204 ? '' : 'thanks'))
        const done = await until(watching, await fireAt(receiver.url), (seen) => seen.status !== 'pending')
        expect(done).toMatchObject({
          status: 'success',
          attempts: 1,
          next_attempt_at: null,
          last_attempt_at: expect.stringMatching(/Z$/),
          response_status: status,
        })
      }
    })

    test.each([400, 401, 404, 410, 422, 429])('a %i answer is final and not retried', async (status) => {
      await using receiver = await openReceiver(reply(status, 'no'))
      const done = await until(watching, await fireAt(receiver.url), (seen) => seen.status !== 'pending')
      expect(done).toMatchObject({ status: 'failed', attempts: 1, next_attempt_at: null })
      expect(done).toMatchObject({ response_status: status, response_body: 'no' })
    })

    test.each([500, 502, 503, 599])('a %i answer is retried', async (status) => {
      await using receiver = await openReceiver(reply(status, 'later'))
      const done = await until(watching, await fireAt(receiver.url), (seen) => seen.status !== 'pending')
      expect(done).toMatchObject({ status: 'failed', attempts: 1, response_status: status, response_body: 'later' })
      expect(waitOf(done)).toBe(300)
    })

    test('an unreachable destination is retried', async () => {
      const done = await until(watching, await fireAt(await closedPort()), (seen) => seen.status !== 'pending')
      expect(done).toMatchObject({ status: 'failed', attempts: 1, response_status: null })
      expect(waitOf(done)).toBe(300)
    })
  })

  describe('delivery retries', () => {
    test('attempts are immediate, then after 5, 15 and 30 minutes, 1 and 2 hours; after 6 it is dead', async () => {
      const own = await startWatching({ deliver: true })
      await using receiver = await openReceiver(reply(500))
      try {
        const before = Date.now()
        const id = await fireAt(receiver.url, own)
        const first = await until(own, id, ({ attempts }) => attempts === 1)
        expect(Date.parse(String(first.last_attempt_at)) - before).toBeLessThan(60_000)
        const waits: (number | null)[] = [waitOf(first)]
        let ahead = 0
        for (const attempt of [2, 3, 4, 5, 6]) {
          ahead += DELIVERY_DELAYS_SECONDS[attempt - 1] ?? 0
          await own.setClock(ahead + 1)
          waits.push(waitOf(await until(own, id, ({ attempts }) => attempts === attempt)))
        }
        expect(waits).toEqual([5 * 60, 15 * 60, 30 * 60, 3600, 7200, null])
        expect(await read(own, id)).toMatchObject({ status: 'dead', attempts: 6, next_attempt_at: null })
        expect(receiver.requests).toHaveLength(6)
        expect(new Set(receiver.requests.map(({ body }) => body.toString('utf8'))).size).toBe(1)
      } finally {
        await own.close()
      }
    })

    test('one that succeeds later is a success, with the attempts that it took', async () => {
      const own = await startWatching({ deliver: true })
      await using receiver = await openReceiver((socket, request, nth) =>
        reply(nth < 2 ? 503 : 200)(socket, request, nth),
      )
      try {
        const id = await fireAt(receiver.url, own)
        await until(own, id, ({ attempts }) => attempts === 1)
        await own.setClock(301)
        expect(await until(own, id, ({ attempts }) => attempts === 2)).toMatchObject({
          status: 'success',
          next_attempt_at: null,
          response_status: 200,
        })
      } finally {
        await own.close()
      }
    })

    test('a replayed one is sent at once, with the same id and payload', async () => {
      await using receiver = await openReceiver((socket, request, nth) =>
        reply(nth < 2 ? 400 : 200)(socket, request, nth),
      )
      const id = await fireAt(receiver.url)
      await until(watching, id, ({ status }) => status === 'failed')
      await watching.served.me.post(`/v1/deliveries/${id}/replay`)
      expect(await until(watching, id, ({ status }) => status === 'success')).toMatchObject({ attempts: 1 })
      const [first, second] = receiver.requests
      expect(second?.body.toString('utf8')).toBe(first?.body.toString('utf8'))
    })
  })

  test('an answer after 11 seconds counts, none after 15 is an attempt that failed and is retried', async () => {
    await expect.poll(() => read(watching, ids.late)).toMatchObject({ status: 'success', attempts: 1 })
    await expect.poll(() => read(watching, ids.never)).toMatchObject({ status: 'failed', attempts: 1 })
    const failed = await read(watching, ids.never)
    expect([failed.response_status, waitOf(failed)]).toEqual([null, 300])
    const [request] = never.requests
    const waited = performance.now() - (request?.at ?? 0)
    expect(waited).toBeGreaterThan(14_500)
    // The next attempt is five minutes later.
    expect(waited).toBeLessThan(60_000)
  })
})

/** Seconds from an attempt to the next one. */
function waitOf({ last_attempt_at: last, next_attempt_at: next }: Seen): number | null {
  if (next === null || last === null) return null
  return Math.round((Date.parse(next) - Date.parse(last)) / 1000)
}
