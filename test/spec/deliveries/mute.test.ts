import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sendOfEndedMutes } from '../../../worker/maintenance/ended-mutes.ts'
import { quietNow } from '../../support/api/quiet-now.ts'
import type { Client } from '../../support/api/served-api.ts'
import { startWatching, type Watched, type Watching } from '../../support/api/watching.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { changeMute } from '../../support/database/check-states.ts'
import { levelIn } from '../../support/database/level-in.ts'
import { eventually } from '../../support/run/eventually.ts'
import { openReceiver, type Receiver, reply } from '../../support/worker/receiver.ts'

const HOUR = 3_600
const hoursAhead = (count: number) => new Date(Date.now() + count * HOUR * 1000).toISOString()

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
  readonly status: string
  readonly held?: string
  readonly digest_id?: string
  readonly next_attempt_at: string | null
  readonly delivery_triggered?: boolean
  readonly mute?: { readonly until: string | null; readonly reason: string | null; readonly drop: boolean }
}

/** A room that people read, and a plain webhook, both at our receiver. */
const room = (path: string, more: object = {}) => ({
  type: 'webhook',
  service: 'mattermost',
  url: `${receiver.url}/${path}`,
  ...more,
})
const hook = (path: string, more: object = {}) => ({ type: 'webhook', url: `${receiver.url}/${path}`, ...more })

/** A monitor with these destinations, which fires at each `fire`. */
async function monitor(deliveries: readonly object[], more: object = {}, client?: Client) {
  const diff_predicate = { type: 'any_field_changes' }
  const page = await watching.watch({ value: 0 }, { diff_predicate, deliveries, ...more }, client)
  let value = 0
  const fire = async () => {
    value += 1
    page.set({ value })
    const run = await page.run()
    const { data } = (await watching.served.me.get(`/v1/runs/${run.id}/deliveries`)).body
    return { run: run as never as Seen, deliveries: data as unknown as readonly Seen[] }
  }
  return { ...page, fire }
}

const mute = ({ id }: Pick<Watched, 'id'>, body: object, client: Client = watching.served.me) =>
  client.post(`/v1/monitors/${id}/mute`, body)
const unmute = ({ id }: Pick<Watched, 'id'>) => watching.served.me.post(`/v1/monitors/${id}/unmute`)
const read = async (path: string) => (await watching.served.me.get(path)).body as unknown as Seen
const delivered = (seen: readonly Seen[]) =>
  eventually(
    () => Promise.all(seen.map(({ id }) => read(`/v1/deliveries/${id}`))),
    (rows) => rows.every(({ status }) => status === 'success'),
  )
const to = (path: string) => receiver.requests.filter(({ path: of }) => of.endsWith(`/${path}`))
const textOf = (request: { readonly body: Buffer } | undefined): string =>
  (JSON.parse(String(request?.body)) as { readonly text: string }).text
const after = (request: { readonly body: Buffer }) =>
  (JSON.parse(String(request.body)) as { readonly diff: { readonly after: { readonly value: number } } }).diff.after
    .value

describe('A muted monitor', () => {
  test('goes on, and sends at the end one digest to a room and each message to a webhook in their order', async () => {
    const watched = await monitor([room('end-room'), hook('end-hook')])
    const until = hoursAhead(2)
    const { status, body } = await mute(watched, { until, reason: 'a move' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'active', mute: { until, reason: 'a move', drop: false } })

    const fired = [await watched.fire(), await watched.fire(), await watched.fire()]
    for (const { run, deliveries } of fired) {
      expect(run).toMatchObject({ status: 'success', delivery_triggered: true, held: 'muted' })
      expect(deliveries.map(({ held }) => held)).toEqual(['muted', 'muted'])
    }
    expect(receiver.requests.filter(({ path }) => path.includes('end-'))).toHaveLength(0)
    const afterEnd = (nth: number) =>
      fired.map(({ deliveries }) => Date.parse(deliveries[nth]?.next_attempt_at ?? '') - Date.parse(until))
    expect([afterEnd(0), afterEnd(1)]).toEqual([
      [0, 0, 0],
      [0, 1_000, 2_000],
    ])

    await watching.setClock(2 * HOUR + 0.5)
    const last = await watched.fire()
    expect(last.deliveries[0]).not.toHaveProperty('held')
    await watching.setClock(2 * HOUR + 10)
    const all = await delivered(fired.flatMap(({ deliveries }) => deliveries))
    await delivered(last.deliveries)
    expect(to('end-room').map(textOf)[0]).toContain('3 changes')
    // What fires after the end comes after them.
    expect(to('end-hook').map(after)).toEqual([1, 2, 3, 4])
    expect(new Set(all.map(({ digest_id: digest }) => digest)).size).toBe(2)
    expect(await read(`/v1/monitors/${watched.id}`)).not.toHaveProperty('mute')
  })

  test('sends at the end each message by itself, in their order, to what programs read', async () => {
    const own = room('own', { service: 'custom', body: '{"now": "{{fields.value.after}}"}' })
    const watched = await monitor([own, room('events', { service: 'cloudevents' })])
    await mute(watched, { until: null })
    const fired = [await watched.fire(), await watched.fire(), await watched.fire()]
    await unmute(watched)
    await watching.setClock(10)
    await delivered(fired.flatMap(({ deliveries }) => deliveries))
    const parsed = (path: string) => to(path).map(({ body }) => JSON.parse(String(body)) as Record<string, unknown>)
    expect(parsed('own').map(({ now }) => now)).toEqual([1, 2, 3])
    expect(parsed('events').map(({ data }) => after({ body: Buffer.from(JSON.stringify(data)) }))).toEqual([1, 2, 3])
  })

  test('of no end is silent until it is unmuted, and then sends all that waited', async () => {
    const watched = await monitor([room('open-room'), hook('open-hook')])
    expect((await mute(watched, { until: null })).body).toMatchObject({ mute: { until: null, reason: null } })
    const fired = [await watched.fire(), await watched.fire()]
    const [first] = fired[0]?.deliveries ?? []
    // A day before retention would delete it, whatever the mute says.
    expect(Date.parse(first?.next_attempt_at ?? '')).toBeGreaterThan(Date.now() + 28 * 24 * HOUR * 1000)
    expect(Date.parse(first?.next_attempt_at ?? '')).toBeLessThan(Date.now() + 730 * 24 * HOUR * 1000)

    const { body } = await unmute(watched)
    expect(body).not.toHaveProperty('mute')
    await watching.setClock(10)
    await delivered(fired.flatMap(({ deliveries }) => deliveries))
    expect(to('open-room')).toHaveLength(1)
    expect(to('open-hook').map(after)).toEqual([1, 2])
    // Once more changes nothing.
    expect((await unmute(watched)).status).toBe(200)
  })

  test('with drop makes no delivery, and its runs say so', async () => {
    const watched = await monitor([room('dropped'), hook('dropped')])
    await mute(watched, { until: null, drop: true })
    const { run, deliveries } = await watched.fire()
    expect(run).toMatchObject({ delivery_triggered: false, held: 'dropped' })
    expect(deliveries).toEqual([])
    await unmute(watched)
    const next = await watched.fire()
    expect(next.run).not.toHaveProperty('held')
    await delivered(next.deliveries)
  })

  test('that is muted again keeps all that waits until the new end', async () => {
    const watched = await monitor([room('longer'), hook('longer-hook')])
    await mute(watched, { until: hoursAhead(1) })
    const first = await watched.fire()
    const until = hoursAhead(3)
    await mute(watched, { until })
    const second = await watched.fire()
    const all = [...first.deliveries, ...second.deliveries]
    const moved = await Promise.all(all.map(({ id }) => read(`/v1/deliveries/${id}`)))
    const lead = moved.map(({ next_attempt_at: at }) => Date.parse(at ?? '') - Date.parse(until))
    expect(lead.every((ms) => ms >= 0 && ms <= 2_000)).toBe(true)
    await watching.setClock(3 * HOUR + 10)
    await delivered(all)
    expect(to('longer')).toHaveLength(1)
    expect(to('longer-hook').map(after)).toEqual([1, 2])
  })

  test('sends nothing in quiet hours that are at its end', async () => {
    const watched = await monitor([room('quiet', { quiet_hours: quietNow(2) })])
    await mute(watched, { until: hoursAhead(1) })
    const { deliveries } = await watched.fire()
    expect(deliveries).toMatchObject([{ held: 'muted' }])
    expect(Date.parse(deliveries[0]?.next_attempt_at ?? '')).toBeGreaterThan(Date.now() + 1.5 * HOUR * 1000)
    await unmute(watched)
    const [id] = deliveries.map((one) => one.id)
    const waiting = await read(`/v1/deliveries/${id}`)
    expect(waiting).toMatchObject({ status: 'pending', held: 'muted' })
    expect(Date.parse(waiting.next_attempt_at ?? '')).toBeGreaterThan(Date.now() + 1.5 * HOUR * 1000)
  })

  test('that is unmuted in quiet hours goes on in its order when they end', async () => {
    const watched = await monitor([hook('quiet-hook', { quiet_hours: quietNow(2) })])
    await mute(watched, { until: null })
    const first = [await watched.fire(), await watched.fire()]
    await unmute(watched)
    const fired = [...first, await watched.fire(), await watched.fire()]
    expect(fired.at(-1)?.deliveries).toMatchObject([{ held: 'quiet_hours' }])
    const all = await Promise.all(fired.map(({ deliveries }) => read(`/v1/deliveries/${deliveries[0]?.id}`)))
    const times = all.map(({ next_attempt_at: at }) => Date.parse(at ?? ''))
    expect(times.map((ms) => ms - (times[0] ?? 0))).toEqual([0, 1_000, 2_000, 3_000])
    await watching.setClock(3 * HOUR)
    await delivered(fired.flatMap(({ deliveries }) => deliveries))
    expect(to('quiet-hook').map(after)).toEqual([1, 2, 3, 4])
  })

  test('has what it holds released by its id', async () => {
    const watched = await monitor([room('released')])
    await mute(watched, { until: null })
    const { deliveries } = await watched.fire()
    const ids = deliveries.map(({ id }) => id)
    expect((await watching.served.me.post('/v1/deliveries/release', { ids, action: 'send' })).body).toMatchObject({
      succeeded: 1,
    })
    await delivered(deliveries)
    expect(to('released')).toHaveLength(1)
  })
})

describe('Messages of a mute that has ended', () => {
  /** The maintenance does so once a minute. */
  const sendStray = () => sendOfEndedMutes(watching.served.api.services, new AbortController().signal)

  test('are sent when their monitor was deleted', async () => {
    const watched = await monitor([room('deleted')])
    await mute(watched, { until: null })
    const { deliveries } = await watched.fire()
    await watching.served.me.delete(`/v1/monitors/${watched.id}`)
    await sendStray()
    await watching.setClock(10)
    await delivered(deliveries)
    expect(to('deleted')).toHaveLength(1)
  })

  test('are sent when the run was judged before the mute ended, and recorded after it', async () => {
    const watched = await monitor([room('stray')])
    await mute(watched, { until: null })
    const { deliveries } = await watched.fire()
    await changeMute(watching.served.api, watched.id, null)
    await sendStray()
    await watching.setClock(10)
    await delivered(deliveries)
    expect(to('stray')).toHaveLength(1)
  })

  test('wait for the end of the mute that replaced theirs', async () => {
    const watched = await monitor([hook('replaced')])
    await mute(watched, { until: null })
    const { deliveries } = await watched.fire()
    const until = hoursAhead(3)
    await changeMute(watching.served.api, watched.id, { until, since: until, drop: false, reason: null })
    await sendStray()
    const [id] = deliveries.map((one) => one.id)
    expect(await read(`/v1/deliveries/${id}`)).toMatchObject({ held: 'muted', next_attempt_at: until })
  })

  test('wait where the monitor is still muted', async () => {
    const watched = await monitor([room('still')])
    await mute(watched, { until: hoursAhead(2) })
    const { deliveries } = await watched.fire()
    await sendStray()
    await watching.setClock(10)
    const [id] = deliveries.map((one) => one.id)
    expect(await read(`/v1/deliveries/${id}`)).toMatchObject({ status: 'pending', held: 'muted' })
    expect(to('still')).toHaveLength(0)
  })
})

describe('Several muted monitors', () => {
  test('send what they hold for a destination as one digest, when they are unmuted together', async () => {
    const all = [await monitor([room('together')]), await monitor([room('together')])]
    const ids = all.map(({ id }) => id)
    const bulk = (body: object) => watching.served.me.post('/v1/monitors/bulk', { ids, ...body })
    expect((await bulk({ action: 'mute', until: null, reason: 'a move' })).body).toMatchObject({ succeeded: 2 })
    const fired = [await all[0]?.fire(), await all[1]?.fire()].flatMap((one) => one?.deliveries ?? [])
    expect((await bulk({ action: 'unmute' })).body).toMatchObject({ succeeded: 2 })
    await watching.setClock(10)
    await delivered(fired)
    expect(to('together')).toHaveLength(1)
  })

  test('send it as one digest, when they are muted until the same time', async () => {
    const until = hoursAhead(2)
    const all = [await monitor([room('same-end')]), await monitor([room('same-end')])]
    for (const one of all) await mute(one, { until })
    const fired = [await all[0]?.fire(), await all[1]?.fire()].flatMap((one) => one?.deliveries ?? [])
    await watching.setClock(2 * HOUR + 10)
    await delivered(fired)
    expect(to('same-end')).toHaveLength(1)
  })

  test.each([
    [{ action: 'mute' }, ['until']],
    [{ action: 'pause', until: null }, ['until']],
    [{ action: 'unmute', reason: 'done', drop: true }, ['reason', 'drop']],
    [{ action: 'mute', until: 'tomorrow' }, ['until']],
  ])('are refused with %j', async (body, paths) => {
    const ids = ['01a1fdda-7d9b-7133-82bc-55eff54399c9']
    const { status, body: answer } = await watching.served.me.post('/v1/monitors/bulk', { ids, ...body })
    expect(status).toBe(422)
    const { error } = answer as unknown as { error: { details: readonly { path: string }[] } }
    expect(error.details.map(({ path }) => path)).toEqual(paths)
  })
})

describe('A mute', () => {
  test.each([
    [{}, 'until'],
    [{ until: new Date(Date.now() - 1_000).toISOString() }, 'until'],
    [{ until: 'soon' }, 'until'],
    [{ until: '9999-12-31T23:00:00Z' }, 'until'],
    [{ until: null, reason: '' }, 'reason'],
    [{ until: null, drop: 'yes' }, 'drop'],
    [{ until: null, dropped: true }, 'dropped'],
  ])('of %j is refused', async (body, path) => {
    const watched = await monitor([])
    const { status, body: answer } = await mute(watched, body)
    expect(status).toBe(422)
    expect(answer).toMatchObject({ error: { details: [{ path }] } })
    expect(await read(`/v1/monitors/${watched.id}`)).not.toHaveProperty('mute')
  })

  test.each(['kubernetes', 'file'] as const)('is open for a monitor that a manifest owns: %s', async (managedBy) => {
    const watched = await monitor([])
    await changeMonitors(watching.served.api, watched.id, { managedBy })
    expect((await mute(watched, { until: null })).body).toMatchObject({ mute: { until: null } })
    expect((await unmute(watched)).status).toBe(200)
    expect((await watching.served.me.delete(`/v1/monitors/${watched.id}`)).status).toBe(409)
  })

  test('reaches nothing of another team, and is in the audit log', async () => {
    const watched = await monitor([])
    const other = await watching.served.anotherTeam()
    expect((await mute(watched, { until: null }, other)).status).toBe(404)
    await mute(watched, { until: null, reason: 'why' })
    await unmute(watched)
    const { data } = (await watching.served.me.get('/v1/team/audit?limit=20')).body
    const mine = (data as unknown as { action: string; target_id: string; metadata: object }[]).filter(
      ({ target_id: target }) => target === watched.id,
    )
    expect(mine.map(({ action }) => action).slice(0, 2)).toEqual(['monitor.unmuted', 'monitor.muted'])
    expect(mine[1]?.metadata).toEqual({ until: null, reason: 'why', drop: false })
  })

  test('raises the level of the check and of what it holds, also when the monitor is edited', async () => {
    const watched = await monitor([hook('level')])
    const { store } = watching.served.api.services
    const level = (table: 'checks' | 'deliveries') => levelIn(store, table, watched.id)
    expect(await level('checks')).toBe(1)
    await mute(watched, { until: null })
    expect(await level('checks')).toBe(2)
    await watching.served.me.patch(`/v1/monitors/${watched.id}`, { name: 'Another' })
    expect(await level('checks')).toBe(2)
    await watched.fire()
    expect(await level('deliveries')).toBe(2)
    await unmute(watched)
    await watching.served.me.patch(`/v1/monitors/${watched.id}`, { name: 'A third' })
    expect(await level('checks')).toBe(1)
  })
})
