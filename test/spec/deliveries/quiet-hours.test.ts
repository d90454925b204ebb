import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { quietNow } from '../../support/api/quiet-now.ts'
import { startWatching, type Watching } from '../../support/api/watching.ts'
import { eventually } from '../../support/run/eventually.ts'
import { openReceiver, type Receiver, reply } from '../../support/worker/receiver.ts'

const HOUR_MS = 3_600_000
const minuteOf = (ms: number) => new Date(Math.floor(ms / 60_000) * 60_000).toISOString()

const beganMs = Date.now()
const endsMs = beganMs + 2 * HOUR_MS
const NOW_QUIET = quietNow(2, beganMs)
const LATER_QUIET = quietNow(1, beganMs + 3 * HOUR_MS)

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
  readonly next_attempt_at: string | null
}

/** Lets a monitor of these destinations fire; answers its run and deliveries. */
async function fire(paths: readonly [path: string, more?: object][], more: object = {}) {
  const deliveries = paths.map(([path, own]) => ({ type: 'webhook', url: `${receiver.url}/${path}`, ...own }))
  const diff_predicate = { type: 'any_field_changes' }
  const page = await watching.watch({ value: 1 }, { diff_predicate, deliveries, ...more })
  page.set({ value: 2 })
  const { id: run } = await page.run()
  const { data } = (await watching.served.me.get(`/v1/runs/${run}/deliveries`)).body
  return { run, deliveries: data as unknown as readonly Seen[], ids: data.map(({ id }) => String(id)) }
}
const read = async (path: string) => (await watching.served.me.get(path)).body as never as Seen & { held?: string }
const arrived = (path: string) => receiver.requests.filter(({ path: of }) => of.endsWith(`/${path}`)).length
const release = (ids: readonly string[], action: string) =>
  watching.served.me.post('/v1/deliveries/release', { ids, action })

describe('A destination with quiet hours', () => {
  test('gets what fires in them when they end, and others get it at once', async () => {
    const { run, deliveries } = await fire([
      ['held', { quiet_hours: NOW_QUIET }],
      ['free'],
      ['later', { quiet_hours: LATER_QUIET }],
    ])
    await eventually(
      async () => [arrived('free'), arrived('later')],
      (counts) => counts.every((count) => count === 1),
    )
    const [held] = deliveries
    expect(held).toMatchObject({ status: 'pending', held: 'quiet_hours', next_attempt_at: minuteOf(endsMs) })
    expect(await read(`/v1/runs/${run}`)).toMatchObject({ delivery_triggered: true, held: 'quiet_hours' })
    expect(arrived('held')).toBe(0)

    const other = await fire([['of-monitor']], { quiet_hours: NOW_QUIET })
    expect(other.deliveries).toMatchObject([{ held: 'quiet_hours' }])
    const woken = await fire([['own-hours', { quiet_hours: LATER_QUIET }]], { quiet_hours: NOW_QUIET })
    expect(woken.deliveries[0]).not.toHaveProperty('held')

    await watching.setClock(2 * 3600 + 60)
    await eventually(
      async () => [arrived('held'), arrived('of-monitor')],
      (counts) => counts.every((count) => count === 1),
    )
    const sent = await eventually(
      () => read(`/v1/deliveries/${held?.id}`),
      ({ status }) => status === 'success',
    )
    expect(sent).not.toHaveProperty('held')
  })

  test('is not tried again in them either, but when they end', async () => {
    await using refusing = await openReceiver(reply(503))
    // They begin before the second attempt, which would be after five minutes.
    const quiet_hours = { ...NOW_QUIET, from: quietNow(0, Date.now() + 120_000).from }
    const { ids } = await fire([['again', { url: refusing.url, quiet_hours }]])
    const failed = await eventually(
      () => read(`/v1/deliveries/${ids[0]}`),
      ({ status }) => status === 'failed',
    )
    expect(Date.parse(failed.next_attempt_at ?? '')).toBeGreaterThanOrEqual(Date.parse(minuteOf(endsMs)))
    expect(Date.parse(failed.next_attempt_at ?? '')).toBeLessThan(Date.parse(minuteOf(endsMs)) + 5_000)
  })

  test('gets what was sent when its hour had come once, though it is asked to be sent now', async () => {
    let answer = () => {}
    await using slow = await openReceiver((socket, request, nth) => {
      answer = () => reply(200)(socket, request, nth)
    })
    const { ids } = await fire([['slow', { url: slow.url, quiet_hours: NOW_QUIET }]])
    await watching.setClock(2 * 3600 + 60)
    await eventually(
      async () => slow.requests.length,
      (count) => count === 1,
    )
    expect((await release(ids, 'send')).body).toMatchObject({
      succeeded: 0,
      results: [{ error: { code: 'CONFLICT' } }],
    })
    expect((await release(ids, 'drop')).body).toMatchObject({ succeeded: 0 })
    answer()
    await eventually(
      () => read(`/v1/deliveries/${ids[0]}`),
      ({ status }) => status === 'success',
    )
    expect(slow.requests).toHaveLength(1)
  })

  test('is named by a run only while a delivery of it waited', async () => {
    const { run } = await fire([['free-again']])
    expect(await read(`/v1/runs/${run}`)).not.toHaveProperty('held')
  })
})

describe('POST /v1/deliveries/release', () => {
  test('sends what waits at once', async () => {
    const { ids } = await fire([['released', { quiet_hours: NOW_QUIET }]])
    const { status, body } = await release(ids, 'send')
    expect(status).toBe(200)
    expect(body).toEqual({ succeeded: 1, failed: 0, results: [{ id: ids[0], ok: true }] })
    await eventually(
      async () => arrived('released'),
      (count) => count === 1,
    )
  })

  test('drops what waits, and the run says so', async () => {
    const { run, ids } = await fire([['dropped', { quiet_hours: NOW_QUIET }]])
    expect((await release(ids, 'drop')).body).toMatchObject({ succeeded: 1, failed: 0 })
    expect((await watching.served.me.get(`/v1/deliveries/${ids[0]}`)).status).toBe(404)
    expect(await read(`/v1/runs/${run}`)).toMatchObject({ delivery_triggered: false, held: 'dropped' })
  })

  test('of a run with two deliveries drops one, and the run has triggered still', async () => {
    const { run, ids } = await fire([
      ['one', { quiet_hours: NOW_QUIET }],
      ['two', { quiet_hours: NOW_QUIET }],
    ])
    expect((await release(ids.slice(0, 1), 'drop')).body).toMatchObject({ succeeded: 1 })
    expect(await read(`/v1/runs/${run}`)).toMatchObject({ delivery_triggered: true, held: 'dropped' })
    expect(await read(`/v1/deliveries/${ids[1]}`)).toMatchObject({ status: 'pending', held: 'quiet_hours' })
  })

  test('refuses what does not wait, by its id, and does the others', async () => {
    const { ids } = await fire([['not-held'], ['of-many', { quiet_hours: NOW_QUIET }]])
    await eventually(
      () => read(`/v1/deliveries/${ids[0]}`),
      ({ status }) => status === 'success',
    )
    const none = '01a1fdda-7d9b-7133-82bc-55eff54399c9'
    const { body } = await release([...ids, none], 'send')
    expect(body).toMatchObject({
      succeeded: 1,
      failed: 2,
      results: [
        { id: ids[0], ok: false, error: { code: 'CONFLICT', message: expect.stringContaining('success') } },
        { id: ids[1], ok: true },
        { id: none, ok: false, error: { code: 'NOT_FOUND' } },
      ],
    })
  })

  test('reaches nothing of another team, and is in the audit log', async () => {
    const { ids } = await fire([['mine', { quiet_hours: NOW_QUIET }]])
    const other = await watching.served.anotherTeam()
    const { body } = await other.post('/v1/deliveries/release', { ids, action: 'drop' })
    expect(body).toMatchObject({ succeeded: 0, results: [{ error: { code: 'NOT_FOUND' } }] })
    await release(ids, 'drop')
    const log = await watching.served.me.get('/v1/team/audit?action=delivery.dropped')
    expect(log.body.data[0]).toMatchObject({ action: 'delivery.dropped', target_id: ids[0] })
  })

  test.each([
    ['an unknown action', { ids: ['01a1fdda-7d9b-7133-82bc-55eff54399c9'], action: 'delete' }, 'action'],
    ['no ids', { ids: [], action: 'send' }, 'ids'],
    ['an id that is none', { ids: ['x'], action: 'send' }, 'ids[0]'],
  ])('refuses %s with its path', async (_, body, path) => {
    const answer = await watching.served.me.post('/v1/deliveries/release', body)
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ error: { details: [{ path }] } })
  })
})
