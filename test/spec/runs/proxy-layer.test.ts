import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { proxyHold, proxyLayerOf } from '../../../boot/parts/proxy.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { Tier } from '../../../schema/account/plan.ts'
import { createPreviews, type Previews } from '../../../worker/previews/previews.ts'
import { createMonitor, MONITOR } from '../../support/api/monitor-requests.ts'
import { type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { EXIT_ADDRESS, PASSWORD, type ProxyServer, startProxy, USER } from '../../support/network/proxy-server.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type RunningWorker, startWorker } from '../../support/worker/check-worker.ts'

interface Run {
  readonly status: string
  readonly extracted: object
  readonly diff: object
  readonly fetch_method: string | null
  readonly error_code: string | null
  readonly error_message: string | null
}

/** A site that serves only who comes from elsewhere. */
let refusal: { status: number; headers?: Record<string, string>; body?: string } = { status: 403 }
let price = '$1'
let refusesAll = false
let requests: IncomingMessage[] = []
const site = createServer((request, response) => {
  requests.push(request)
  if (!refusesAll && request.socket.remoteAddress === EXIT_ADDRESS) response.end(`<b class="price">${price}</b>`)
  else response.writeHead(refusal.status, refusal.headers).end(refusal.body ?? 'no')
})
let url = ''
let served: ServedApi
let proxy: ProxyServer
let worker: RunningWorker
let previews: Previews

beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/kettle`
  proxy = await startProxy()
  const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
  const log = { warn: () => {}, error: () => {} }
  const layer = proxyLayerOf({ settings: { TIDEMARK_PROXY_URL: proxy.url }, egress, log })
  if (!layer) throw new Error('there is no proxy')
  previews = createPreviews({
    egress,
    proxy: { layer, holdFor: (teamId) => proxyHold(served.api.services.store, { teamId }, log) },
  })
  served = await serveApi('scale', { egress, previews })
  const { databaseUrl, services } = served.api
  worker = await startWorker({ url: databaseUrl, secrets: services.secrets, proxyUrl: proxy.url })
})
beforeEach(() => {
  refusal = { status: 403 }
  price = '$1'
  refusesAll = false
  requests = []
})
afterAll(async () => {
  await worker.stop(5_000)
  await previews.close()
  await served.close()
  await proxy[Symbol.asyncDispose]()
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
})

/** A team of its own, with the proxy switched on or not. */
async function team(plan: Tier = 'starter', proxy_enabled = true) {
  const client = await served.anotherTeam(plan)
  // The switch takes a person: an API key may not change settings.
  const { status } = await served.as(client.owner.session_token).patch('/v1/settings', { proxy_enabled })
  expect(status).toBe(200)
  return client
}

const ended = async (client: Client, read: () => Promise<Run | undefined>) => {
  const run = await eventually(read, (found) => found !== undefined && found.status !== 'running')
  if (!run) throw new Error('there is no run')
  return { run, used: Number((await client.get('/v1/usage')).body['proxyBytesThisMonth']) }
}

async function watch(client: Client, more: object = {}) {
  const { id } = await createMonitor(client, { url, schedule_interval_seconds: 86_400, ...more })
  const first = await ended(
    client,
    async () => (await client.get(`/v1/monitors/${id}/runs`)).body.data[0] as unknown as Run,
  )
  const again = async () => {
    const { body } = await client.post(`/v1/monitors/${id}/run`)
    return ended(client, async () => (await client.get(`/v1/runs/${body.run_id}`)).body as unknown as Run)
  }
  return { ...first, again }
}

const refusals: [typeof refusal][] = [
  [{ status: 403 }],
  [{ status: 429 }],
  [{ status: 503, body: '<script src="/cdn-cgi/challenge-platform/x"></script>' }],
  [{ status: 200, headers: { 'cf-mitigated': 'challenge' } }],
]

describe('the proxy layer', () => {
  test.each(refusals)('answers a check that was refused with %j, and the run says so', async (refused) => {
    refusal = refused
    const { run } = await watch(await team())
    expect(run).toMatchObject({
      status: 'success',
      fetch_method: 'proxy',
      extracted: { price: '$1' },
      error_message: null,
    })
    expect(requests.map(({ socket }) => socket.remoteAddress === EXIT_ADDRESS)).toEqual([false, true])
  })

  test('is compared as any other layer is: unchanged pages and changes', async () => {
    const { again } = await watch(await team())
    expect((await again()).run).toMatchObject({ status: 'success', fetch_method: 'proxy', diff: {} })
    price = '$2'
    expect((await again()).run).toMatchObject({ diff: { before: { price: '$1' }, after: { price: '$2' } } })
  })

  test('is not asked while the site answers directly', async () => {
    refusal = { status: 200, body: '<b class="price">$3</b>' }
    const { run, used } = await watch(await team())
    expect(run).toMatchObject({ fetch_method: 'static', extracted: { price: '$3' } })
    expect([used, requests.length]).toEqual([0, 1])
  })

  test.each([401, 404, 500])('is not asked for status %s: no other way would help', async (status) => {
    refusal = { status }
    const { run, used } = await watch(await team())
    expect(run).toMatchObject({ status: 'error', fetch_method: 'static' })
    expect([used, requests.length]).toEqual([0, 1])
  })

  test('is not asked where the site names a time at which it may be asked again', async () => {
    refusal = { status: 429, headers: { 'retry-after': '60' } }
    const { run, used } = await watch(await team())
    expect(run).toMatchObject({ status: 'error', fetch_method: 'static', error_code: 'blocked' })
    expect([used, requests.length]).toEqual([0, 1])
  })

  test('is never used by a monitor with a request_config', async () => {
    const { run, used } = await watch(await team(), { request_config: { method: 'GET' } })
    expect(run).toMatchObject({ status: 'error', fetch_method: 'static', error_code: 'blocked' })
    expect([used, requests.length]).toEqual([0, 1])
  })

  test('is only for teams whose setting proxy_enabled is on', async () => {
    const { run, used } = await watch(await team('scale', false))
    expect(run).toMatchObject({ status: 'error', fetch_method: 'static', error_code: 'blocked' })
    expect(run.error_message).toContain('proxy_enabled')
    expect([used, requests.length]).toEqual([0, 1])
  })

  test.each(['free', 'lite'] as const)('is not part of the plan %s', async (plan) => {
    const { run } = await watch(await team(plan))
    expect(run).toMatchObject({ status: 'error', fetch_method: 'static', error_code: 'blocked' })
    expect(requests).toHaveLength(1)
  })

  test('counts the bytes of the wire for the team, and GET /v1/usage shows them', async () => {
    const client = await team()
    const { used, again } = await watch(client)
    expect(used).toBeGreaterThan(300)
    const { used: twice } = await again()
    expect(Math.abs(twice - used * 2)).toBeLessThan(20)
    expect((await client.get('/v1/usage')).body['limits']).toMatchObject({ proxyBytesPerMonth: 52_428_800 })
    expect((await (await team()).get('/v1/usage')).body).toMatchObject({ proxyBytesThisMonth: 0 })
  })

  test("ends where the plan's proxyBytesPerMonth is used up", async () => {
    const client = await team()
    await served.api.sql(`update team_usage set proxy_bytes_used = 52428800 where team_id = '${client.owner.team_id}'`)
    const { run, used } = await watch(client)
    expect(run).toMatchObject({ status: 'error', fetch_method: 'static', error_code: 'blocked' })
    expect(run.error_message).toContain('proxyBytesPerMonth is used up')
    expect([used, requests.length]).toEqual([52_428_800, 1])
  })

  test('goes no further than what is left of it', async () => {
    const client = await team()
    price = 'x'.repeat(2_000_000)
    await served.api.sql(
      `update team_usage set proxy_bytes_used = 52428800 - 50000 where team_id = '${client.owner.team_id}'`,
    )
    const { run, used } = await watch(client)
    expect(run).toMatchObject({ status: 'error', fetch_method: 'proxy', error_code: 'too_large' })
    expect(used).toBeGreaterThan(52_428_800)
    expect(used - 52_428_800).toBeLessThan(500_000)
  })

  test('that is refused as well says so', async () => {
    refusesAll = true
    const { run } = await watch(await team())
    expect(run).toMatchObject({ status: 'error', fetch_method: 'proxy', error_code: 'blocked' })
    expect(run.error_message).toMatch(/^Through the proxy too: 127\.0\.0\.1:\d+ answered with status 403/)
  })

  test('of a preview is the same, and counted for the same team', async () => {
    const client = await team()
    const { body } = await client.post('/v1/monitors/preview', { ...MONITOR, url })
    expect(body).toMatchObject({ status: 'success', fetch_method: 'proxy', http_status: 200, fields: { price: '$1' } })
    expect(Number((await client.get('/v1/usage')).body['proxyBytesThisMonth'])).toBeGreaterThan(300)
  })
})

test('a proxy that refuses its login fails the run; neither the run nor the log shows who we are to it', async () => {
  const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
  const own = await serveApi('scale', { egress })
  const proxyUrl = proxy.url.replace(encodeURIComponent(PASSWORD), 'wrong-word')
  const other = await startWorker({ url: own.api.databaseUrl, secrets: own.api.services.secrets, proxyUrl })
  await own.as(own.owner.session_token).patch('/v1/settings', { proxy_enabled: true })
  const { run, used } = await watch(own.me)
  await other.stop(5_000)
  await own.close()
  expect(run).toMatchObject({ status: 'error', fetch_method: 'proxy', error_code: 'proxy_failed' })
  expect(run.error_message).toContain('refused the credentials')
  expect(used).toBeGreaterThan(0)
  expect(other.log).toHaveLength(1)
  for (const secret of [USER, PASSWORD, encodeURIComponent(PASSWORD), 'wrong-word'])
    expect(JSON.stringify([run, other.log])).not.toContain(secret)
})
