import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createGuardedAgent } from '../../../egress/guarded-agent.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { checkByKind } from '../../../runners/check/kinds/check-kind.ts'
import { CHECK_KINDS } from '../../../runners/check/kinds/check-kinds.ts'
import type { HttpCheckSource } from '../../../runners/client/http-check-source.ts'
import { createExtractor } from '../../../runners/extract/pool/extractor.ts'
import { createPageReader } from '../../../runners/fetch/paging/page-reader.ts'
import { parseProxyUrl } from '../../../runners/fetch/proxy/proxy-address.ts'
import { createProxyLayer } from '../../../runners/fetch/proxy/proxy-layer.ts'
import { createProxyRelay } from '../../../worker/queue/proxy-relay.ts'
import { testBrowsers } from '../../support/browser/test-browsers.ts'
import { EXIT_ADDRESS, PASSWORD, type ProxyServer, startProxy, USER } from '../../support/network/proxy-server.ts'
import { eventually } from '../../support/run/eventually.ts'
import { openTrustedSide, type TrustedSide } from './trusted-side.ts'

vi.setConfig({ testTimeout: 120_000 })

const FORBIDDEN = '127.0.0.2'
const policy = createPolicy({ allowPrivateCidrs: ['127.0.0.1/32'], neverAllow: [] })
const log = { warn: () => {} }
/** Serves only who comes through the proxy. A script makes the page, at `/large` a large one. */
const site = createServer((request, response) => {
  if (request.url?.startsWith('/made.js') === true)
    return void response.end(`document.body.innerHTML = '<b class="price">$8</b>';/*${'x'.repeat(large)}*/`)
  if (request.socket.remoteAddress !== EXIT_ADDRESS) return void response.writeHead(403).end()
  response.setHeader('content-type', 'text/html').end('<body><script src="/made.js"></script></body>')
})
let large = 0
let runnerApi: TrustedSide
let proxy: ProxyServer
let browser: Browsers
let url = ''
/** A worker whose runner API has the relay, and a runner of it. */
let served: { url: string }
let source: HttpCheckSource
let token = ''
let team = ''
const agent = createGuardedAgent(policy)
const extractor = createExtractor({ threads: 1 })
const pages = createPageReader()

beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  proxy = await startProxy()
  browser = testBrowsers({ egress: policy })
  runnerApi = await openTrustedSide()
  const parsed = parseProxyUrl(proxy.url)
  if (!parsed.ok) throw new Error(parsed.message)
  const relay = createProxyRelay({ store: runnerApi.database.store, proxy: parsed.proxy, policy, log })
  served = await runnerApi.serve({ relay })
  token = (await runnerApi.token()).token
  source = await runnerApi.httpCheckSource({ url: served.url, token })
})
beforeEach(async () => {
  large = 0
  team = await runnerApi.database.team()
  await runnerApi.database.query(`update teams set proxy_enabled = true, tier = 'starter' where id = $1`, [team])
})
afterAll(async () => {
  await browser.close()
  await runnerApi[Symbol.asyncDispose]()
  await Promise.all([extractor.close(), pages.close(), agent.destroy(), proxy[Symbol.asyncDispose]()])
  site.closeAllConnections()
  await new Promise((resolve) => site.close(resolve))
})

async function claimed() {
  const [no = 0] = await runnerApi.database.monitors(team, { url, queue: 'browser' })
  const task = (await source.claim(10)).find((one) => one.no === no)
  if (task?.kind !== 'page') throw new Error('not claimed')
  return task
}

/** What a runner does with a check, from its claim to the recorded run. */
async function run() {
  const task = await claimed()
  const { hostname: host, port } = new URL(served.url)
  const address = { host, port: Number(port), isSecure: false, authorization: `Bearer ${token}` }
  const layer = createProxyLayer({ proxy: address, policy, log, forwards: false })
  const lastResort = { layer, holdFor: (one: { no: number; fence: number }) => source.holdFor(one) }
  const { signal } = new AbortController()
  const reading = await checkByKind(CHECK_KINDS, task, { agent, extractor, pages, browser, proxy: lastResort, signal })
  if (reading.kind === 'abandoned') throw new Error('abandoned')
  const at = Math.round(task.claimedMs)
  await source.complete({ task, reading, startedMs: at, endedMs: at + 1 })
  const [stored] = await runnerApi.database.runs(task.no)
  return stored
}

const used = async () => {
  const rows = await runnerApi.database.query<{ n: number }>(
    'select proxy_bytes_used::int as n from team_usage where team_id = $1',
    [team],
  )
  return rows[0]?.n ?? 0
}
const holds = () => runnerApi.database.query('select 1 from proxy_holds where team_id = $1', [team])

test('a page that a runner is refused is rendered through the relay, on the allowance of its team', async () => {
  expect(await run()).toMatchObject({ status: 'success', fetch_method: 'proxy', extracted: { price: '$8' } })
  expect(await eventually(used, (bytes) => bytes > 0)).toBeLessThan(100_000)
  expect(await holds()).toEqual([])
  expect(proxy.asked.at(-1)).toMatch(/^CONNECT 127\.0\.0\.1:/)
})

test('it is cut off at what is left of the allowance, and its run fails', async () => {
  large = 3_000_000
  await runnerApi.database.query('update team_usage set proxy_bytes_used = 52428800 - 60000 where team_id = $1', [team])
  const failed = await run()
  expect(failed).toMatchObject({ status: 'error', fetch_method: 'proxy', error_code: 'too_large' })
  expect(failed?.error_message).toContain('proxyBytesPerMonth')
  expect(await eventually(used, (bytes) => bytes > 52_428_800)).toBeLessThan(52_428_800 + 1_000_000)
})

test('without a switch, a plan or bytes for it, the refusal stays; the proxy is not asked', async () => {
  const asked = proxy.asked.length
  await runnerApi.database.query('update teams set proxy_enabled = false where id = $1', [team])
  const off = await run()
  expect(off).toMatchObject({ status: 'error', fetch_method: 'browser', error_code: 'blocked' })
  expect(off?.error_message).toContain('proxy_enabled')
  await runnerApi.database.query('update teams set proxy_enabled = true where id = $1', [team])
  await runnerApi.database.query('update team_usage set proxy_bytes_used = 52428800 where team_id = $1', [team])
  expect((await run())?.error_message).toContain('used up')
  expect(proxy.asked).toHaveLength(asked)
})

test('the relay serves a leased check with a reservation, and no other token, fence, check or target', async () => {
  const task = await claimed()
  const asked = proxy.asked.length
  const target = new URL(url).host
  const mine = `${task.no} ${task.fence}`
  expect(await answer(target, token, mine)).toBe('403')
  const hold = await source.holdFor(task)(1)
  if (typeof hold === 'string') throw new Error(hold)
  const { token: another } = await runnerApi.token('another')
  for (const [host, bearer, claim, status] of [
    [target, 'tdr_nobody', mine, '407'],
    [target, another, mine, '403'],
    [target, token, `${task.no} ${task.fence + 1}`, '403'],
    [target, token, `${task.no + 1} ${task.fence}`, '403'],
    [target, token, 'x', '403'],
    [`${FORBIDDEN}:80`, token, mine, '403'],
    ['169.254.169.254:80', token, mine, '403'],
  ] as const)
    expect([host, claim, await answer(host, bearer, claim)]).toEqual([host, claim, status])
  expect(proxy.asked).toHaveLength(asked)
  expect(await answer(target, token, mine)).toBe('200')
  await source.release([task], 0)
  expect(await answer(target, token, mine)).toBe('403')
  expect(JSON.stringify([hold, runnerApi.log])).not.toContain(USER)
  expect(JSON.stringify([hold, runnerApi.log])).not.toContain(PASSWORD)
})

/** The status that the runner API answers a CONNECT with. */
function answer(host: string, bearer: string, claim: string): Promise<string> {
  return new Promise((resolve) => {
    const head = `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: Bearer ${bearer}\r\n`
    const { hostname, port } = new URL(served.url)
    const socket = connect(Number(port), hostname, () => socket.write(`${head}Tidemark-Check: ${claim}\r\n\r\n`))
    socket.on('error', () => resolve('error'))
    socket.once('data', (chunk: Buffer) => {
      resolve(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString())?.[1] ?? 'garbage')
      socket.destroy()
    })
  })
}
