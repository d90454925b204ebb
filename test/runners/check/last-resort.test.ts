import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { check, type CheckPorts, checkRefused } from '../../../runners/check/check.ts'
import type { PageTask } from '../../../runners/check/task.ts'
import { createExtractor } from '../../../runners/extract/pool/pool.ts'
import type { FetchFailed } from '../../../runners/fetch/fetched.ts'
import { createPageReader } from '../../../runners/fetch/paging/page-reader.ts'
import { parseProxyUrl } from '../../../runners/fetch/proxy/proxy-address.ts'
import { createProxyLayer, type Hold, type ProxyLayer } from '../../../runners/fetch/proxy/proxy-layer.ts'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { EXIT_ADDRESS, type ProxyServer, startProxy } from '../fetch/proxy/proxy-server.ts'

const policy = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
const agent = createGuardedAgent(policy)
const extractor = createExtractor({ threads: 1 })
const pages = createPageReader()
let seen: string[] = []
const site = createServer((request, response) => {
  const isThroughProxy = request.socket.remoteAddress === EXIT_ADDRESS
  seen.push(isThroughProxy ? 'proxy' : 'static')
  if (isThroughProxy) response.end('<h1>Open</h1>')
  else response.writeHead(403).end()
})
let proxy: ProxyServer
let layer: ProxyLayer
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  proxy = await startProxy()
  const parsed = parseProxyUrl(proxy.url)
  if (!parsed.ok) throw new Error(parsed.message)
  layer = createProxyLayer({ proxy: parsed.proxy, policy, log: { warn: () => {} } })
})
beforeEach(() => {
  seen = []
})
afterAll(async () => {
  await Promise.all([extractor.close(), pages.close(), agent.destroy(), proxy[Symbol.asyncDispose]()])
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
})

const lent: Hold = async (bytes) => ({ bytes, settle: async () => {} })
/** A browser that the site refuses as well. */
const refused: FetchFailed = {
  ok: false,
  fault: { code: 'blocked', message: 'The site answered the browser with status 403.' },
  status: 403,
  retryAfterMs: null,
  durationMs: 1,
}
const browser = { render: () => (seen.push('browser'), Promise.resolve(refused)) }

function reading(task: Partial<PageTask>, ports: Partial<CheckPorts>, hold: Hold = lent) {
  return check(taskOf(task), portsOf(ports, hold))
}

function portsOf(ports: Partial<CheckPorts>, hold: Hold = lent): CheckPorts {
  const { signal } = new AbortController()
  return { agent, extractor, pages, signal, proxy: { layer, holdFor: () => hold }, ...ports }
}

function taskOf(task: Partial<PageTask>): PageTask {
  const nothing = { no: 0, fence: 0, runId: '', monitorId: '', host: '', dueMs: null, claimedMs: 0, claimedAt: 0 }
  return {
    ...nothing,
    kind: 'page',
    queue: 'static',
    url,
    extract: { method: 'css', fields: { title: 'h1' } },
    request: null,
    visual: null,
    headers: null,
    obstacle: null,
    triesStatic: false,
    reason: null,
    last: null,
    ...task,
  }
}

const opened = { kind: 'values', fetchMethod: 'proxy', values: { title: 'Open' } }

test('static, browser and proxy are tried in this order, each when the one before was refused', async () => {
  expect(await reading({}, { browser })).toMatchObject(opened)
  expect(seen).toEqual(['static', 'browser', 'proxy'])
})

test('without a browser the proxy is next; where the page is always rendered nothing is asked directly', async () => {
  expect(await reading({}, {})).toMatchObject(opened)
  expect(await reading({ queue: 'browser' }, { browser })).toMatchObject(opened)
  expect(seen).toEqual(['static', 'proxy', 'browser', 'proxy'])
})

test('a check whose browser is elsewhere goes there first', async () => {
  expect(await reading({}, { browser: 'elsewhere' })).toMatchObject({ kind: 'moved', queue: 'browser' })
  expect(seen).toEqual(['static'])
})

test('the browser’s refusal stays where a proxy may not be used, and for pictures, which it cannot take', async () => {
  const kept = { kind: 'failed', fetchMethod: 'browser', fault: { code: 'blocked' } }
  expect(await reading({ queue: 'browser' }, { browser }, async () => 'off')).toMatchObject(kept)
  expect(await reading({ queue: 'visual', visual: { enabled: true } }, { browser })).toMatchObject(kept)
  expect(await reading({ queue: 'browser' }, { browser, proxy: undefined })).toMatchObject(kept)
  expect(seen).toEqual(['browser', 'browser', 'browser'])
})

test('a request_config is fetched directly, whatever else there is', async () => {
  expect(await reading({ request: { method: 'GET' } }, { browser })).toMatchObject({
    kind: 'failed',
    fetchMethod: 'static',
  })
  expect(seen).toEqual(['static'])
})

test('what another process was refused goes on with the proxy, and with nothing that was tried before', async () => {
  const failed = (status: number, more: object = {}) => {
    const fault = { code: 'blocked', message: `The site answered the browser with status ${status}.` } as const
    return { kind: 'failed', fetchMethod: 'browser', fault, retryAfterMs: 0, status, ...more } as const
  }
  const task = taskOf({ queue: 'browser' })
  expect(await checkRefused(task, failed(403), portsOf({ browser }))).toMatchObject(opened)
  expect(seen).toEqual(['proxy'])
  // Who is asked for credentials needs those; who names a time is asked again then; pictures are not taken by the
  // proxy.
  expect(await checkRefused(task, failed(401), portsOf({}))).toMatchObject(failed(401))
  expect(await checkRefused(task, failed(429, { retryAfterMs: 5_000 }), portsOf({}))).toMatchObject({ kind: 'failed' })
  const visual = taskOf({ queue: 'visual', visual: { enabled: true } })
  expect(await checkRefused(visual, failed(403), portsOf({}))).toMatchObject(failed(403))
  expect(seen).toEqual(['proxy'])
})
