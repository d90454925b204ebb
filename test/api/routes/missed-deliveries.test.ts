import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'

const kept = { type: 'webhook', url: 'https://kept.example.com/hook' } as const
const left = { type: 'webhook', url: 'https://left.example.com/hook' } as const
const GIVEN_UP = { status: 'dead', attempts: 6, isFailing: true } as const

/** A delivery that was given up is missed for as long as its monitor has the destination. */
describe('deliveries that were given up', () => {
  let served: ServedApi
  let monitor = ''
  let gone = ''
  let toKept = ''
  let toLeft = ''
  beforeAll(async () => {
    served = await serveApi('unlimited')
    const { services } = served.api
    monitor = (await createMonitor(served.me, { name: 'Kettle', deliveries: [kept, left] })).id
    gone = (await createMonitor(served.me, { name: 'Lamp', deliveries: [kept] })).id
    const run = await seedRun(services, monitor, { triggered: true })
    const other = await seedRun(services, gone, { triggered: true })
    toKept = await seedDelivery(services, run, { ...GIVEN_UP, config: kept, age: '1 h' })
    toLeft = await seedDelivery(services, run, { ...GIVEN_UP, config: left, age: '2 h' })
    await seedDelivery(services, other, { ...GIVEN_UP, config: kept, age: '3 h' })
  })
  afterAll(() => served.close())

  const idsOf = async (query: string) => {
    const { body } = await served.me.get(`/v1/deliveries?${query}`)
    return body.data.map(({ id }) => id)
  }
  async function counts() {
    const { body } = await served.me.get('/v1/deliveries/counts')
    const { body: overview } = await served.me.get('/v1/overview/counts')
    const { body: led } = await served.me.get('/v1/deliveries?missed=true&limit=1')
    const { body: others } = await served.me.get('/v1/deliveries?missed=false&limit=1')
    const { given_up, missed, total } = body
    // What the rail says, what leads the list, and what the filter counts is the same number.
    expect(overview).toMatchObject({ given_up_deliveries: missed })
    expect(led.pagination).toMatchObject({ total: missed })
    expect(others.pagination).toMatchObject({ total: Number(total) - Number(missed) })
    return { given_up, missed }
  }
  const edit = async (deliveries: readonly object[]) =>
    expect(await served.me.patch(`/v1/monitors/${monitor}`, { deliveries })).toMatchObject({ status: 200 })

  test('are all missed at first', async () => {
    expect(await counts()).toEqual({ given_up: 3, missed: 3 })
    expect((await served.me.get(`/v1/deliveries/${toLeft}`)).body).not.toHaveProperty('destination_removed')
  })

  test('are not missed once an edit leaves their destination out, and are when it comes back', async () => {
    await edit([kept])
    expect(await counts()).toEqual({ given_up: 3, missed: 2 })
    expect(await idsOf('missed=true&q=kettle')).toEqual([toKept])
    expect(await idsOf('given_up=true&q=kettle')).toEqual([toKept, toLeft])
    expect((await served.me.get(`/v1/deliveries/${toLeft}`)).body).toMatchObject({ destination_removed: true })
    expect((await served.me.get(`/v1/deliveries/${toKept}`)).body).not.toHaveProperty('destination_removed')
    await edit([left, kept])
    expect(await counts()).toEqual({ given_up: 3, missed: 3 })
    await edit([kept])
  })

  test('are not missed once their monitor is deleted', async () => {
    const { body: before } = await served.me.get('/v1/deliveries/destinations')
    expect(before.data[0]).toMatchObject({ monitor_count: 2, given_up: 2 })
    expect(await served.me.delete(`/v1/monitors/${gone}`)).toMatchObject({ status: 204 })
    expect(await counts()).toEqual({ given_up: 3, missed: 1 })
    const { body: after } = await served.me.get('/v1/deliveries/destinations')
    expect(after.data[0]).toMatchObject({ monitor_count: 1, given_up: 1 })
  })

  test('are sent again by the filter that counts them, and one by one also where nobody misses them', async () => {
    const filter = { missed: true }
    const conflict = await served.me.post('/v1/deliveries/replay', { filter, expected: 3 })
    expect(conflict.status).toBe(409)
    const { body } = await served.me.post('/v1/deliveries/replay', { filter, expected: 1 })
    expect(body).toMatchObject({ queued: 1 })
    expect(await counts()).toEqual({ given_up: 2, missed: 0 })
    expect((await served.me.post(`/v1/deliveries/${toLeft}/replay`)).status).toBe(200)
    expect((await served.me.get(`/v1/deliveries/${toLeft}`)).body).toMatchObject({ status: 'pending' })
  })

  test('are not found by what is no boolean', async () => {
    expect(await served.me.get('/v1/deliveries?missed=maybe')).toMatchObject({ status: 422 })
  })
})
