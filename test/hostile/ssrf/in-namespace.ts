import { createServer, type Server } from 'node:http'
import type { Channels } from '../../../deliveries/channels/channel.ts'
import { createChannels } from '../../../deliveries/channels/channels.ts'
import type { Lookup } from '../../../egress/dns-lookup.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { createResolver } from '../../../egress/resolve.ts'
import { createExtractor } from '../../../runners/extract/pool/extractor.ts'
import { createPageReader } from '../../../runners/fetch/paging/page-reader.ts'
import type { RequestConfig } from '../../../schema/monitor/request-config.ts'
import { preview } from '../../../worker/previews/preview.ts'
import { DENIED_ADDRESSES } from '../../support/network/addresses.ts'
import { knock, listenEverywhere, PUBLIC, SITE_PORT, takeAddresses } from './counted.ts'
import type { PlaceReport, Report } from './report.ts'
import { HANGING, NAMES, REBINDING, REFUSED_URLS } from './vectors.ts'

/**
 * Runs in a network namespace of its own, with nothing but loopback: every denied address that can be had is an address
 * of it, and something listens there. The egress guard is as it is delivered, without one setting that opens anything;
 * the site at the public address is the only one that may be reached.
 */

const OWN_PORT = 8082
const PORTS = [80, 443, 8080, 8443, 8888, 22, 25, 6379, 10250, OWN_PORT]
/** Public, and no targets: ports of other services, and an endpoint of the installation itself. */
const PUBLIC_BUT_NOT = [22, 25, 6379, 10250, OWN_PORT].map((port) => `http://${PUBLIC}:${port}/`)
const STATUSES = [301, 302, 303, 307, 308]
const PAYLOAD = JSON.stringify({
  monitor_id: 'm',
  run_id: 'r',
  fired_at: '2026-01-01T00:00:00.000Z',
  diff: { fields_changed: ['a'], before: { a: 1 }, after: { a: 2 } },
  monitor: { url: 'https://example.com/', name: 'M' },
})

const asked = new Map<string, number>()
const lookup: Lookup = async (name) => {
  if (name === HANGING) return new Promise(() => {})
  const nth = asked.get(name) ?? 0
  asked.set(name, nth + 1)
  const answers = name === REBINDING ? [[PUBLIC], ['127.0.0.1']] : (NAMES[name] ?? NAMES[`${name}.`])
  const answer = answers?.[Math.min(nth, answers.length - 1)]
  if (!answer || answer.length === 0) throw Object.assign(new Error(name), { code: 'ENOTFOUND' })
  return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

const policy = createPolicy({ allowPrivateCidrs: [], neverAllow: [{ host: PUBLIC, port: OWN_PORT }] })
const agent = createGuardedAgent(policy, {
  resolver: createResolver({ lookup, cacheMs: 0, timeoutMs: 100 }),
  connectMs: 500,
})
const extractor = createExtractor({ threads: 1 })
const pages = createPageReader()
const channels = createChannels({ agent, mailer: null, dashboardUrl: 'https://tidemark.example' })
const signal = new AbortController().signal

const names = [...Object.keys(NAMES), HANGING].map((name) => `http://${name}/`)
const vectors = [...REFUSED_URLS, ...PUBLIC_BUT_NOT, ...names]

async function run(url: string, request: RequestConfig | null = null): Promise<string> {
  const done = await preview(
    {
      url,
      extract_config: request
        ? { method: 'json_path', fields: { it: '$.items' } }
        : { method: 'css', fields: { it: 'p' } },
      fetch_mode: 'auto',
      request_config: request,
      request_headers: null,
      visual_config: null,
    },
    { agent, extractor, pages, signal, deadlineMs: 3_000 },
  )
  return done === null ? 'stopped' : `${done.error_code ?? JSON.stringify(done.fields)} ${done.error_message ?? ''}`
}

async function send(type: Exclude<keyof Channels, 'email'>, url: string): Promise<string> {
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const message = { id: 'd', team: 't', payload: PAYLOAD, secrets: ['a'.repeat(64)] }
  const ctx = { signal, log }
  const outcome =
    type === 'webhook'
      ? await channels.webhook.send({ ...message, config: { type, url } }, ctx)
      : await channels[type].send({ ...message, config: { type, webhookUrl: url } } as never, ctx)
  return outcome.kind === 'answered' ? `answered ${outcome.status}` : outcome.kind
}

/**
 * A redirect cannot hold a line break or a NUL, which no server could send; `example.com` in one is a page of the site
 * itself.
 */
const isRedirectable = (vector: string) => !/[\r\n\0]/.test(vector) && vector !== 'example.com'

function openSite(): Promise<Server> {
  const site = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://site.example')
    const to = vectors[Number(searchParams.get('to'))] ?? ''
    // As it is, in UTF-8.
    const location = Buffer.from(to).toString('latin1')
    // What else could lead on: headers and markup that browsers follow.
    if (pathname === '/refresh') {
      response.writeHead(200, {
        'content-type': 'text/html',
        refresh: `0; url=${location}`,
        link: `<${location}>; rel="next"`,
      })
      response.end(
        `<meta http-equiv="refresh" content="0; url=${to}"><base href="${to}"><p>page</p><iframe ` +
          `src="${to}"></iframe><img src="${to}">`,
      )
    } else if (pathname === '/list') {
      response.writeHead(200, { 'content-type': 'application/json', link: `<${location}>; rel="next"` })
      response.end(JSON.stringify({ items: ['page'], next: to }))
    } else response.writeHead(Number(pathname.slice(1)), { location }).end()
  })
  return new Promise((resolve) => site.listen(SITE_PORT, PUBLIC, 1024, () => resolve(site)))
}

const through = (path: string | number, to: string) => `http://${PUBLIC}:${SITE_PORT}/${path}?to=${vectors.indexOf(to)}`

async function tryAll(
  tries: readonly (readonly [vector: string, what: () => Promise<string>])[],
): Promise<PlaceReport> {
  const outcomes: Record<string, string> = {}
  const contacts: Record<string, number> = {}
  // A few at a time: one after the other they take half a minute, all at once the site's backlog.
  for (let at = 0; at < tries.length; at += 20)
    await Promise.all(
      tries.slice(at, at + 20).map(async ([vector, what]) => (outcomes[vector.slice(0, 100)] = await what())),
    )
  for (const [where, count] of Object.entries(everywhere.take())) contacts[where] = count
  return { tried: tries.length, contacts, outcomes }
}

const bound = takeAddresses([PUBLIC, ...new Set(DENIED_ADDRESSES)])
const site = await openSite()
const everywhere = await listenEverywhere(PORTS)
const counted: string[] = []
for (const address of ['127.0.0.1', '::1', ...bound]) if (await knock(address, 80)) counted.push(address)
const seen = everywhere.take()
const total = Object.values(seen).reduce((sum, count) => sum + count, 0)
if (total !== counted.length) throw new Error(`knocked ${counted.length} times, counted ${total}`)

const redirected = vectors.filter(isRedirectable)
const places: Record<string, PlaceReport> = {
  'monitor URL': await tryAll(vectors.map((url) => [url, () => run(url)])),
  'redirect of a monitor': await tryAll(
    STATUSES.flatMap((status) =>
      redirected.map((url) => [`${status} ${url}`, () => run(through(status, url))] as const),
    ),
  ),
  'page that leads on': await tryAll(redirected.map((url) => [url, () => run(through('refresh', url))])),
}
const LISTS: readonly NonNullable<RequestConfig['pagination']>[] = [
  { type: 'next_url', next_url_path: 'next', items_path: 'items' },
  { type: 'link_header', items_path: 'items' },
]
for (const pagination of LISTS)
  places[`next page by ${pagination.type}`] = await tryAll(
    redirected.map((url) => [url, () => run(through('list', url), { method: 'GET', pagination })]),
  )
for (const type of ['webhook', 'slack', 'discord'] as const) {
  places[`${type} URL`] = await tryAll(vectors.map((url) => [url, () => send(type, url)]))
  places[`redirect of a ${type}`] = await tryAll(
    // One that turns a POST into a GET and one that repeats it; the others are asked in test/deliveries.
    [302, 307].flatMap((status) =>
      redirected.map((url) => [`${status} ${url}`, () => send(type, through(status, url))] as const),
    ),
  )
}
// The name servers say public when they are asked first, and loopback ever after.
const first = await run(`http://${REBINDING}:8888/`)
places['rebinding'] = await tryAll([
  ['first', async () => first],
  ['second', () => run(`http://${REBINDING}:8888/`)],
])

await agent.destroy()
await extractor.close()
await pages.close()
await everywhere.close()
site.closeAllConnections()
site.close()
const report: Report = { counted, places }
process.stdout.write(JSON.stringify(report))
