import { createHmac } from 'node:crypto'
import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { row } from '../../../store/db/row.ts'
import { startWatching, type Watched, type Watching } from '../../support/api/watching.ts'
import { eventually } from '../../support/run/eventually.ts'
import { openReceiver, type Received, type Receiver, reply } from '../../support/worker/receiver.ts'

let watching: Watching
let hook: Receiver
beforeAll(async () => {
  watching = await startWatching({ deliver: true })
})
beforeEach(async () => {
  hook = await openReceiver(reply(204))
})
afterEach(() => hook[Symbol.asyncDispose]())
afterAll(() => watching.close())

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const changes = { type: 'field_changes', field: 'value' }

/** Watches a page and tells the receiver of each change of its value. */
const watch = (more: object = {}, headers?: object): Promise<Watched> =>
  watching.watch(
    { value: 'a', other: 1 },
    { diff_predicate: changes, deliveries: [{ type: 'webhook', url: hook.url, ...(headers && { headers }) }], ...more },
  )

/** Changes the page, runs its monitor, and waits for the webhook. */
async function fire(page: Watched, value: unknown): Promise<{ readonly request: Received; readonly runId: string }> {
  const before = hook.requests.length
  page.set({ value, other: 2 })
  const { id: runId } = await page.run()
  const requests = await eventually(
    () => hook.requests,
    (all) => all.length > before,
  )
  const request = requests[before]
  if (!request) throw new Error('no request came')
  return { request, runId }
}

const signatureOf = ({ headers }: Received) => /^t=(\d+),v1=([0-9a-f]+)$/.exec(headers.get('service-signature') ?? '')
const secretOf = async ({ id }: Watched) =>
  (await watching.served.me.get(`/v1/monitors/${id}/signing-secret`)).body.secret
const deliveryOf = async (runId: string) =>
  (await watching.served.me.get(`/v1/runs/${runId}/deliveries`)).body.data[0] as never as {
    readonly id: string
    readonly payload: object
  }

describe('the webhook request carries these headers', () => {
  test('Service-Signature: t=<unix_seconds>,v1=<hex_signature>', async () => {
    const [, seconds = '', signature] = signatureOf((await fire(await watch(), 'b')).request) ?? []
    expect(Math.abs(Number(seconds) - Date.now() / 1000)).toBeLessThan(60)
    expect(signature).toMatch(/^[0-9a-f]{64}$/)
  })

  test('User-Agent: Service/1.0, the Content-Type of the service, and any configured custom headers', async () => {
    const page = await watch({}, { 'X-Team': 'kettles', Authorization: 'Bearer a' })
    const { method, headers } = (await fire(page, 'b')).request
    expect([method, headers.get('user-agent'), headers.get('content-type')]).toEqual([
      'POST',
      'Service/1.0',
      'application/json',
    ])
    expect([headers.get('x-team'), headers.get('authorization')]).toEqual(['kettles', 'Bearer a'])
  })

  test("the signature header, Content-Type and User-Agent are the service's own and cannot be overridden", async () => {
    const mine = {
      'SERVICE-signature': 't=1,v1=mine',
      'content-type': 'text/mine',
      'USER-AGENT': 'mine',
      'x-a': 'mine',
    }
    const { headers } = (await fire(await watch({}, mine), 'b')).request
    expect([headers.get('user-agent'), headers.get('content-type')]).toEqual(['Service/1.0', 'application/json'])
    expect([headers.get('service-signature'), headers.get('x-a')]).toEqual([
      expect.stringMatching(/^t=\d{10},v1=[0-9a-f]{64}$/),
      'mine',
    ])
  })
})

describe('signature', () => {
  const mac = (secret: string, { body }: Received, seconds = '') =>
    createHmac('sha256', secret)
      .update(`${seconds}.${body.toString('utf8')}`)
      .digest('hex')

  test('is the hex HMAC-SHA256 of <timestamp>.<raw_body> with the signing secret of the monitor', async () => {
    const page = await watch()
    const { request } = await fire(page, 'ä "b" 🫖')
    const [, seconds, signature] = signatureOf(request) ?? []
    expect(signature).toBe(mac(await secretOf(page), request, seconds))
  })

  test('the secret is per monitor, 64 hex characters, generated when it first gets a webhook delivery', async () => {
    const { me } = watching.served
    const page = await watch({ deliveries: [] })
    expect(await secretOf(page)).toBeNull()
    await me.patch(`/v1/monitors/${page.id}`, { deliveries: [{ type: 'webhook', url: hook.url }] })
    const secret = await secretOf(page)
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    await me.patch(`/v1/monitors/${page.id}`, { deliveries: [{ type: 'webhook', url: `${hook.url}/2` }] })
    expect(await secretOf(page)).toBe(secret)
    expect(await secretOf(await watch())).not.toBe(secret)
  })

  test('after a rotation the new secret signs', async () => {
    const page = await watch()
    const { secret } = (await watching.served.me.post(`/v1/monitors/${page.id}/signing-secret/rotate`)).body
    const { request } = await fire(page, 'b')
    const [, seconds, signature] = signatureOf(request) ?? []
    expect(signature).toBe(mac(secret, request, seconds))
  })
})

describe('regular monitor payload', () => {
  test('has id, version, monitor_id, run_id, fired_at, diff and monitor, and nothing else', async () => {
    const page = await watch({ name: 'A kettle' })
    const { request, runId } = await fire(page, 'b')
    const { id } = await deliveryOf(runId)
    const payload = JSON.parse(request.body.toString('utf8')) as { readonly fired_at: string }
    expect(payload).toEqual({
      id,
      version: '2026-05-01',
      monitor_id: page.id,
      run_id: runId,
      fired_at: expect.stringMatching(INSTANT),
      diff: { fields_changed: ['value', 'other'], before: { value: 'a', other: 1 }, after: { value: 'b', other: 2 } },
      monitor: { url: page.url, name: 'A kettle' },
    })
    expect(id).toMatch(UUID)
    expect(Math.abs(Date.parse(payload.fired_at) - Date.now())).toBeLessThan(60_000)
  })

  test('the delivery shows the payload that was sent', async () => {
    const { request, runId } = await fire(await watch(), 'b')
    expect((await deliveryOf(runId)).payload).toEqual(JSON.parse(request.body.toString('utf8')))
  })
})

describe('when a delivery fires', () => {
  test('the predicate is true; the first run never fires, nor one without a difference, nor a failed one', async () => {
    const page = await watch()
    await page.run()
    page.set({ value: 'a', other: 7 })
    expect(await page.run()).toMatchObject({ diff: { fields_changed: ['other'] }, delivery_triggered: false })
    page.set('down', 'text/html', 500)
    await page.run()
    await fire(page, 'b')
    expect(hook.requests).toHaveLength(1)
  })

  test('one delivery goes to each destination, and they are listed in the order of the monitor', async () => {
    const other = await openReceiver(reply(200))
    try {
      const deliveries = [
        { type: 'webhook', url: hook.url },
        { type: 'webhook', url: other.url },
        { type: 'slack', webhookUrl: `${other.url}/slack` },
        { type: 'discord', webhookUrl: `${other.url}/discord` },
      ]
      const { runId } = await fire(await watch({ deliveries }), 'b')
      const { data } = (await watching.served.me.get(`/v1/runs/${runId}/deliveries`)).body
      expect(data.map((one) => one['delivery_type'])).toEqual(deliveries.map(({ type }) => type))
      await eventually(
        () => other.requests,
        (all) => all.length === 3,
      )
      expect(other.requests.map(({ path }) => path).sort()).toEqual(['/hook', '/hook/discord', '/hook/slack'])
      expect(new Set(data.map(({ id }) => id)).size).toBe(4)
    } finally {
      await other[Symbol.asyncDispose]()
    }
  })

  test('a destination that is edited between gets what fires from then on', async () => {
    const page = await watch()
    await fire(page, 'b')
    const url = `${hook.url}/new`
    await watching.served.me.patch(`/v1/monitors/${page.id}`, { deliveries: [{ type: 'webhook', url }] })
    expect((await fire(page, 'c')).request.path).toBe('/hook/new')
  })
})

describe('audit', () => {
  const event = row({ action: Type.String(), target_type: Type.String(), target_id: Type.String() })

  test('replaying a delivery records delivery.replayed', async () => {
    const { served } = watching
    await using refusing = await openReceiver(reply(400))
    const page = await watch({ deliveries: [{ type: 'webhook', url: refusing.url }] })
    page.set({ value: 'b' })
    const { id: runId } = await page.run()
    const { id } = await eventually(
      () => deliveryOf(runId) as Promise<{ id: string; status?: string }>,
      ({ status }) => status === 'failed',
    )
    await served.me.post(`/v1/deliveries/${id}/replay`)
    const events = await served.api.services.store.any(sql.type(event)`
      select action, target_type, target_id from audit_events where target_id = ${id}`)
    expect(events).toEqual([{ action: 'delivery.replayed', target_type: 'delivery', target_id: id }])
  })
})
