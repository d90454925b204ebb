import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createChannels } from '../../../deliveries/channels/channels.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { SERVICE_NAMES } from '../../../schema/monitor/delivery-services.ts'
import type { DeliveryRequest, DeliveryTest } from '../../../schema/run/delivery-test.ts'
import { TESTS_PER_MINUTE } from '../../../schema/run/delivery-test.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { createMonitor, pathsOf } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { type Answer, type Client, serveApi, type ServedApi } from '../../support/api/served-api.ts'
import { FROM, mailerTo } from '../../support/mail/mail-sending.ts'
import { type Mailbox, openMailbox } from '../../support/mail/mailbox.ts'
import { neededOf } from '../../support/services/every-service.ts'
import { openReceiver, reply } from '../../support/worker/receiver.ts'
import { verifier } from '../../support/worker/signature-verifier.ts'

const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
const agent = createGuardedAgent(egress)
const strict = createGuardedAgent(createPolicy({ allowPrivateCidrs: [], neverAllow: [] }))

let mailbox: Mailbox
let mailer: ReturnType<typeof mailerTo>
let served: ServedApi
/** A team that has no test behind it. */
let team: Client & { readonly owner: CreatedOwner }

beforeAll(async () => {
  mailbox = await openMailbox()
  mailer = mailerTo(`smtp://127.0.0.1:${mailbox.port}`)
  const channels = createChannels({ agent, mailer, dashboardUrl: 'https://tide.example' })
  served = await serveApi('scale', { egress, channels })
})
beforeEach(async () => {
  team = await served.anotherTeam()
})
afterAll(async () => {
  await served.close()
  mailer.close()
  await mailbox[Symbol.asyncDispose]()
  await agent.destroy()
  await strict.destroy()
})

const tested = async (client: Client, body: object): Promise<DeliveryTest> => {
  const answer: Answer = await client.post('/v1/deliveries/test', body)
  expect(answer.body).not.toHaveProperty('error')
  expect(answer.status).toBe(200)
  return answer.body as unknown as DeliveryTest
}
const httpOf = (request: DeliveryRequest) => {
  if (request.via !== 'http') throw new Error(`it is sent by ${request.via}`)
  return request
}
const CHANGE = { fields_changed: ['price'], before: { price: '$3' }, after: { price: '$2' } }

describe('POST /v1/deliveries/test', () => {
  test('marks a body of the user by the name of the monitor', async () => {
    await using receiver = await openReceiver()
    const body = '{"of": "{{monitor.name}}", "price": "{{fields.price.after}}"}'
    await tested(team, { delivery: { type: 'webhook', url: receiver.url, service: 'custom', body } })
    expect(JSON.parse(String(receiver.requests[0]?.body))).toMatchObject({ of: 'Test: Example' })
  })

  test('says where a body that looks like JSON is none, and sends it as text', async () => {
    await using receiver = await openReceiver()
    const delivery = {
      type: 'webhook',
      url: receiver.url,
      service: 'custom',
      body: '{"price": {{fields.price.after}}}',
    }
    const { request } = await tested(team, { delivery })
    expect(httpOf(request).warnings).toEqual([
      expect.stringContaining('body is sent as text, because it is not JSON: line 1, column 12: '),
    ])
    expect(receiver.requests[0]?.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const json = { ...delivery, body: '{"price": "{{fields.price.after}}"}' }
    expect((await tested(team, { delivery: json })).request).not.toHaveProperty('warnings')
    const { id } = await createMonitor(team, { deliveries: [json, delivery] })
    const { body } = await team.get(`/v1/monitors/${id}`)
    expect(body).toMatchObject({ warnings: [expect.stringMatching(/^deliveries\[1\]\.body is sent as text/)] })
  })

  test('sends one signed webhook with a made-up change and test at its end, and shows it', async () => {
    await using receiver = await openReceiver(reply(202, 'thanks'))
    const delivery = { type: 'webhook', url: receiver.url, headers: { 'X-Key': 'a long secret' } }
    const result = await tested(team, { delivery })
    expect(receiver.requests).toHaveLength(1)
    const [got] = receiver.requests
    const payload = JSON.parse(String(got?.body))
    expect(Object.keys(payload).at(-1)).toBe('test')
    expect(payload).toMatchObject({ monitor: { name: 'Example' }, diff: { fields_changed: ['price'] }, test: true })
    expect(payload).not.toHaveProperty('numeric_fields')
    expect(got?.headers.get('x-key')).toBe('a long secret')
    const signature = got?.headers.get('service-signature') ?? ''
    expect(verifier?.verifyHeader(String(got?.body), signature, result.signing_secret ?? '')).toBe(true)
    expect(result).toMatchObject({ status: 'success', is_final: true, response_status: 202, response_body: 'thanks' })
    expect(result.run_id).toBeNull()
    const { method, url, headers, body } = httpOf(result.request)
    expect(body).toBe(String(got?.body))
    expect([method, url]).toEqual([got?.method, `http://127.0.0.1:${receiver.port}/********`])
    expect(headers).toEqual({
      'X-Key': '********',
      'Service-Signature': signature,
      'User-Agent': 'Service/1.0',
      'Content-Type': 'application/json',
    })
  })

  test('sends the message of a service, and hides its secret options in what it shows', async () => {
    await using receiver = await openReceiver(reply(202, '{"status":"success"}'))
    const options = { routing_key: 'R-secret-key' }
    const result = await tested(team, {
      delivery: { type: 'webhook', service: 'pagerduty', url: receiver.url, options },
    })
    const [got] = receiver.requests
    expect(JSON.parse(String(got?.body))).toMatchObject({ ...options, event_action: 'trigger' })
    const { body, headers } = httpOf(result.request)
    expect(JSON.parse(body)).toEqual({ ...JSON.parse(String(got?.body)), routing_key: '********' })
    expect(headers['Content-Type']).toBe('application/json')
    const ntfy = {
      type: 'webhook',
      service: 'ntfy',
      url: receiver.url,
      options: { topic: 'message', token: 'tk_secret' },
    }
    const shown = httpOf((await tested(team, { delivery: ntfy })).request)
    expect(receiver.requests[1]?.headers.get('authorization')).toBe('Bearer tk_secret')
    expect(JSON.stringify(shown)).not.toContain('tk_secret')
    // A key of the JSON, or a word of the message, stays though it equals a secret.
    expect(JSON.parse(shown.body)).toMatchObject({ topic: '********', message: expect.any(String) })
    const matrix = { room_id: '!abc:example.com', access_token: 'syt_secret' }
    const put = await tested(team, {
      delivery: { type: 'webhook', service: 'matrix', url: receiver.url, options: matrix },
    })
    expect([receiver.requests[2]?.method, httpOf(put.request).method]).toEqual(['PUT', 'PUT'])
    expect(JSON.stringify(put.request)).not.toContain('syt_secret')
  })

  test('sends the change of the last run that fired to a destination of a monitor, signed by it', async () => {
    await using receiver = await openReceiver()
    const deliveries = [
      { type: 'slack', webhookUrl: 'https://hooks.slack.example/x' },
      { type: 'webhook', url: receiver.url },
    ]
    const { id } = await createMonitor(team, { deliveries })
    const runId = await seedRun(served.api.services, id, { triggered: true, extracted: CHANGE.after, diff: CHANGE })
    await seedRun(served.api.services, id, { extracted: { price: '$1' }, diff: { ...CHANGE, after: { price: '$1' } } })
    const { body: signing } = await team.get(`/v1/monitors/${id}/signing-secret`)
    const result = await tested(team, { monitor_id: id, index: 1 })
    expect(result).toMatchObject({ status: 'success', run_id: runId })
    expect(result).not.toHaveProperty('signing_secret')
    const [got] = receiver.requests
    expect(JSON.parse(String(got?.body))).toMatchObject({ monitor_id: id, run_id: runId, diff: CHANGE, test: true })
    const signature = got?.headers.get('service-signature') ?? ''
    expect(verifier?.verifyHeader(String(got?.body), signature, signing.secret)).toBe(true)
  })

  test('sends what the messages of that run had, which its difference alone does not tell', async () => {
    await using receiver = await openReceiver()
    const search = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }
    const deliveries = [{ type: 'webhook', url: receiver.url }]
    const { body: made } = await team.post('/v1/serp-monitors', { ...search, deliveries })
    const runId = await seedRun(served.api.services, made.id, { triggered: true, results: [] })
    const serp = { keyword: 'kettle', target_domain: 'example.com', rank: 1, previous_rank: 4, rank_delta: 3 }
    await seedDelivery(served.api.services, runId, {
      status: 'success',
      payload: {
        version: '2026-05-01',
        monitor_id: made.id,
        run_id: runId,
        fired_at: '2026-05-01T12:00:00.000Z',
        diff: { fields_changed: [], before: {}, after: {} },
        monitor: { url: 'https://search.example/', name: 'Rank' },
        serp,
      },
    })
    expect(await tested(team, { monitor_id: made.id })).toMatchObject({ run_id: runId })
    expect(JSON.parse(String(receiver.requests[0]?.body))).toMatchObject({ run_id: runId, serp, test: true })
  })

  test.each(['slack', 'discord'] as const)('says in the headline of %s that it is a test', async (type) => {
    await using receiver = await openReceiver(reply(400, 'no such channel'))
    const result = await tested(team, { delivery: { type, webhookUrl: receiver.url } })
    const body = String(receiver.requests[0]?.body)
    expect(body).toContain(type === 'slack' ? '"text":"Test: Example: price' : '"title":"Test: Example"')
    // The run is made up, so no page shows it.
    expect(body).not.toContain('See the run')
    expect(httpOf(result.request).body).toBe(body)
    expect(result).toMatchObject({ status: 'failed', is_final: true, response_status: 400 })
    expect(result.response_body).toBe('no such channel')
  })

  test.each(SERVICE_NAMES)('marks the message to %s as a test', async (service) => {
    await using receiver = await openReceiver(reply(202, '{"ok": true}'))
    await tested(team, { delivery: { type: 'webhook', service, url: receiver.url, options: neededOf(service) } })
    expect(receiver.requests).toHaveLength(1)
    const body = String(receiver.requests[0]?.body)
    const text = service === 'pushover' ? [...new URLSearchParams(body).values()].join('\n') : body
    if (service === 'cloudevents') {
      const { data } = JSON.parse(body)
      expect([Object.keys(data).at(-1), data.test]).toEqual(['test', true])
    } else expect(text.replaceAll('\u200b', '')).toContain('Test: Example')
  })

  test('mails members of the team, and nobody else', async () => {
    const to = team.owner.email
    const result = await tested(team, { delivery: { type: 'email', to: to.replace('owner', 'Owner') } })
    expect(result).toMatchObject({ status: 'success', response_status: 250 })
    const [letter] = mailbox.letters
    expect(letter).toMatchObject({ from: FROM, to: [to.replace('owner', 'Owner')] })
    expect(letter?.mail.subject).toMatch(/^Test: Example: price/)
    expect(result.request).toMatchObject({ via: 'mail', subject: letter?.mail.subject })
    const others = await team.post('/v1/deliveries/test', { delivery: { type: 'email', to: served.owner.email } })
    expect(pathsOf(others)).toEqual(['delivery.to'])
    const deliveries = [{ type: 'email', to: 'ops@example.org' }]
    const { id } = await createMonitor(team, { deliveries })
    expect(pathsOf(await team.post('/v1/deliveries/test', { monitor_id: id }))).toEqual(['index'])
    expect(mailbox.letters).toHaveLength(1)
  })

  test('stores no delivery and no run, and a line in the audit log', async () => {
    await using receiver = await openReceiver()
    const { id } = await createMonitor(team, { deliveries: [{ type: 'webhook', url: receiver.url }] })
    await tested(team, { monitor_id: id })
    expect((await team.get('/v1/deliveries')).body.data).toEqual([])
    expect((await team.get(`/v1/monitors/${id}/runs`)).body.data).toEqual([])
    const { body } = await team.get('/v1/team/audit?action=delivery.tested')
    const metadata = { type: 'webhook', destination: `127.0.0.1:${receiver.port}`, monitor_id: id, index: 0 }
    expect(body.data).toMatchObject([{ target_type: 'delivery', target_id: null, target_label: 'Prices', metadata }])
  })

  test('refuses what no monitor may have, with its path', async () => {
    const of = async (body: object) => pathsOf(await team.post('/v1/deliveries/test', body))
    const webhook = { type: 'webhook', url: 'https://example.com/' }
    expect(await of({})).toEqual([''])
    expect(await of({ index: 1 })).toEqual(['index'])
    expect(await of({ delivery: webhook, monitor_id: crypto.randomUUID() })).toEqual(['delivery', 'monitor_id'])
    expect(await of({ delivery: { type: 'webhook' } })).toEqual(['delivery.url'])
    expect(await of({ delivery: { ...webhook, url: 'http://10.0.0.1/' } })).toEqual(['delivery.url'])
    expect(await of({ delivery: { ...webhook, headers: { 'X-Key': '********' } } })).toEqual([
      'delivery.headers["X-Key"]',
    ])
    const { id } = await createMonitor(team)
    expect(await of({ monitor_id: id })).toEqual(['index'])
    const foreign = await createMonitor(served.me, { deliveries: [webhook] })
    expect(await team.post('/v1/deliveries/test', { monitor_id: foreign.id })).toMatchObject({ status: 404 })
  })

  test('reaches nothing that a delivery cannot', async () => {
    await using receiver = await openReceiver()
    const channels = createChannels({ agent: strict, mailer: null, dashboardUrl: null })
    const closed = await serveApi('scale', { egress, channels })
    try {
      const result = await tested(closed.me, { delivery: { type: 'webhook', url: receiver.url } })
      expect(result).toMatchObject({ status: 'failed', is_final: false, response_status: null })
      expect(result.response_body).toContain('The destination is not allowed')
      expect(receiver.contacts).toBe(0)
      const mail = await tested(closed.me, { delivery: { type: 'email', to: closed.owner.email } })
      expect(mail.request).toMatchObject({ via: 'none', message: expect.stringContaining('no mail server') })
    } finally {
      await closed.close()
    }
  })

  test('is allowed so many times a minute for each team', async () => {
    // So far into a minute that it does not end here.
    const offset = 5_000 - (Date.now() % 60_000)
    const database = new URL(served.api.databaseUrl).pathname.slice(1)
    await served.api.sql(`alter database ${database} set tidemark.clock_offset = '${offset} milliseconds'`)
    await using receiver = await openReceiver()
    const body = { delivery: { type: 'webhook', url: receiver.url } }
    const statuses: number[] = []
    for (let nth = 0; nth < TESTS_PER_MINUTE; nth++)
      statuses.push((await team.post('/v1/deliveries/test', body)).status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    const refused = await team.post('/v1/deliveries/test', body)
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const another = await served.anotherTeam()
    expect((await another.post('/v1/deliveries/test', body)).status).toBe(200)
    expect(receiver.requests).toHaveLength(TESTS_PER_MINUTE + 1)
  })

  test('ends when the request is closed', async () => {
    await using receiver = await openReceiver(() => {})
    const closing = new AbortController()
    const { figures } = served.api.services.work
    const answer = fetch(`${served.baseUrl}/v1/deliveries/test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${team.owner.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ delivery: { type: 'webhook', url: receiver.url } }),
      signal: closing.signal,
    }).catch(() => null)
    await expect.poll(() => receiver.requests.length).toBe(1)
    expect(figures.delivery_test.working).toBe(1)
    closing.abort()
    await expect.poll(() => figures.delivery_test.working).toBe(0)
    expect(await answer).toBeNull()
  })

  test('is not for those who may not change monitors', async () => {
    const viewer = served.as(await served.api.member(team.owner, 'viewer'))
    const reader = served.as(await served.api.key(team.owner, 'read'))
    const body = { delivery: { type: 'webhook', url: 'https://example.com/' } }
    for (const one of [viewer, reader]) expect((await one.post('/v1/deliveries/test', body)).status).toBe(403)
  })
})

describe('GET /v1/deliveries/{id}/request', () => {
  const payload = {
    monitor_id: 'm',
    run_id: 'r',
    fired_at: '2026-05-01T12:00:00.000Z',
    diff: CHANGE,
    monitor: { url: 'https://example.com/', name: 'Prices' },
  }

  test('shows what is sent without secrets and signature, to those who read, and sends nothing', async () => {
    await using receiver = await openReceiver()
    const { id } = await createMonitor(team)
    const runId = await seedRun(served.api.services, id, { triggered: true })
    const config = { type: 'webhook', url: `${receiver.url}?key=hidden`, headers: { 'X-Key': 'hidden too' } } as const
    const delivery = await seedDelivery(served.api.services, runId, { config, payload })
    const viewer = served.as(await served.api.member(team.owner, 'viewer'))
    const { status, body } = await viewer.get(`/v1/deliveries/${delivery}/request`)
    expect(status).toBe(200)
    const shown = httpOf(body as unknown as DeliveryRequest)
    expect(JSON.stringify(shown)).not.toContain('hidden')
    expect(JSON.parse(shown.body)).toEqual({ id: delivery, ...payload })
    expect(shown.headers['Service-Signature']).toMatch(/^t=\d+,v1=\*{8}$/)
    expect(receiver.contacts).toBe(0)
  })

  test('shows the body of a chat, and the parts of a mail', async () => {
    const { id } = await createMonitor(team)
    const runId = await seedRun(served.api.services, id, { triggered: true })
    const of = async (config: Parameters<typeof seedDelivery>[2] & object) => {
      const delivery = await seedDelivery(served.api.services, runId, { ...config, payload })
      return (await team.get(`/v1/deliveries/${delivery}/request`)).body
    }
    const slack = await of({ config: { type: 'slack', webhookUrl: 'https://hooks.slack.example/services/key' } })
    expect(slack).toMatchObject({ via: 'http', url: 'https://hooks.slack.example/********' })
    expect(slack['body']).toContain('$3 → $2')
    const mail = await of({ config: { type: 'email', to: 'ops@example.com' } })
    expect(mail).toMatchObject({ via: 'mail', to: 'ops@example.com', text: expect.stringContaining('$3 → $2') })
  })

  test('is of the team’s own deliveries alone', async () => {
    const { id } = await createMonitor(served.me)
    const delivery = await seedDelivery(served.api.services, await seedRun(served.api.services, id), { payload })
    expect((await team.get(`/v1/deliveries/${delivery}/request`)).status).toBe(404)
  })
})
