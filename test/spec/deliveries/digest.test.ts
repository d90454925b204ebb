import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { row } from '../../../store/db/row.ts'
import { quietNow } from '../../support/api/quiet-now.ts'
import { startWatching, type Watching } from '../../support/api/watching.ts'
import { eventually } from '../../support/run/eventually.ts'
import { openReceiver, type Receiver, reply } from '../../support/worker/receiver.ts'

const HOURLY = { every_seconds: 3600 }

let watching: Watching
let receiver: Receiver
beforeAll(async () => {
  watching = await startWatching({ deliver: true })
  receiver = await openReceiver(reply(200))
})
afterEach(() => watching.setClock(0))
afterAll(async () => {
  await watching.close()
  await receiver[Symbol.asyncDispose]()
})

interface Seen {
  readonly id: string
  readonly run_id: string
  readonly status: string
  readonly held?: string
  readonly digest_id?: string
  readonly attempts: number
  readonly next_attempt_at: string | null
}

/** A destination that people read, at our receiver unless said otherwise. */
const room = (path: string, more: object = {}) => ({
  type: 'webhook',
  service: 'mattermost',
  url: `${receiver.url}/${path}`,
  digest: HOURLY,
  ...more,
})

/** Lets a monitor with these destinations fire. Returns its deliveries. */
async function fire(
  name: string,
  deliveries: readonly object[],
  more: object = {},
  by: Watching = watching,
): Promise<readonly Seen[]> {
  const diff_predicate = { type: 'any_field_changes' }
  const page = await by.watch({ value: 1 }, { name, diff_predicate, deliveries, ...more })
  page.set({ value: 2 })
  const { id } = await page.run()
  return deliveriesOf(id, by)
}

const deliveriesOf = async (run: string, by: Watching = watching) =>
  (await by.served.me.get(`/v1/runs/${run}/deliveries`)).body.data as unknown as readonly Seen[]

const counted = row({ destinations: Type.Integer(), events: Type.Integer() })
/** How many destinations of monitors are dead, and how many events say so. */
const dead = () =>
  watching.served.api.services.store.one(sql.type(counted)`
    select (select count(*) from dead_destinations) as destinations,
      (select count(*) from notice_events where kind = 'delivery_dead') as events`)

const read = async (path: string) => (await watching.served.me.get(path)).body as unknown as Seen
const readAll = (seen: readonly Seen[]) => Promise.all(seen.map(({ id }) => read(`/v1/deliveries/${id}`)))
const all = (seen: readonly Seen[], status: string) =>
  eventually(
    () => readAll(seen),
    (rows) => rows.every((row) => row.status === status),
  )
const to = (path: string, from: Receiver = receiver) => from.requests.filter(({ path: of }) => of.endsWith(`/${path}`))
const textOf = (request: { readonly body: Buffer } | undefined): string =>
  (JSON.parse(String(request?.body)) as { readonly text: string }).text

describe('A destination with a digest', () => {
  test('gets what fires as one message that names each change, and every delivery takes its outcome', async () => {
    const first = await fire('Kettle', [room('all')])
    await watching.setClock(60)
    const deliveries = [first, ...(await Promise.all(['Mug', 'Pan'].map((name) => fire(name, [room('all')]))))].flat()
    expect(deliveries).toHaveLength(3)
    for (const delivery of deliveries) expect(delivery).toMatchObject({ status: 'pending', held: 'digest' })
    // It counts from the first that is held.
    expect(new Set(deliveries.map(({ next_attempt_at: next }) => next)).size).toBe(1)
    expect(await read(`/v1/runs/${deliveries[0]?.run_id}`)).toMatchObject({ held: 'digest', delivery_triggered: true })
    expect(to('all')).toHaveLength(0)

    await watching.setClock(3700)
    const sent = await all(deliveries, 'success')
    expect(to('all')).toHaveLength(1)
    const [message] = to('all')
    expect(message?.headers.has('service-signature')).toBe(false)
    const text = textOf(message)
    expect(text).toContain('3 changes in 3 monitors')
    for (const name of ['Kettle', 'Mug', 'Pan']) expect(text).toContain(name)
    expect(text.match(/1 → 2/g)).toHaveLength(3)
    const [leader] = new Set(sent.map(({ digest_id: of }) => of))
    expect(sent.map(({ digest_id: of, attempts }) => [of, attempts])).toEqual(sent.map(() => [leader, 1]))
    expect(sent.map(({ id }) => id)).toContain(leader)
    expect(sent.every((one) => one.held === undefined && one.next_attempt_at === null)).toBe(true)
  })

  test('gets the message of a single change as it is, and signed', async () => {
    const deliveries = await fire('Lone', [room('lone'), room('lone-now', { digest: undefined })])
    await watching.setClock(3700)
    await all(deliveries, 'success')
    expect(to('lone')[0]?.headers.has('service-signature')).toBe(true)
    expect(textOf(to('lone')[0])).toBe(textOf(to('lone-now')[0]))
  })

  test('gets several changes of one monitor as one message, which is signed', async () => {
    const diff_predicate = { type: 'any_field_changes' }
    const page = await watching.watch({ value: 1 }, { name: 'Twice', diff_predicate, deliveries: [room('twice')] })
    const fired: Seen[] = []
    for (const value of [2, 3]) {
      page.set({ value })
      fired.push(...(await deliveriesOf((await page.run()).id)))
    }
    await watching.setClock(3700)
    await all(fired, 'success')
    expect(to('twice')).toHaveLength(1)
    expect(textOf(to('twice')[0])).toContain('2 changes')
    expect(to('twice')[0]?.headers.has('service-signature')).toBe(true)
  })

  test('with another time, address or quiet hours gets a message of its own', async () => {
    const deliveries = await fire('Several', [
      room('one'),
      room('two'),
      room('three', { digest: { every_seconds: 1800 } }),
      room('three'),
      room('three', { quiet_hours: quietNow(2) }),
    ])
    expect(deliveries).toHaveLength(5)
    await watching.setClock(3700)
    await all(
      [0, 1, 2, 3].flatMap((at) => deliveries[at] ?? []),
      'success',
    )
    expect([to('one').length, to('two').length, to('three').length]).toEqual([1, 1, 2])
    expect(await read(`/v1/deliveries/${deliveries[4]?.id}`)).toMatchObject({ status: 'pending', held: 'digest' })
    await watching.setClock(2 * 3600 + 100)
    await all(deliveries, 'success')
    expect(to('three')).toHaveLength(3)
  })

  test('at a time of the day waits for it, also where its monitor says so', async () => {
    const at = new Date(Date.now() + 3 * 3_600_000)
    const digest = { daily_at: at.toISOString().slice(11, 16), time_zone: 'UTC' }
    const hook = { type: 'webhook', url: `${receiver.url}/plain` }
    const deliveries = await fire('Daily', [room('daily', { digest: undefined }), hook], { digest })
    expect(deliveries).toMatchObject([{ held: 'digest' }, {}])
    expect(deliveries[1]).not.toHaveProperty('held')
    expect(deliveries[0]?.next_attempt_at).toBe(new Date(Math.floor(at.getTime() / 60_000) * 60_000).toISOString())
    await eventually(
      () => to('plain').length,
      (count) => count === 1,
    )
    await watching.setClock(3 * 3600)
    await all(deliveries, 'success')
    expect(to('daily')).toHaveLength(1)
  })

  test('has the words of the user in a line for each change, and their title where it is the same', async () => {
    const message = {
      title: 'Prices today',
      text: '{{monitor.name}}:\n{{fields.value.before}} to {{fields.value.after}}',
    }
    const fired = await Promise.all(['A', 'B'].map((name) => fire(name, [room('worded', { message })])))
    await watching.setClock(3700)
    await all(fired.flat(), 'success')
    const text = textOf(to('worded')[0])
    expect(text).toContain('Prices today')
    for (const name of ['A', 'B']) expect(text).toContain(`${name}: 1 to 2`)
  })

  test('is tried again with the same bytes, and what fires since then waits for the next one', async () => {
    let status = 503
    await using busy = await openReceiver((...args) => reply(status)(...args))
    const busyRoom = room('busy', { url: `${busy.url}/busy` })
    const first = (await Promise.all(['A', 'B'].map((name) => fire(name, [busyRoom])))).flat()
    await watching.setClock(3700)
    const failed = await all(first, 'failed')
    expect(new Set(failed.map(({ next_attempt_at: next }) => next)).size).toBe(1)
    const { monitor_id: edited } = (await read(`/v1/deliveries/${first[0]?.id}`)) as Seen & {
      readonly monitor_id: string
    }
    const words = { message: { title: 'Other words' }, name: 'Other name' }
    expect((await watching.served.me.patch(`/v1/monitors/${edited}`, words)).status).toBe(200)
    const second = await fire('C', [busyRoom])
    expect(second[0]).toMatchObject({ status: 'pending', held: 'digest' })
    status = 200
    await watching.setClock(3700 + 400)
    const sent = await all(first, 'success')
    expect(sent.map(({ attempts }) => attempts)).toEqual([2, 2])
    expect(busy.requests).toHaveLength(2)
    expect(String(busy.requests[1]?.body)).toBe(String(busy.requests[0]?.body))
    expect(await read(`/v1/deliveries/${second[0]?.id}`)).toMatchObject({ status: 'pending' })
  })

  test('gets one that is replayed by itself, and the others with their next attempt', async () => {
    let status = 503
    await using busy = await openReceiver((...args) => reply(status)(...args))
    const deliveries = (
      await Promise.all(['A', 'B', 'C'].map((name) => fire(name, [room('again', { url: `${busy.url}/again` })])))
    ).flat()
    await watching.setClock(3700)
    const [one] = await all(deliveries, 'failed')
    status = 200
    const leader = deliveries.filter(({ id }) => id === one?.digest_id)
    expect(leader).toHaveLength(1)
    expect((await watching.served.me.post(`/v1/deliveries/${one?.digest_id}/replay`)).status).toBe(200)
    await all(leader, 'success')
    expect(textOf(busy.requests[1])).not.toContain('changes in')
    await watching.setClock(3700 + 400)
    const sent = await all(deliveries, 'success')
    expect(busy.requests).toHaveLength(3)
    expect(textOf(busy.requests[2])).toContain('2 changes in 2 monitors')
    expect(sent.filter(({ digest_id: of }) => of === undefined)).toHaveLength(1)
  })

  test('gets one that is released by itself, and never one that is dropped', async () => {
    const deliveries = (await Promise.all(['A', 'B', 'C'].map((name) => fire(name, [room('early')])))).flat()
    const [first, second] = deliveries
    const release = (id: string | undefined, action: string) =>
      watching.served.me.post('/v1/deliveries/release', { ids: [id], action })
    expect((await release(first?.id, 'send')).body).toMatchObject({ succeeded: 1 })
    expect((await release(second?.id, 'drop')).body).toMatchObject({ succeeded: 1 })
    await all(deliveries.slice(0, 1), 'success')
    expect(textOf(to('early')[0])).not.toContain('changes')
    await watching.setClock(3700)
    await all(deliveries.slice(2), 'success')
    expect(textOf(to('early')[1])).not.toContain('changes')
    expect(to('early')).toHaveLength(2)
  })

  test('that is refused is dead for each monitor, with one notice, and alive for each when one arrives', async () => {
    let status = 404
    await using gone = await openReceiver((...args) => reply(status)(...args))
    const deliveries = [room('gone', { url: `${gone.url}/gone` })]
    const diff_predicate = { type: 'any_field_changes' }
    const pages = await Promise.all(
      ['A', 'B'].map((name) => watching.watch({ value: 1 }, { name, diff_predicate, deliveries })),
    )
    const fireAll = async (value: number) => {
      for (const page of pages) page.set({ value })
      const runs = await Promise.all(pages.map((page) => page.run()))
      return (await Promise.all(runs.map(({ id }) => deliveriesOf(id)))).flat()
    }
    const refused = await fireAll(2)
    await watching.setClock(3700)
    await all(refused, 'failed')
    expect(await dead()).toEqual({ destinations: 2, events: 1 })
    status = 200
    const arrived = await fireAll(3)
    await watching.setClock(2 * 3700)
    await all(arrived, 'success')
    expect(await dead()).toEqual({ destinations: 0, events: 1 })
  })

  test('shows the request that its message would be now', async () => {
    const deliveries = (await Promise.all(['A', 'B'].map((name) => fire(name, [room('shown')])))).flat()
    const request = (await watching.served.me.get(`/v1/deliveries/${deliveries[0]?.id}/request`)).body as unknown as {
      readonly body: string
    }
    expect(request.body).toContain('2 changes in 2 monitors')
    expect(to('shown')).toHaveLength(0)
  })
})

describe('A digest that is not sent yet', () => {
  let idle: Watching
  beforeAll(async () => {
    idle = await startWatching()
  })
  afterAll(() => idle.close())

  const held = (name: string, delivery: object) => fire(name, [delivery], {}, idle)
  const hoursTo = ({ next_attempt_at: next }: Seen) => (Date.parse(next ?? '') - Date.now()) / 3_600_000

  test('though its time has come takes no change that fires then: that waits for the next', async () => {
    await held('First', room('late'))
    await idle.setClock(2 * 3600)
    const [second] = await held('Second', room('late'))
    await idle.setClock(0)
    expect(second && hoursTo(second)).toBeGreaterThan(2.9)
  })

  test('is sent a day before the history of its team ends', async () => {
    await idle.served.api.sql(`update teams set limits = '{"retentionDays": 3}'`)
    const [delivery] = await held('Weekly', room('weekly', { digest: { every_seconds: 604_800 } }))
    expect(delivery && hoursTo(delivery)).toBeCloseTo(48, 0)
  })
})
