import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { eventually, openOutbox, startLoop, type Outbox, type Seen } from './outbox.ts'
import { openReceiver, reply, type Receiver } from './receiver.ts'

let outbox: Outbox
beforeAll(async () => {
  outbox = await openOutbox()
})
afterAll(() => outbox[Symbol.asyncDispose]())
afterEach(() => outbox.query('delete from deliveries'))

const isSent = ({ status }: Seen) => status === 'success'
/** Accepts connections and never answers. */
const silence = () => {}

async function openMany(count: number, ...args: Parameters<typeof openReceiver>): Promise<Receiver[]> {
  return Promise.all(Array.from({ length: count }, () => openReceiver(...args)))
}

describe('isolation of destinations', () => {
  test('20 dead destinations with ten deliveries each do not delay 200 to good ones', async () => {
    await using stack = new AsyncDisposableStack()
    const dead = await openMany(20, silence)
    const good = await openMany(20)
    for (const receiver of [...dead, ...good]) stack.use(receiver)
    const rows = [...dead, ...good].flatMap(({ url }) =>
      Array.from({ length: 10 }, () => outbox.row({ type: 'webhook', url })),
    )
    await outbox.addAll(rows)
    const before = performance.now()
    stack.use(startLoop(outbox, { deadlineMs: 15_000, concurrency: 64 }))
    await eventually(
      () => good.reduce((sum, { requests }) => sum + requests.length, 0),
      (count) => count === 200,
    )
    expect(performance.now() - before).toBeLessThan(3_000)
  })

  test('more dead destinations than places do not keep others waiting for their deadlines', async () => {
    await using stack = new AsyncDisposableStack()
    const dead = await openMany(60, silence)
    const good = stack.use(await openReceiver())
    for (const receiver of dead) stack.use(receiver)
    await outbox.addAll(dead.map(({ url }) => outbox.row({ type: 'webhook', url })))
    stack.use(startLoop(outbox, { deadlineMs: 15_000, concurrency: 30 }))
    await eventually(
      () => dead.filter(({ requests }) => requests.length > 0).length,
      (count) => count >= 30,
    )
    const before = performance.now()
    await outbox.until(await outbox.webhook(good.url), isSent)
    expect(performance.now() - before).toBeLessThan(3_000)
  })

  test('thousands of due deliveries to a dead destination do not hide one to another', async () => {
    await using dead = await openReceiver(silence)
    await using good = await openReceiver()
    await outbox.addAll(Array.from({ length: 5_000 }, () => outbox.row({ type: 'webhook', url: dead.url })))
    const id = await outbox.webhook(good.url)
    await using _ = startLoop(outbox, { deadlineMs: 15_000 })
    const before = performance.now()
    await outbox.until(id, isSent)
    expect(performance.now() - before).toBeLessThan(1_000)
    expect(dead.requests).toHaveLength(1)
  })

  test('a destination is sent no more at a time than its cap, and one after the other while it fails', async () => {
    const peaks = { good: 0, bad: 0 }
    const counting = (name: keyof typeof peaks, status: number) => {
      let now = 0
      return openReceiver((socket, request, nth) => {
        peaks[name] = Math.max(peaks[name], ++now)
        setImmediate(() => {
          now--
          reply(status)(socket, request, nth)
        })
      })
    }
    await using good = await counting('good', 200)
    await using bad = await counting('bad', 500)
    const rows = [good, bad].flatMap(({ url }) =>
      Array.from({ length: 60 }, () => outbox.row({ type: 'webhook', url })),
    )
    await outbox.addAll(rows)
    await using _ = startLoop(outbox, { perHost: 4 })
    await eventually(
      () => outbox.seeAll(),
      (all) => all.every(({ attempts }) => attempts === 1),
    )
    expect(peaks.good).toBeGreaterThan(1)
    expect(peaks.good).toBeLessThanOrEqual(4)
    expect(peaks.bad).toBe(1)
  })

  test('1,000 deliveries to ten destinations that are due at once all arrive once', async () => {
    await using stack = new AsyncDisposableStack()
    const receivers = await openMany(10)
    for (const receiver of receivers) stack.use(receiver)
    await outbox.addAll(
      receivers.flatMap(({ url }) => Array.from({ length: 100 }, () => outbox.row({ type: 'webhook', url }))),
    )
    stack.use(startLoop(outbox))
    await eventually(
      () => outbox.seeAll(),
      (rows) => rows.every(isSent),
    )
    expect(receivers.map(({ requests }) => requests.length)).toEqual(receivers.map(() => 100))
  })
})
