import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMonitor, pathsOf } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { failTimes } from '../../support/database/check-states.ts'

let served: ServedApi
const ids = new Map<string, string>()
const NAMES = ['Kettle 100%', 'kettles of Ülm', 'Toaster', 'Lamp', 'Fridge_1']

beforeAll(async () => {
  served = await serveApi()
  for (const name of NAMES) ids.set(name, (await createMonitor(served.me, { name })).id)
  const idOf = (name: string) => ids.get(name) ?? ''
  await served.me.post(`/v1/monitors/${ids.get('Toaster')}/pause`)
  await failTimes(served.api, [idOf('Lamp'), idOf('Toaster')], 5)
  await changeMonitors(served.api, idOf('Fridge_1'), { locked: true, paused: true })
  for (const [name, statuses] of Object.entries({ Lamp: ['dead', 'success'], 'Kettle 100%': ['dead'] } as const)) {
    const run = await seedRun(served.api.services, ids.get(name) ?? '')
    for (const status of statuses) await seedDelivery(served.api.services, run, { status })
  }
  const refused = await seedRun(served.api.services, ids.get('Fridge_1') ?? '')
  await seedDelivery(served.api.services, refused, { status: 'failed', attempts: 1 })
  await seedDelivery(served.api.services, refused, { status: 'failed', attempts: 1, nextInSeconds: 300 })
  const stranger = await served.anotherTeam()
  await createMonitor(stranger, { name: 'Kettle of another team' })
})
afterAll(() => served.close())

const list = async (path: string) => {
  const { status, body } = await served.me.get(path)
  expect(status).toBe(200)
  return body as unknown as { data: { name: string; monitor_id: string }[]; pagination: { total: number } }
}
const names = async (query: string) => (await list(`/v1/monitors?${query}`)).data.map(({ name }) => name).sort()

describe('the list of monitors', () => {
  test.each([
    ['status=active', ['Kettle 100%', 'kettles of Ülm']],
    ['status=paused', ['Toaster']],
    ['status=error', ['Lamp']],
    ['status=billing_paused', ['Fridge_1']],
    ['name=KETTLE', ['Kettle 100%', 'kettles of Ülm']],
    ['name=%C3%BClm', ['kettles of Ülm']],
    ['name=0%25', ['Kettle 100%']],
    ['name=_', ['Fridge_1']],
    ['name=none', []],
    ['name=kettle&status=paused', []],
    ['name=kettle&status=active&visual=true', []],
  ])('takes %s', async (query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  test('has the status that each of its monitors shows', async () => {
    for (const status of ['active', 'paused', 'error', 'billing_paused'])
      for (const one of (await list(`/v1/monitors?status=${status}`)).data) expect(one).toMatchObject({ status })
  })

  test('takes monitor_id, and counts what the filters leave, on every page', async () => {
    expect(await names(`monitor_id=${ids.get('Lamp')}`)).toEqual(['Lamp'])
    const seen = [1, 2, 3].map((page) => list(`/v1/monitors?name=kettle&limit=1&page=${page}`))
    const pages = await Promise.all(seen)
    expect(pages.map(({ data }) => data.length)).toEqual([1, 1, 0])
    for (const { pagination } of pages) expect(pagination).toMatchObject({ total: 2, totalPages: 2 })
  })

  test('refuses values that it does not know, with their path', async () => {
    for (const [query, at] of [
      ['status=deleted', 'status'],
      ['status=ACTIVE', 'status'],
      ['name=', 'name'],
      [`name=${'a'.repeat(201)}`, 'name'],
      ['monitor_id=1', 'monitor_id'],
    ])
      expect([query, pathsOf(await served.me.get(`/v1/monitors?${query}`))]).toEqual([query, [at]])
  })
})

describe('the list of deliveries', () => {
  const of = async (query: string) =>
    (await list(`/v1/deliveries?${query}`)).data.map(
      ({ monitor_id: id }) => NAMES.find((name) => ids.get(name) === id) ?? id,
    )

  test.each([
    ['name=lam', ['Lamp', 'Lamp']],
    ['name=lamp&status=dead', ['Lamp']],
    ['status=dead', ['Kettle 100%', 'Lamp']],
    ['name=toaster', []],
    ['given_up=true', ['Fridge_1', 'Kettle 100%', 'Lamp']],
    ['given_up=true&status=failed', ['Fridge_1']],
    ['given_up=false&name=_', ['Fridge_1']],
  ])('takes %s', async (query, expected) => {
    expect((await of(query)).sort()).toEqual(expected)
  })

  test('takes monitor_id, and counts what the filters leave', async () => {
    expect(await of(`monitor_id=${ids.get('Lamp')}`)).toEqual(['Lamp', 'Lamp'])
    expect(await of('monitor_id=0197a000-0000-7000-8000-000000000000')).toEqual([])
    expect((await list(`/v1/deliveries?monitor_id=${ids.get('Lamp')}&limit=1`)).pagination).toMatchObject({ total: 2 })
    expect((await list('/v1/deliveries?name=lamp&status=dead&page=2')).pagination).toMatchObject({ total: 1 })
    expect(pathsOf(await served.me.get('/v1/deliveries?monitor_id=x'))).toEqual(['monitor_id'])
    expect(pathsOf(await served.me.get('/v1/deliveries?name='))).toEqual(['name'])
    expect(pathsOf(await served.me.get('/v1/deliveries?given_up=yes'))).toEqual(['given_up'])
    expect((await list('/v1/deliveries?given_up=true&limit=1')).pagination).toMatchObject({ total: 3 })
  })
})
