import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

let api: TestApi
let owner: CreatedOwner
beforeAll(async () => {
  api = await createTestApi()
  owner = await api.owner()
})
afterAll(() => api.close())

const NTFY = { type: 'webhook', service: 'ntfy', url: 'https://ntfy.example.com/' } as const
const create = (delivery: object) =>
  api.call(owner.api_key, 'POST', '/v1/monitors', {
    name: 'Kettle',
    url: 'https://shop.example.com/kettle',
    schedule_interval_seconds: 3600,
    extract_config: { method: 'css', fields: { price: '.price' } },
    diff_predicate: { type: 'any_field_changes' },
    deliveries: [delivery],
  })
const detailsOf = async (delivery: object) => {
  const { status, body } = await create(delivery)
  return { status, details: body.error?.details }
}

describe('A destination with a service', () => {
  test('is stored and shown as it was sent', async () => {
    const delivery = { ...NTFY, options: { topic: 'kettle', priority: '4' }, headers: { 'X-Proxy': 'blue' } }
    const { status, body } = await create(delivery)
    expect(status).toBe(201)
    const read = await api.call(owner.api_key, 'GET', `/v1/monitors/${String(body['id'])}`)
    expect(read.body['deliveries']).toEqual([delivery])
  })

  test('is 422 with the path of each option that is wrong', async () => {
    expect(await detailsOf({ ...NTFY, options: { tag: 'a' } })).toMatchObject({
      status: 422,
      details: [{ path: 'deliveries[0].options.tag' }, { path: 'deliveries[0].options.topic' }],
    })
    expect(await detailsOf({ ...NTFY, service: undefined, options: { topic: 'a' } })).toMatchObject({
      status: 422,
      details: [{ path: 'deliveries[0].options' }],
    })
    expect(await detailsOf({ type: 'email', to: 'a@example.com', service: 'ntfy' })).toMatchObject({
      status: 422,
      details: [{ path: 'deliveries[0].service' }],
    })
  })

  test('is 422 where an option holds the mask of a secret', async () => {
    expect(await detailsOf({ ...NTFY, options: { topic: 'kettle', token: 'tk_********' } })).toMatchObject({
      status: 422,
      details: [{ path: 'deliveries[0].options.token' }],
    })
  })
})
