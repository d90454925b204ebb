import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'

const chat: DeliveryConfig = {
  type: 'webhook',
  service: 'telegram',
  url: 'https://api.telegram.org/bot1/sendMessage',
  options: { chat_id: '-1' },
}
const pager: DeliveryConfig = { type: 'slack', webhookUrl: 'https://hooks.slack.com/services/T/B/x' }
const mail: DeliveryConfig = { type: 'email', to: 'ops@example.com' }
const own: DeliveryConfig = { type: 'webhook', url: 'https://own.example.com/hook?token=s3cret' }

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

let served: ServedApi
const ids = new Map<string, string>()
let kettle = ''
let rank = ''
beforeAll(async () => {
  served = await serveApi('unlimited')
  const { services } = served.api
  kettle = (await createMonitor(served.me, { name: 'Kettle' })).id
  const search = { name: 'Rank of kettles', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'a.com' }
  rank = (await served.me.post('/v1/serp-monitors', search)).body.id
  const run = await seedRun(services, kettle, { triggered: true })
  const searched = await seedRun(services, rank, { triggered: true })
  const payload = { monitor: { name: 'Kettle' } }
  const all = {
    'to the chat': [run, { config: chat, status: 'success', age: '1 h', payload }],
    'to the pager': [run, { config: pager, status: 'dead', age: '2 h', responseStatus: 410, isFailing: true }],
    'to the pager of the search': [searched, { config: pager, status: 'dead', age: '3 h', isFailing: true }],
    'to my server': [run, { config: own, status: 'failed', age: '4 h', nextInSeconds: 300, responseStatus: 500 }],
    'to my server, refused': [searched, { config: own, status: 'failed', age: '5 h', responseBody: '<b>no</b>' }],
    held: [run, { config: mail, status: 'pending', age: '6 h', held: 'muted', nextInSeconds: 3600 }],
  } as const
  for (const [name, [of, delivery]] of Object.entries(all)) ids.set(name, await seedDelivery(services, of, delivery))
})
afterAll(() => served.close())

const namesOf = (data: readonly Readonly<Record<string, string>>[]) =>
  data.map(({ id }) => [...ids].find(([, known]) => known === id)?.[0])

describe('deliveries are listed, counted and found', () => {
  test.each([
    ['type=slack', ['to the pager', 'to the pager of the search']],
    ['type=webhook', ['to the chat', 'to my server', 'to my server, refused']],
    ['service=telegram', ['to the chat']],
    ['held=true', ['held']],
    ['held=false&status=pending', []],
    ['given_up=true', ['to the pager', 'to the pager of the search', 'to my server, refused']],
    ['given_up=true&type=webhook', ['to my server, refused']],
    ['q=OWN.example', ['to my server', 'to my server, refused']],
    ['q=rank%20of', ['to the pager of the search', 'to my server, refused']],
    ['q=443', []],
    ['from=5.1&to=3.1', ['to my server', 'to my server, refused']],
    ['to=6.1', []],
  ])('by %s', async (query, expected) => {
    // Times are hours ago.
    const asked = query.replaceAll(/(?<==)\d\.\d(?=&|$)/g, (hours) => ago(Number(hours)))
    const { body, status } = await served.me.get(`/v1/deliveries?${asked}`)
    expect(status).toBe(200)
    expect(namesOf(body.data)).toEqual(expected)
    expect((await served.me.get(`/v1/deliveries/counts?${asked}`)).body).toMatchObject({ total: expected.length })
  })

  test('the counts are by state', async () => {
    const { body } = await served.me.get('/v1/deliveries/counts')
    expect(body).toEqual({ total: 6, pending: 1, success: 1, failed: 2, dead: 2, given_up: 3, missed: 3, held: 1 })
  })

  test('a row has its monitor and its service; without payloads it has an empty one', async () => {
    const { body } = await served.me.get('/v1/deliveries?service=telegram&payloads=false')
    expect(body.data[0]).toMatchObject({
      monitor: { kind: 'page', name: 'Kettle' },
      delivery_type: 'webhook',
      service: 'telegram',
      payload: {},
    })
    const { body: whole } = await served.me.get('/v1/deliveries?service=telegram')
    expect(whole.data[0]?.['payload']).toMatchObject({ monitor: { name: 'Kettle' } })
    expect(whole.data[0]).not.toHaveProperty('truncated')
  })

  test.each(['type=fax', 'service=fax', 'destination=https://a.com', 'from=yesterday', 'q='])(
    'a filter that is none is refused: %s',
    async (query) => {
      expect((await served.me.get(`/v1/deliveries?${query}`)).status).toBe(422)
      expect((await served.me.get(`/v1/deliveries/counts?${query}`)).status).toBe(422)
    },
  )
})

test('a delivery names its destination by the key of the filter, whether that takes deliveries or not', async () => {
  const { body: own } = await served.me.get(`/v1/deliveries/${ids.get('to the chat')}`)
  const { body: found } = await served.me.get(`/v1/deliveries?destination=${String(own['destination_key'])}`)
  expect(namesOf(found.data)).toEqual(['to the chat'])
  expect(found.data[0]).toMatchObject({ destination_key: own['destination_key'] })
})

test('those that are given up are counted beside the monitors', async () => {
  const { body } = await served.me.get('/v1/overview/counts')
  expect(body).toMatchObject({ given_up_deliveries: 3 })
  const { body: lean } = await served.me.get('/v1/overview/counts?count_destinations=false')
  expect(lean).not.toHaveProperty('given_up_deliveries')
})

describe('destinations that take no deliveries', () => {
  test('are one line with their monitors, and lead to their deliveries', async () => {
    const { body } = await served.me.get('/v1/deliveries/destinations')
    expect(body).toMatchObject({
      total: 1,
      data: [
        {
          delivery_type: 'slack',
          destination: 'https://hooks.slack.com/services/T/B/x',
          response_status: 410,
          monitor_count: 2,
          given_up: 2,
          monitors: [
            { id: kettle, kind: 'page', name: 'Kettle' },
            { id: rank, kind: 'serp', name: 'Rank of kettles' },
          ],
        },
      ],
    })
    const key = body.data[0]?.['key']
    const { body: listed } = await served.me.get(`/v1/deliveries?destination=${key}`)
    expect(namesOf(listed.data)).toEqual(['to the pager', 'to the pager of the search'])
  })

  test('show who may not write no secret of an address', async () => {
    const owner = served.as(served.owner.session_token)
    const { key } = (await owner.post('/v1/keys', { name: 'reader', scopes: ['read'] })).body
    const viewer = served.as(key)
    const { body } = await viewer.get('/v1/deliveries/destinations')
    expect(body.data[0]).toMatchObject({ destination: 'https://hooks.slack.com/********' })
    // A mark would confirm a guess of the address.
    expect(body.data[0]).not.toHaveProperty('key')
    const refused = await viewer.get('/v1/deliveries?destination=0123456789abcdef')
    expect(refused.body.error).toMatchObject({ code: 'FORBIDDEN' })
    const [delivery] = (await viewer.get('/v1/deliveries')).body.data
    expect(delivery).not.toHaveProperty('destination_key')
    expect((await viewer.get(`/v1/deliveries/${delivery?.['id']}`)).body).not.toHaveProperty('destination_key')
  })

  test('keep their address while what they missed is sent again', async () => {
    const { key } = (await served.me.get('/v1/deliveries/destinations')).body.data[0] ?? {}
    const filter = { destination: key, given_up: true }
    expect((await served.me.post('/v1/deliveries/replay', { filter, expected: 2 })).status).toBe(200)
    const { body } = await served.me.get('/v1/deliveries/destinations')
    expect(body.data[0]).toMatchObject({ destination: 'https://hooks.slack.com/services/T/B/x', given_up: 0 })
  })

  test('of another team are not listed', async () => {
    const stranger = await served.anotherTeam()
    expect((await stranger.get('/v1/deliveries/destinations')).body).toEqual({ data: [], total: 0 })
    expect((await stranger.get('/v1/deliveries/counts')).body).toMatchObject({ total: 0 })
  })
})
