import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { SERVICE_NAMES, SERVICE_TABLE, type ServiceName } from '../../schema/monitor/delivery-services.ts'
import { manifestText, startManifestServer } from '../cli/remote/manifest-server.ts'
import { eventually } from '../support/run/eventually.ts'
import { shared } from '../support/run/shared.ts'
import { openReceiver, type Received, type Receiver, reply } from '../support/worker/receiver.ts'

const page = readFileSync(new URL('../../docs/services.md', import.meta.url), 'utf8')
const texts = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text)

interface Documented {
  readonly method?: string
  /** What stands behind the host of the block. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: object
}

const changed = expect.stringContaining('price: 100 → 250')
/** The message where values stand in a fixed-width font. */
const changedInCode = expect.stringContaining('`100` → `250`')
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)

/** What each service documents as the request of a message, for the address and the options of its block. */
const REQUESTS: Readonly<Record<ServiceName, Documented>> = {
  teams: {
    path: '/workflows/0123/triggers/manual/paths/invoke?sig=0123',
    body: { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive' }] },
  },
  telegram: {
    path: '/bot0123:TOKEN/sendMessage',
    body: { chat_id: '-1001234', parse_mode: 'HTML', text: expect.stringContaining('<code>250</code>') },
  },
  matrix: {
    method: 'PUT',
    path: '/_matrix/client/v3/rooms/!abc%3Aexample.com/send/m.room.message/ID',
    headers: { authorization: 'Bearer syt_0123' },
    body: { msgtype: 'm.text', body: changed },
  },
  mattermost: { path: '/hooks/0123', body: { text: changedInCode } },
  rocket_chat: { path: '/hooks/0123/0123', body: { text: changedInCode } },
  google_chat: {
    path: '/v1/spaces/0123/messages?key=0123&token=0123&requestId=ID',
    body: { cardsV2: [{ cardId: uuid }] },
  },
  ntfy: { path: '/', body: { topic: 'kettle-7f3a', title: 'The ntfy', message: changed } },
  gotify: { path: '/message', headers: { 'x-gotify-key': 'A0123' }, body: { title: 'The gotify', message: changed } },
  pushover: {
    path: '/1/messages.json',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: { token: 'a0123456789', user: 'u0123456789', title: 'The pushover', message: changed },
  },
  pagerduty: {
    path: '/v2/enqueue',
    body: { routing_key: 'R0123456789', event_action: 'trigger', payload: { custom_details: { changes: [changed] } } },
  },
  apprise: { path: '/notify/kettle', body: { title: 'The apprise', type: 'info', format: 'text', body: changed } },
  cloudevents: {
    path: '/',
    headers: { 'content-type': 'application/cloudevents+json' },
    body: { specversion: '1.0', id: uuid, data: { diff: { after: { price: '250' } } } },
  },
  custom: { path: '/messages', headers: { 'content-type': 'text/plain; charset=utf-8' }, body: { text: changed } },
}

const resourceName = (service: ServiceName) => service.replaceAll('_', '-')

/** Returns a manifest of a monitor whose spec ends in the block of the page, with its Secret. */
function manifestOf(service: ServiceName, pageUrl: string, receiver: Receiver): string {
  const text = texts.find((one) => one.includes(`service: ${service}\n`)) ?? ''
  const host = `http://127.0.0.1:${receiver.port}`
  const block = text.replace(/(url: )https:\/\/[^/\s]+/, `$1${host}`).replaceAll(/^(?=.)/gm, '  ')
  const namespace = resourceName(service)
  const monitor = manifestText(namespace, pageUrl, block).replace('namespace: shop', `namespace: ${namespace}`)
  const stringData = Object.fromEntries(
    Object.entries(SERVICE_TABLE[service].options).map(([key, { example }]) => [key, example]),
  )
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'messages', namespace }, stringData }
  return `${monitor}---\n${stringify(secret)}`
}

/** Returns a request as a service documents it. Ids are the word `ID` in its path. */
function documentedOf({ method, path, headers, body }: Received): Documented {
  const type = headers.get('content-type') ?? ''
  const text = body.toString()
  const read = () => {
    if (type.includes('json')) return JSON.parse(text) as object
    return type.includes('form') ? Object.fromEntries(new URLSearchParams(text)) : { text }
  }
  return {
    ...{ method, body: read(), headers: Object.fromEntries(headers) },
    path: path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'ID'),
  }
}

describe('A block of the page of services, applied as it stands but for the host', () => {
  const remote = shared(startManifestServer)
  const receivers = shared(async () => {
    const opened = await Promise.all(SERVICE_NAMES.map(() => openReceiver(reply(200, '{"ok": true}'))))
    return {
      of: (service: ServiceName) => opened[SERVICE_NAMES.indexOf(service)] ?? expect.fail(service),
      close: () => Promise.all(opened.map((one) => one[Symbol.asyncDispose]())),
    }
  })
  beforeAll(async () => {
    remote.site.price('100')
    for (const service of SERVICE_NAMES)
      await remote.write(`services/${service}.yaml`, manifestOf(service, remote.site.url, receivers.of(service)))
    const { stderr } = await remote.sh('./tidemark apply -f services')
    const all = SERVICE_NAMES.map((service) => `${resourceName(service)}/${resourceName(service)}`).join(' ')
    const first = await remote.sh(`./tidemark run ${all} --wait`)
    remote.site.price('250')
    const second = await remote.sh(`./tidemark run ${all} --wait`)
    if (`${stderr} ${first.code} ${second.code}` !== ' 0 0') throw new Error(stderr + first.stderr + second.stderr)
  })

  test.each(SERVICE_NAMES)('sends %s the request that it documents', async (service) => {
    const [request] = await eventually(
      async () => receivers.of(service).requests,
      ({ length }) => length === 1,
    )
    const { headers = {}, method = 'POST', ...rest } = REQUESTS[service]
    const received = documentedOf(request ?? expect.fail('nothing was received'))
    expect(received).toMatchObject({ method, headers, ...rest })
    expect(JSON.stringify(received.body)).toMatch(/100.*250/)
  })
})
