import { afterEach, describe, expect, test } from 'vitest'
import { dropDeliveries } from '../../support/database/change-deliveries.ts'
import { openOutbox, startLoop, type Seen } from '../../support/database/outbox.ts'
import { eventually } from '../../support/run/eventually.ts'
import { shared } from '../../support/run/shared.ts'
import { openReceiver, reply, type Receiver, type Reply } from '../../support/worker/receiver.ts'

const outbox = shared(openOutbox)
afterEach(() => dropDeliveries(outbox))

const isSent = ({ status }: Seen) => status === 'success'
const DEADLINE_MS = 15_000
/** Before any attempt is given up: what waits for one that hangs comes later. A busy machine takes its time. */
const SOON_MS = 10_000
/** Accepts connections and never answers. */
const silence = () => {}
/** One server: silent at every path that begins with /hang, and well at the others. */
const inPart: Reply = (socket, request, nth) => {
  if (!request.path.startsWith('/hang')) reply(200)(socket, request, nth)
}
const at = ({ port }: Receiver, path: string) => `http://127.0.0.1:${port}${path}`
const hanging = ({ requests }: Receiver) => requests.filter(({ path }) => path.startsWith('/hang')).length

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
    stack.use(startLoop(outbox, { deadlineMs: DEADLINE_MS, concurrency: 64 }))
    await eventually(
      () => good.reduce((sum, { requests }) => sum + requests.length, 0),
      (count) => count === 200,
    )
    expect(performance.now() - before).toBeLessThan(SOON_MS)
  })

  test('more dead destinations than slots do not keep others waiting for their deadlines', async () => {
    await using stack = new AsyncDisposableStack()
    const dead = await openMany(60, silence)
    const good = stack.use(await openReceiver())
    for (const receiver of dead) stack.use(receiver)
    await outbox.addAll(dead.map(({ url }) => outbox.row({ type: 'webhook', url })))
    stack.use(startLoop(outbox, { deadlineMs: DEADLINE_MS, concurrency: 30 }))
    await eventually(
      () => dead.filter(({ requests }) => requests.length > 0).length,
      (count) => count >= 30,
    )
    const before = performance.now()
    await outbox.until(await outbox.webhook(good.url), isSent)
    expect(performance.now() - before).toBeLessThan(SOON_MS)
  })

  test('thousands of due deliveries to a dead destination do not hide one to another', async () => {
    await using dead = await openReceiver(silence)
    await using good = await openReceiver()
    await outbox.addAll(Array.from({ length: 5_000 }, () => outbox.row({ type: 'webhook', url: dead.url })))
    const id = await outbox.webhook(good.url)
    await using _ = startLoop(outbox, { deadlineMs: DEADLINE_MS })
    const before = performance.now()
    await outbox.until(id, isSent)
    expect(performance.now() - before).toBeLessThan(SOON_MS)
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

describe('isolation at one host and port', () => {
  const PATHS = Array.from({ length: 24 }, (_, index) => `/hang/${index}`)

  test('a target that hangs delays neither another team nor another target of its team', async () => {
    await using receiver = await openReceiver(inPart)
    await outbox.addAll(PATHS.map(() => outbox.row({ type: 'webhook', url: at(receiver, '/hang') })))
    await using _ = startLoop(outbox, { deadlineMs: DEADLINE_MS })
    await eventually(
      () => hanging(receiver),
      (count) => count > 0,
    )
    const toAnotherTeam = await outbox.anotherTeam()
    const before = performance.now()
    await outbox.until(await toAnotherTeam(at(receiver, '/ok')), isSent)
    await outbox.until(await outbox.webhook(at(receiver, '/ok')), isSent)
    expect(performance.now() - before).toBeLessThan(SOON_MS)
    expect(hanging(receiver)).toBe(1)
  })

  test('many targets of a team that hang leave a slot to the untried target of another team', async () => {
    await using receiver = await openReceiver(inPart)
    await outbox.addAll(PATHS.map((path) => outbox.row({ type: 'webhook', url: at(receiver, path) })))
    await using _ = startLoop(outbox, { deadlineMs: DEADLINE_MS })
    await eventually(
      () => hanging(receiver),
      (count) => count === 2,
    )
    const toAnotherTeam = await outbox.anotherTeam()
    const before = performance.now()
    await outbox.until(await toAnotherTeam(at(receiver, '/ok')), isSent)
    expect(performance.now() - before).toBeLessThan(SOON_MS)
    expect(hanging(receiver)).toBe(2)
  })

  test('targets of all teams that hang leave a slot to one that works', async () => {
    await using receiver = await openReceiver(inPart)
    await using _ = startLoop(outbox, { deadlineMs: DEADLINE_MS })
    await outbox.until(await outbox.webhook(at(receiver, '/ok')), isSent)
    await outbox.addAll(PATHS.map((path) => outbox.row({ type: 'webhook', url: at(receiver, path) })))
    for (const path of ['/hang/a', '/hang/b'])
      for (const store of [await outbox.anotherTeam(), await outbox.anotherTeam()]) await store(at(receiver, path))
    await eventually(
      () => hanging(receiver),
      (count) => count === 4,
    )
    const before = performance.now()
    await outbox.until(await outbox.webhook(at(receiver, '/ok')), isSent)
    expect(performance.now() - before).toBeLessThan(SOON_MS)
    expect(hanging(receiver)).toBe(4)
  })

  test('a host is sent no more at a time than its cap, however many targets and teams work there', async () => {
    let now = 0
    let peak = 0
    await using receiver = await openReceiver((socket, request, nth) => {
      peak = Math.max(peak, ++now)
      setImmediate(() => {
        now--
        reply(200)(socket, request, nth)
      })
    })
    const stores = await Promise.all(Array.from({ length: 4 }, () => outbox.anotherTeam()))
    for (const path of ['/a', '/b', '/c'])
      for (const store of stores) for (let nth = 0; nth < 5; nth++) await store(at(receiver, path))
    await using _ = startLoop(outbox, { perHost: 4 })
    await eventually(
      () => outbox.seeAll(),
      (rows) => rows.every(isSent),
    )
    expect(receiver.requests).toHaveLength(60)
    expect(peak).toBeGreaterThan(1)
    expect(peak).toBeLessThanOrEqual(4)
  })

  test('the one delivery of a team waits for none of the thousands of another team', async () => {
    await using receiver = await openReceiver()
    const rows = Array.from({ length: 3_000 }, (_, nth) =>
      outbox.row({ type: 'webhook', url: at(receiver, `/${nth % 100}`) }),
    )
    await outbox.addAll(rows)
    await using _ = startLoop(outbox)
    const toAnotherTeam = await outbox.anotherTeam()
    await outbox.until(await toAnotherTeam(at(receiver, '/ok')), isSent)
    expect(receiver.requests.length).toBeLessThan(1_500)
  })
})
