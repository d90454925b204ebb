import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../../../api/http/app.ts'
import { createServices } from '../../../api/services.ts'
import { EVENT_LIMITS } from '../../../schema/overview/event-limits.ts'
import { servedRoutes } from '../../support/api/all-routes.ts'
import { type EventReader, readEvents } from '../../support/api/event-reader.ts'
import { createMonitor, MONITOR, pathsOf } from '../../support/api/monitor-requests.ts'
import { acceptAs, accountOf, personOf, tokenFor } from '../../support/api/people.ts'
import { seedDelivery } from '../../support/api/seeded-runs.ts'
import { ENCRYPTION_KEY } from '../../support/api/test-api.ts'
import { startWatching, type Watched, type Watching } from '../../support/api/watching.ts'
import { eventually } from '../../support/run/eventually.ts'

let watching: Watching
let kettle: Watched
let lamp: Watched

beforeAll(async () => {
  watching = await startWatching({ hasMail: true, eventBounds: { checkMs: 100 } })
  kettle = await watching.watch({ value: 1, other: 1 }, { name: 'Kettle' })
  lamp = await watching.watch({ value: 1, other: 1 }, { name: 'Lamp' })
})
afterAll(() => watching.close())

type Opened = Parameters<typeof readEvents>[2]
async function opened(credential = watching.served.owner.api_key, how: Opened = {}): Promise<EventReader> {
  const reader = await readEvents(watching.served.baseUrl, credential, how)
  onTestFinished(() => reader.close())
  expect(reader.status).toBe(200)
  // It has its place, so that what happens from now on is told.
  await eventually(
    () => reader.lastId,
    (id) => id !== '',
  )
  return reader
}
const change = async (page: Watched, value: number) => {
  page.set({ value, other: 1 })
  return (await page.run()).id
}
const endTrial = (teamId: string) =>
  watching.served.api.sql(`update teams set trial_ends_at = clock() - interval '1 second' where id = '${teamId}'`)
const open = () => watching.served.api.services.events.open
const noneIsOpen = () => eventually(open, (count) => count === 0)

describe('a stream of events', () => {
  test('tells of a change, a watched run, a status and a dead delivery, through any proxy', async () => {
    const reader = await opened(undefined, { watch: [kettle.id] })
    expect(reader.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(reader.headers['x-accel-buffering']).toBe('no')
    const id = await change(kettle, 2)
    expect(await reader.next('change')).toEqual({
      run_id: id,
      at: expect.stringMatching(/Z$/),
      monitor: { id: kettle.id, kind: 'page' },
      fields: ['value'],
      more: 0,
      fired: true,
    })
    expect(await reader.next('run')).toMatchObject({ run_id: id, monitor: { id: kettle.id }, status: 'success' })
    await lamp.run()
    await watching.served.me.post(`/v1/monitors/${lamp.id}/pause`)
    expect(await reader.next('state')).toEqual({ monitor: { id: lamp.id, kind: 'page' }, status: 'paused' })
    await watching.served.me.post(`/v1/monitors/${lamp.id}/resume`)
    await reader.next('state', ({ status }) => status === 'active')
    const delivery = await seedDelivery(watching.served.api.services, id, { status: 'dead' })
    expect(await reader.next('delivery')).toEqual({
      id: delivery,
      run_id: id,
      monitor: { id: kettle.id, kind: 'page' },
      status: 'dead',
    })
    expect(reader.events.map(({ name }) => name).toSorted()).toEqual(['change', 'delivery', 'run', 'state', 'state'])
    expect(reader.text).toMatch(/: here\n\n/)
  })

  test('tells once that a monitor was made, and how it stands', async () => {
    const reader = await opened()
    const made = await createMonitor(watching.served.me)
    expect(await reader.next('state')).toEqual({ monitor: { id: made.id, kind: 'page' }, status: 'active' })
    const { body } = await watching.served.me.post('/v1/monitors?paused=true', MONITOR)
    const told = await reader.next('state', ({ monitor }) => monitor?.['id'] === body.id)
    expect(told).toEqual({ monitor: { id: body.id, kind: 'page' }, status: 'paused' })
    // The overlap of looks finds both again with each later change.
    await change(lamp, 12)
    await reader.next('change')
    expect(reader.events.map(({ name }) => name)).toEqual(['state', 'state', 'change'])
  })

  test('tells once that a monitor is deleted, whether it was active or paused', async () => {
    const [active, paused] = [await createMonitor(watching.served.me), await createMonitor(watching.served.me)]
    await watching.served.me.post(`/v1/monitors/${paused.id}/pause`)
    const reader = await opened()
    for (const { id } of [paused, active]) {
      await watching.served.me.delete(`/v1/monitors/${id}`)
      const told = await reader.next('state', ({ monitor }) => monitor?.['id'] === id)
      expect(told).toEqual({ monitor: { id, kind: 'page' }, status: 'deleted' })
    }
    // The overlap of looks finds both again with each later change.
    await change(lamp, 2)
    await reader.next('change')
    expect(reader.events.map(({ name }) => name)).toEqual(['state', 'state', 'change'])
  })

  test('has a gap when the trial of the team ends, and no state of each monitor', async () => {
    const other = await watching.served.anotherTeam('free')
    await createMonitor(other)
    const reader = await opened(other.owner.api_key)
    await endTrial(other.owner.team_id)
    await reader.next('gap')
    expect(reader.events.map(({ name }) => name)).toEqual(['gap'])
  })

  test('has a gap when a team gets a plan after its trial, and tells of states again', async () => {
    const other = await watching.served.anotherTeam('free')
    const { id } = await createMonitor(other)
    await endTrial(other.owner.team_id)
    const reader = await opened(other.owner.api_key)
    await watching.served.api.sql(`update teams set tier = 'scale' where id = '${other.owner.team_id}'`)
    await reader.next('gap')
    await other.post(`/v1/monitors/${id}/pause`)
    expect(await reader.next('state')).toEqual({ monitor: { id, kind: 'page' }, status: 'paused' })
  })

  test('never has an event of another team, whatever it watches', async () => {
    const stranger = await watching.served.anotherTeam()
    const theirs = await opened(stranger.owner.api_key, { watch: [kettle.id] })
    const mine = await opened()
    const page = await watching.watch({ value: 1, other: 1 }, { name: 'Theirs' }, stranger)
    await change(kettle, 3)
    await mine.next('change', ({ monitor }) => monitor?.['id'] === kettle.id)
    const { body } = await stranger.post(`/v1/monitors/${page.id}/pause`)
    expect(body.status).toBe('paused')
    await theirs.next('state')
    await kettle.run()
    await watching.served.me.post(`/v1/monitors/${lamp.id}/pause`)
    await mine.next('state')
    await watching.served.me.post(`/v1/monitors/${lamp.id}/resume`)
    await mine.next('state', ({ status }) => status === 'active')
    expect(theirs.text).not.toContain(kettle.id)
    expect(theirs.text).not.toContain(lamp.id)
    expect(mine.text).not.toContain(page.id)
  })

  test('ends at once for a client that does not accept it, with what it missed', async () => {
    const reader = await opened()
    await reader.close()
    const id = await change(kettle, 4)
    const asked = await opened(undefined, { accept: 'application/json', lastId: reader.lastId })
    await asked.ended
    expect(asked.events.map(({ name, data }) => [name, data['run_id']])).toEqual([['change', id]])
    await noneIsOpen()
  })

  test.each([
    ['watch=x', 'watch'],
    ['watched=x', 'watched'],
  ])('refuses %s', async (query, path) => {
    expect(pathsOf(await watching.served.me.get(`/v1/events?${query}`))).toEqual([path])
  })

  test('refuses to watch more monitors than may be', async () => {
    const ids = Array.from({ length: EVENT_LIMITS.watched + 1 }, () => crypto.randomUUID())
    expect(pathsOf(await watching.served.me.get(`/v1/events?watch=${ids.join()}`))).toEqual(['watch'])
  })
})

describe('a stream that was cut', () => {
  test('goes on behind its last event, with each one that it missed once', async () => {
    const reader = await opened(undefined, { watch: [kettle.id] })
    const first = await change(kettle, 5)
    await reader.next('run')
    await reader.close()
    await noneIsOpen()
    const missed = await change(kettle, 6)
    await watching.served.me.post(`/v1/monitors/${lamp.id}/pause`)
    const again = await opened(undefined, { watch: [kettle.id], lastId: reader.lastId })
    expect(await again.next('run')).toMatchObject({ run_id: missed })
    expect(again.text).not.toContain(first)
    expect(again.events.map(({ name }) => name)).toEqual(['change', 'state', 'run'])
    await watching.served.me.post(`/v1/monitors/${lamp.id}/resume`)
    await again.next('state', ({ status }) => status === 'active')
  })

  test('has a gap where nobody kept what it missed', async () => {
    for (const lastId of ['none of ours', '', '3w5e11264sgsf.1.1', `${'9'.repeat(15)}.1.1`]) {
      const reader = await opened(undefined, { lastId })
      await reader.next('gap')
      await reader.close()
    }
  })

  test('has a gap ten minutes later', async () => {
    const reader = await opened()
    await reader.close()
    await watching.setClock(9 * 60)
    const soon = await opened(undefined, { lastId: reader.lastId })
    expect(soon.events).toEqual([])
    await watching.setClock(11 * 60)
    const late = await opened(undefined, { lastId: reader.lastId })
    await late.next('gap')
    await watching.setClock(0)
  })
})

describe('a stream ends', () => {
  test('with its key', async () => {
    const { client } = personOf(watching.served, watching.served.owner)
    const { body } = await client.post('/v1/keys', { name: 'Short', scopes: ['read'] })
    const { key, apiKey } = body as unknown as { key: string; apiKey: { id: string } }
    const reader = await opened(key)
    await client.delete(`/v1/keys/${apiKey.id}`)
    await reader.ended
    await change(kettle, 7)
    expect(reader.events).toEqual([])
  })

  test('with a switch of teams, another role, and the session', async () => {
    const boss = personOf(watching.served, watching.served.owner)
    const guest = await accountOf(watching.served)
    await acceptAs(guest, await tokenFor(watching.served, boss, guest))
    const session = guest.account.session_token
    const own = await opened(session)
    const act = (team_id: string) => guest.client.post('/v1/team/switch', { team_id })
    await act(guest.account.team_id)
    await own.ended
    await act(boss.account.team_id)
    const asMember = await opened(session)
    const patched = await boss.client.patch(`/v1/team/members/${guest.account.user_id}`, { role: 'viewer' })
    expect(patched.status).toBe(200)
    await asMember.ended
    const asViewer = await opened(session)
    expect((await guest.client.post('/auth/sign-out', {})).status).toBe(200)
    await asViewer.ended
    await noneIsOpen()
  })
})

describe('the bounds of streams', () => {
  test('are five a key or session, and some of a process', async () => {
    await noneIsOpen()
    const key = watching.served.owner.api_key
    for (let count = 0; count < EVENT_LIMITS.perCaller; count += 1) await opened()
    const refused = await readEvents(watching.served.baseUrl, key)
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('15')
    await refused.ended
    await opened(watching.served.owner.session_token)
  })

  test('are given back, and a process that closes ends its streams without a wait', async () => {
    const { databaseUrl, services } = watching.served.api
    const own = createServices({
      ...services,
      databaseUrl,
      encryptionKey: ENCRYPTION_KEY,
      eventBounds: { total: 1 },
    })
    const app = buildApp(own, servedRoutes)
    const base = await app.listen({ host: '127.0.0.1', port: 0 })
    const key = watching.served.owner.api_key
    const first = await readEvents(base, key)
    const second = await readEvents(base, key)
    expect(second.status).toBe(503)
    await second.ended
    await first.close()
    const third = await eventually(
      () => readEvents(base, key),
      ({ status }) => status === 200,
    )
    await app.close()
    await third.ended
    expect(third.text).toMatch(/retry: \d{4}\n\n$/)
    expect(own.events.ended).toMatchObject({ left: 1, closing: 1 })
    await own.close()
  })
})
