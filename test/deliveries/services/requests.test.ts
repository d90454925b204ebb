import { describe, expect, test } from 'vitest'
import { createServiceChannel } from '../../../deliveries/channels/service.ts'
import { SERVICE_NAMES } from '../../../schema/monitor/delivery-services.ts'
import { RUN_URL } from '../../support/mail/mailbox.ts'
import { openReceiver, reply } from '../../support/worker/receiver.ts'
import { verifier } from '../../support/worker/signature-verifier.ts'
import { ID, KETTLE, MONITOR, noticeOf, openAgent, SECRET, sendTo, sent } from './sending.ts'

const jsonOf = (body: Buffer) => JSON.parse(body.toString()) as Record<string, unknown>

describe.each(SERVICE_NAMES)('A request to %s', (service) => {
  test('is one signed request, the same on every attempt', async () => {
    const [first, second] = [await sent(service), await sent(service)]
    expect(first.requests).toHaveLength(1)
    const { headers, body, path, method } = first.request
    expect(headers.get('user-agent')).toBe('Service/1.0')
    expect(verifier?.verifyHeader(body, headers.get('service-signature') ?? '', SECRET, 300)).toBe(true)
    expect(first.outcome).toMatchObject({ kind: 'answered', status: 200 })
    expect({ body: second.request.body.toString(), path: second.request.path, method: second.request.method }).toEqual({
      ...{ body: body.toString(), path, method },
    })
  })

  test('follows no redirect', async () => {
    await using elsewhere = await openReceiver()
    const { requests, outcome } = await sent(service, {}, reply(307, '', { location: elsewhere.url }))
    expect(requests).toHaveLength(1)
    expect(elsewhere.contacts).toBe(0)
    expect(outcome).toMatchObject({ kind: 'answered', status: 307 })
  })

  test('is never sent unsigned, nor with a payload that is none', async () => {
    expect(await sendTo(service, 'http://127.0.0.1:1/', { secrets: [] })).toMatchObject({ kind: 'impossible' })
    expect(await sendTo(service, 'http://127.0.0.1:1/', { payload: {} })).toMatchObject({ kind: 'impossible' })
  })
})

describe('The documented request of', () => {
  test('teams is an Adaptive Card as an attachment', async () => {
    const { request } = await sent('teams')
    expect(`${request.method} ${request.path}`).toBe('POST /hook')
    const { type, attachments } = jsonOf(request.body) as { type: string; attachments: { content: object }[] }
    expect(type).toBe('message')
    expect(attachments).toMatchObject([
      { contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard', version: '1.4' } },
    ])
    expect(attachments[0]?.content).toMatchObject({
      body: [
        { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: 'Kettle' }] },
        { inlines: [{ text: 'price: $19.99 → $17.49 (−12.5 %)' }] },
        { inlines: [{ text: 'in_stock: nothing → true' }] },
        { inlines: [{ text: 'example.com/kettle · 1 May 2026 at 12:00 UTC' }] },
      ],
      actions: [
        { type: 'Action.OpenUrl', title: 'See the run', url: RUN_URL },
        { type: 'Action.OpenUrl', title: 'Open the page', url: 'https://example.com/kettle' },
      ],
    })
  })

  test('telegram is sendMessage with HTML and values as code', async () => {
    const { request } = await sent('telegram')
    expect(jsonOf(request.body)).toEqual({
      chat_id: '-1001234',
      message_thread_id: 7,
      text:
        '<b>Kettle</b>\n<b>price</b>: <code>$19.99</code> → <code>$17.49</code> (−12.5 %)\n' +
        `<b>in_stock</b>: <code>nothing</code> → <code>true</code>\n<a href="${RUN_URL}">See the run</a> · ` +
        '<a href="https://example.com/kettle">example.\u200bcom/kettle</a> · 1 May 2026 at 12:00 UTC',
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    })
  })

  test('matrix is a PUT of an event whose transaction is the delivery', async () => {
    const { request } = await sent('matrix')
    const path = `/hook/_matrix/client/v3/rooms/!abc%3Aexample.com/send/m.room.message/${ID}`
    expect(`${request.method} ${request.path}`).toBe(`PUT ${path}`)
    expect(request.headers.get('authorization')).toBe('Bearer syt_secret-token')
    expect(jsonOf(request.body)).toMatchObject({
      ...{ msgtype: 'm.text', format: 'org.matrix.custom.html', 'm.mentions': {} },
      formatted_body: expect.stringContaining('<strong>price</strong>: <code>$19.99</code> → <code>$17.49</code>'),
      body: expect.stringContaining('price: $19.99 → $17.49 (−12.5 %)'),
    })
  })

  test('mattermost and rocket_chat is a text with names and values as code', async () => {
    const text =
      '`Kettle`\n`price`: `$19.99` → `$17.49` (`−12.5 %`)\n`in_stock`: `nothing` → `true`\n' +
      `[See the run](${RUN_URL}) · [example.com/kettle](https://example.com/kettle) · \`1 May 2026 at 12:00 UTC\``
    expect(jsonOf((await sent('mattermost')).request.body)).toEqual({ text, channel: 'town-square' })
    const rocket = jsonOf((await sent('rocket_chat')).request.body)
    const unlinked = text.replace('[example.com', '[example.\u200bcom')
    expect(rocket).toEqual({ text: unlinked, parseUrls: false, alias: 'Kettle watch' })
  })

  test('google_chat is a card, in a thread where one is asked for, under the id of the delivery', async () => {
    const { request } = await sent('google_chat')
    expect(request.path).toBe(`/hook?requestId=${ID}&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD`)
    expect(jsonOf(request.body)).toMatchObject({
      thread: { threadKey: 'kettle' },
      cardsV2: [{ cardId: ID, card: { header: { title: 'Kettle' } } }],
    })
    expect(request.body.toString()).toContain('<b>price</b>: $19.99 → $17.49')
  })

  test('ntfy is JSON with topic, title and message, and opens the run', async () => {
    const { request } = await sent('ntfy')
    expect(request.headers.get('authorization')).toBe('Bearer tk_secret-token')
    expect(jsonOf(request.body)).toEqual({
      ...{ topic: 'kettle-7f3a', title: 'Kettle', priority: 4, tags: ['bell', 'tea'], click: RUN_URL },
      message:
        'price: $19.99 → $17.49 (−12.5 %)\nin_stock: nothing → true\nexample.\u200bcom/kettle · ' +
        '1 May 2026 at 12:00 UTC',
    })
  })

  test('gotify is a message of an application', async () => {
    const { request } = await sent('gotify')
    expect(request.path).toBe('/hook/message')
    expect(request.headers.get('x-gotify-key')).toBe('A-secret-token')
    expect(jsonOf(request.body)).toMatchObject({
      ...{ title: 'Kettle', priority: 5 },
      extras: {
        'client::display': { contentType: 'text/plain' },
        'client::notification': { click: { url: RUN_URL } },
      },
    })
  })

  test('pushover is a form', async () => {
    const { request } = await sent('pushover')
    expect(request.headers.get('content-type')).toBe('application/x-www-form-urlencoded')
    expect(Object.fromEntries(new URLSearchParams(request.body.toString()))).toMatchObject({
      ...{ token: 'a-secret-token', user: 'u-secret-key', sound: 'magic', title: 'Kettle', timestamp: '1777636800' },
      ...{ url: RUN_URL, url_title: 'See the run' },
      message: expect.stringContaining('price: $19.99 → $17.49'),
    })
  })

  test('pagerduty is a trigger of its own incident for a change', async () => {
    const { request } = await sent('pagerduty')
    expect(jsonOf(request.body)).toMatchObject({
      ...{ routing_key: 'R-secret-key', event_action: 'trigger', dedup_key: `tidemark-${ID}`, client_url: RUN_URL },
      payload: { summary: 'Kettle: price and in_stock changed', severity: 'warning', source: 'example.com/kettle' },
    })
  })

  test('pagerduty opens one incident of a monitor that fails, and its recovery resolves it', async () => {
    const of = async (kind: 'failing' | 'recovered', monitor: string | null = MONITOR) =>
      jsonOf((await sent('pagerduty', { payload: noticeOf(kind, monitor), notice: kind })).request.body)
    const [failing, recovered] = [await of('failing'), await of('recovered')]
    expect(failing).toMatchObject({ event_action: 'trigger', dedup_key: `tidemark-failing-${MONITOR}` })
    expect(recovered).toEqual({
      ...{ routing_key: 'R-secret-key', event_action: 'resolve', dedup_key: failing['dedup_key'] },
    })
    expect(await of('failing', null)).toMatchObject({ dedup_key: `tidemark-${ID}` })
  })

  test('apprise is the JSON of its server, as text', async () => {
    const body = jsonOf((await sent('apprise')).request.body)
    expect(body).toMatchObject({ tag: 'all', title: 'Kettle', type: 'info', format: 'text' })
    expect(body['body']).toMatch(/^price: .*UTC\nhttps:\/\/watch/s)
  })

  test('cloudevents is an event in structured mode around the payload', async () => {
    const { request } = await sent('cloudevents')
    expect(request.headers.get('content-type')).toBe('application/cloudevents+json')
    expect(jsonOf(request.body)).toEqual({
      ...{ specversion: '1.0', id: ID, source: `/v1/monitors/${MONITOR}`, type: 'dev.tidemark.change' },
      ...{ time: '2026-05-01T12:00:00.000Z', datacontenttype: 'application/json', data: KETTLE },
    })
    const notice = noticeOf('failing')
    const of = await sent('cloudevents', { payload: notice, notice: 'failing' })
    expect(jsonOf(of.request.body)).toMatchObject({ type: 'dev.tidemark.notice.failing', data: notice })
  })
})

test('A configured header is sent unless it has the name of one of ours', async () => {
  const headers = {
    'X-Proxy': 'blue',
    authorization: 'Basic x',
    'service-signature': 'x',
    'content-type': 'text/plain',
  }
  const { request } = await sent('ntfy', { headers })
  expect(request.headers.get('x-proxy')).toBe('blue')
  expect(request.headers.get('authorization')).toBe('Bearer tk_secret-token')
  expect(request.headers.get('content-type')).toBe('application/json')
  expect(request.headers.get('service-signature')).toMatch(/^t=/)
})

test('A destination without a service gets the stored payload, byte for byte, with the headers of before', async () => {
  await using receiver = await openReceiver()
  const payload = '{"id": "x",\n"text":"ünï"}'
  const config = { type: 'webhook', url: receiver.url, headers: { 'X-Team': 'blue' } } as const
  const message = { id: ID, team: 't', secrets: [SECRET], payload, notice: null, config }
  const ctx = { signal: new AbortController().signal, log: { info: () => {}, warn: () => {}, error: () => {} } }
  const agent = openAgent()
  await createServiceChannel({ agent, links: { dashboardUrl: null } }).send(message, ctx)
  await agent.destroy()
  const [request] = receiver.requests
  expect(request?.body.toString()).toBe(payload)
  expect([...(request?.headers.keys() ?? [])].filter((name) => !['host', 'connection'].includes(name))).toEqual([
    ...['x-team', 'service-signature', 'user-agent', 'content-type', 'content-length'],
  ])
  expect(request?.headers.get('content-type')).toBe('application/json')
})

test('A notice has its kind in a header', async () => {
  const { request } = await sent('ntfy', { payload: noticeOf('failing'), notice: 'failing' })
  expect(request.headers.get('service-event')).toBe('notice.failing')
  expect(jsonOf(request.body)).toMatchObject({ title: 'Kettle: failing' })
})
