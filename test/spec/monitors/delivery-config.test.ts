import { describe, expect, test } from 'vitest'
import type { Tier } from '../../../schema/account/plan.ts'
import { createMonitor, faultsOf, MONITOR } from '../../support/api/monitor-requests.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

const url = 'https://example.com/hook'
const webhook = { type: 'webhook', url }
const many = (count: number) => Array.from({ length: count }, () => webhook)

describe('delivery config', () => {
  test.each([
    webhook,
    { type: 'webhook', url, headers: { Authorization: 'Bearer a' } },
    { type: 'slack', webhookUrl: url },
    { type: 'discord', webhookUrl: url },
    { type: 'email', to: 'name+tag@sub.example.com' },
  ])('is discriminated by type; this one is taken: %j', async (delivery) => {
    expect(await createMonitor(served.me, { deliveries: [delivery] })).toMatchObject({ deliveries: [delivery] })
  })

  test.each<[object, ...string[]]>([
    [{}, 'type'],
    [{ type: 'sms', to: '1' }, 'type'],
    [{ type: 'webhook' }, 'url'],
    [{ type: 'webhook', url: 'example.com' }, 'url'],
    [{ type: 'webhook', url: 'http://127.0.0.1/' }, 'url'],
    [{ type: 'webhook', url, to: 'name@example.com' }, 'to'],
    [{ type: 'slack', url }, 'url', 'webhookUrl'],
    [{ type: 'slack', webhookUrl: 'ftp://example.com/' }, 'webhookUrl'],
    [{ type: 'discord' }, 'webhookUrl'],
    [{ type: 'discord', webhookUrl: 'http://192.168.1.1/' }, 'webhookUrl'],
    [{ type: 'slack', webhookUrl: url, headers: {} }, 'headers'],
    [{ type: 'email' }, 'to'],
    [{ type: 'email', to: 'name' }, 'to'],
    [{ type: 'email', to: 'a@example.com, b@example.com' }, 'to'],
    [{ type: 'email', to: 'a@example.com\r\nBcc: b@example.com' }, 'to'],
    [{ type: 'email', to: `${'a'.repeat(243)}@example.com` }, 'to'],
  ])('refuses %j', async (delivery, ...keys) => {
    const paths = keys.map((key) => `deliveries[1].${key}`)
    expect(await faultsOf(served.me, { deliveries: [webhook, delivery] })).toEqual(paths)
  })

  test('the array holds 0-25 items', async () => {
    expect((await createMonitor(served.me, { deliveries: [] }))['deliveries']).toEqual([])
    expect((await createMonitor(served.me, { deliveries: many(25) }))['deliveries']).toHaveLength(25)
    expect(await faultsOf(served.me, { deliveries: many(26) })).toEqual(['deliveries'])
  })

  test.each<[Tier, number]>([
    ['free', 1],
    ['lite', 2],
    ['starter', 3],
    ['pro', 10],
    ['scale', 25],
  ])('the plan %s caps it at %i', async (tier, cap) => {
    const client = await served.anotherTeam(tier)
    const { id } = await createMonitor(client, { deliveries: many(cap) })
    if (cap === 25) return
    const over = await client.post('/v1/monitors', { ...MONITOR, deliveries: many(cap + 1) })
    expect([over.status, over.body.error.code]).toEqual([429, 'TIER_LIMIT_EXCEEDED'])
    const edited = await client.patch(`/v1/monitors/${id}`, { deliveries: many(cap + 1) })
    expect([edited.status, edited.body.error.code]).toEqual([429, 'TIER_LIMIT_EXCEEDED'])
    expect((await client.get(`/v1/monitors/${id}`)).body['deliveries']).toHaveLength(cap)
  })
})
