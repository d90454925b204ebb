import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { check, type CheckPorts } from '../../../runners/check/check.ts'
import type { PageTask } from '../../../runners/check/task.ts'
import { createExtractor } from '../../../runners/extract/pool/extractor.ts'
import { createPageReader } from '../../../runners/fetch/paging/page-reader.ts'
import { parseProxyUrl } from '../../../runners/fetch/proxy/proxy-address.ts'
import { createProxyLayer, type Hold, type ProxyLayer } from '../../../runners/fetch/proxy/proxy-layer.ts'
import { testBrowsers } from '../../support/browser/test-browsers.ts'
import { EXIT_ADDRESS, PASSWORD, type ProxyServer, startProxy } from '../../support/network/proxy-server.ts'

// Each waits for a page to be rendered twice.
vi.setConfig({ testTimeout: 120_000 })

/** Another loopback address, which stays forbidden. */
const FORBIDDEN = '127.0.0.2'
const policy = createPolicy({ allowPrivateCidrs: ['127.0.0.1/32'], neverAllow: [] })
const agent = createGuardedAgent(policy)
const extractor = createExtractor({ threads: 1 })
const pages = createPageReader()

let seen: string[] = []
let paths: string[] = []
/** Serves only who comes through the proxy. A script makes the page from a second answer. */
const site = createServer((request, response) => {
  const isThroughProxy = request.socket.remoteAddress === EXIT_ADDRESS
  const path = request.url ?? ''
  paths.push(path)
  if (path === '/title.json') return void response.end('{"title":"Made by a script"}')
  if (path === '/large.js') return void response.end(`/*${'x'.repeat(2_000_000)}*/`)
  if (path === '/favicon.ico') return void response.writeHead(404).end()
  const isBrowser = request.headers['user-agent']?.includes('Chrome') === true
  seen.push(isThroughProxy ? `proxy${isBrowser ? ' rendered' : ''}` : isBrowser ? 'browser' : 'static')
  if (!isThroughProxy) return void response.writeHead(403).end()
  if (path === '/onward') return void response.writeHead(302, { location: `http://${FORBIDDEN}:${port()}/` }).end()
  const more = path === '/large' ? '<script src="/large.js"></script>' : ''
  const forbidden = path === '/forbidden' ? `<img src="http://${FORBIDDEN}:${port()}/secret.png">` : ''
  response.setHeader('content-type', 'text/html')
  response.end(`<h1></h1>${more}${forbidden}<script>
    fetch('/title.json').then((answer) => answer.json()).then(({ title }) => {
      document.querySelector('h1').textContent = title
    })</script>`)
})
const port = () => (site.address() as AddressInfo).port

let proxy: ProxyServer
let layer: ProxyLayer
let browser: Browsers
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '0.0.0.0', resolve))
  url = `http://127.0.0.1:${port()}/`
  proxy = await startProxy()
  layer = layerOf(proxy.url)
  browser = testBrowsers({ egress: policy })
})
beforeEach(() => {
  seen = []
  paths = []
})
afterAll(async () => {
  await browser.close()
  await Promise.all([extractor.close(), pages.close(), agent.destroy(), proxy[Symbol.asyncDispose]()])
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
})

function layerOf(address: string): ProxyLayer {
  const parsed = parseProxyUrl(address)
  if (!parsed.ok) throw new Error(parsed.message)
  return createProxyLayer({ proxy: parsed.proxy, policy, log: { warn: () => {} } })
}

/** Reserves at most so many bytes, and notes what is settled. */
function lending(most = Infinity) {
  const settled: number[] = []
  const hold: Hold = async (bytes) => ({
    bytes: Math.min(bytes, most),
    settle: async (used) => void settled.push(used),
  })
  return { hold, settled }
}

function reading(task: Partial<PageTask>, ports: Partial<CheckPorts>, hold: Hold = lending().hold) {
  const { signal } = new AbortController()
  return check(taskOf(task), { agent, extractor, pages, signal, proxy: { layer, holdFor: () => hold }, ...ports })
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

const RENDERED = {
  kind: 'values',
  fetchMethod: 'proxy',
  fetchReason: 'refused',
  values: { title: 'Made by a script' },
}
const BY_BROWSER = { queue: 'browser', reason: 'configured' } as const

describe('the proxy as the last layer', () => {
  test('follows static and browser, each when the one before was refused, and renders the page', async () => {
    expect(await reading({}, { browser })).toMatchObject(RENDERED)
    expect(seen).toEqual(['static', 'browser', 'proxy rendered'])
  })

  test('follows the browser where the page is always rendered', async () => {
    expect(await reading(BY_BROWSER, { browser })).toMatchObject(RENDERED)
    expect(seen).toEqual(['browser', 'proxy rendered'])
  })

  test('renders also what is hashed whole, and takes the pictures of the visual layer', async () => {
    const whole = await reading({ ...BY_BROWSER, extract: { method: 'full_page' } }, { browser })
    expect(whole).toMatchObject({ kind: 'values', fetchMethod: 'proxy' })
    const visual = { ...BY_BROWSER, queue: 'visual', visual: { enabled: true } } as const
    const shown = await reading(visual, { browser })
    expect(shown).toMatchObject({ ...RENDERED, shots: [{ region: 'page', png: expect.any(Uint8Array) }] })
  })

  test('makes a direct request where there is no browser at all', async () => {
    expect(await reading({}, {})).toMatchObject({ kind: 'values', fetchMethod: 'proxy', values: { title: '' } })
    expect(seen).toEqual(['static', 'proxy'])
  })

  test('leaves a check whose browser is elsewhere to that', async () => {
    expect(await reading({}, { browser: 'elsewhere' })).toMatchObject({ kind: 'moved', reason: 'refused' })
    expect(seen).toEqual(['static'])
  })

  test('is not asked where the team may not use it, and never for a request_config', async () => {
    const kept = { kind: 'failed', fetchMethod: 'browser', fetchReason: 'configured', fault: { code: 'blocked' } }
    const off = await reading(BY_BROWSER, { browser }, async () => 'off')
    expect(off).toMatchObject(kept)
    expect(off.kind === 'failed' && off.fault.message).toContain('proxy_enabled')
    expect(await reading(BY_BROWSER, { browser, proxy: undefined })).toMatchObject(kept)
    expect(await reading({ request: { method: 'GET' } }, { browser })).toMatchObject({ fetchMethod: 'static' })
    expect(seen).toEqual(['browser', 'browser', 'static'])
  })
})

describe('a page that is rendered through the proxy', () => {
  test('is counted to the last byte on the wire, in both directions', async () => {
    const { hold, settled } = lending()
    const [bytes, closed] = [proxy.bytes(), proxy.closed()]
    expect(await reading(BY_BROWSER, { browser }, hold)).toMatchObject(RENDERED)
    await vi.waitUntil(() => proxy.closed() > closed && proxy.bytes() - bytes === settled[0])
    expect(settled).toHaveLength(1)
  })

  test('is cut off at the reserved bytes, and then fails whatever the browser made of it', async () => {
    const { hold, settled } = lending(100_000)
    const cut = await reading({ ...BY_BROWSER, url: `${url}large` }, { browser }, hold)
    expect(cut).toMatchObject({ kind: 'failed', fetchMethod: 'proxy', fault: { code: 'too_large' } })
    expect(cut.kind === 'failed' && cut.fault.message).toContain('proxyBytesPerMonth')
    expect(settled[0]).toBeGreaterThan(100_000)
    expect(settled[0]).toBeLessThan(1_100_000)
  })

  test('reaches no forbidden target: the proxy is asked for none, neither for a part nor by a redirect', async () => {
    expect(await reading({ ...BY_BROWSER, url: `${url}forbidden` }, { browser })).toMatchObject(RENDERED)
    const onward = await reading({ ...BY_BROWSER, url: `${url}onward` }, { browser })
    expect(onward).toMatchObject({ kind: 'failed', fault: { code: 'target_not_allowed' } })
    expect(proxy.asked.filter((line) => line.includes(FORBIDDEN))).toEqual([])
    expect(paths).not.toContain('/secret.png')
  })

  test('fails with what the proxy failed with, and says nothing of its credentials', async () => {
    const wrong = {
      layer: layerOf(proxy.url.replace(encodeURIComponent(PASSWORD), 'wrong')),
      holdFor: () => lending().hold,
    }
    const refused = await reading(BY_BROWSER, { browser, proxy: wrong })
    expect(refused).toMatchObject({ kind: 'failed', fetchMethod: 'proxy', fault: { code: 'proxy_failed' } })
    expect(refused.kind === 'failed' && refused.fault.message).toContain('refused the credentials')
    expect(JSON.stringify(refused)).not.toContain('wrong')
    const gone = { layer: layerOf('http://127.0.0.1:1'), holdFor: () => lending().hold }
    const unreached = await reading(BY_BROWSER, { browser, proxy: gone })
    expect(unreached.kind === 'failed' && unreached.fault.message).toContain('could not be reached')
  })

  test('leaves the browser as it was: the next page goes directly again', async () => {
    await reading(BY_BROWSER, { browser })
    seen = []
    expect(await reading(BY_BROWSER, { browser, proxy: undefined })).toMatchObject({ kind: 'failed' })
    expect(seen).toEqual(['browser'])
  })
})
