import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createExtractor } from '../../../runners/extract/pool/extractor.ts'
import { checkSearch } from '../../../runners/serp/check-search.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { quietNow } from '../../support/api/quiet-now.ts'
import { serveApi } from '../../support/api/served-api.ts'
import {
  googlePage,
  openSearchedEngines,
  REFUSAL,
  type SearchedEngines,
} from '../../support/browser/searched-engines.ts'
import { NEVER, testBrowsers } from '../../support/browser/test-browsers.ts'
import { changeMute, queueOf, setPages, stopChecks } from '../../support/database/check-states.ts'
import { openSite } from '../../support/network/site.ts'
import { startDelivering } from '../../support/worker/delivering.ts'
import { openReceiver } from '../../support/worker/receiver.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let serp: SearchedEngines
let team: string
beforeAll(async () => {
  serp = await openSearchedEngines()
  await serp.work()
})
beforeEach(async () => {
  team = await serp.database.team()
})
afterEach(async () => {
  await stopChecks(serp.database, 'all')
  for (const table of ['serp_engines', 'serp_exits']) await serp.database.query(`delete from ${table}`)
  await serp.database.setClock('0')
})
afterAll(() => serp[Symbol.asyncDispose]())

const HOOK = { type: 'webhook', url: 'http://127.0.0.1:1/hook' } as const
const list = (count: number, from = 1) =>
  Array.from({ length: count }, (_, at) => `https://site-${from + at}.example/page`)

test('an engine is left alone for 15 minutes, doubling per refusal up to 6 hours, until it answers', async () => {
  const no = await serp.add(team, { interval: 86_400 })
  const minutesLeft = async () => {
    const [left] = await serp.database.query<{ minutes: number }>(
      'select round(extract(epoch from refused_until - clock()) / 60)::int as minutes from serp_engines',
    )
    return left?.minutes
  }
  serp.answer(() => REFUSAL)
  let passed = 0
  for (const minutes of [15, 30, 60, 120, 240, 360, 360]) {
    expect(await serp.check(no)).toMatchObject({ status: 'error', error_code: 'blocked' })
    expect(await minutesLeft()).toBe(minutes)
    passed += minutes + 1
    await serp.database.setClock(`${passed} minutes`)
  }
  serp.answer(() => googlePage(list(1)))
  expect(await serp.check(no)).toMatchObject({ status: 'success' })
  expect(await minutesLeft()).toBeUndefined()
  serp.answer(() => REFUSAL)
  await serp.check(no)
  expect(await minutesLeft()).toBe(15)
})

test.each(['rank_tracking', 'full_analysis'] as const)('%s: a change to pages never fires by itself', async (mode) => {
  serp.answer((query) =>
    query.has('start') ? googlePage(list(10, 11)) : googlePage(list(10), '/search?q=shoes&start=10'),
  )
  const target = mode === 'rank_tracking' ? { target: 'site-12.example' } : {}
  const no = await serp.add(team, { mode, ...target, deliveries: [HOOK] })
  const seen = []
  for (const pages of [1, 2, 1, 2]) {
    await setPages(serp.database, no, pages)
    const { organic_results: results, delivery_triggered: fired, target_rank: rank } = await serp.check(no)
    seen.push([results?.length, fired, rank])
  }
  const rank = mode === 'rank_tracking' ? 12 : null
  expect(seen).toEqual([
    [10, false, null],
    [20, false, rank],
    [10, false, null],
    [20, false, rank],
  ])
})

test('rank_change_threshold is ignored in full_analysis', async () => {
  const no = await serp.add(team, { mode: 'full_analysis', threshold: 50, deliveries: [HOOK] })
  serp.answer(() => googlePage(list(3)))
  await serp.check(no)
  serp.answer(() => googlePage(list(3).toReversed()))
  expect(await serp.check(no)).toMatchObject({ delivery_triggered: true })
})

test('what a search fires in the quiet hours of its destination waits', async () => {
  const no = await serp.add(team, { mode: 'full_analysis', deliveries: [{ ...HOOK, quiet_hours: quietNow() }] })
  serp.answer(() => googlePage(list(3)))
  await serp.check(no)
  serp.answer(() => googlePage(list(3, 2)))
  expect(await serp.check(no)).toMatchObject({ delivery_triggered: true, held: 'quiet_hours' })
})

test('what a search fires for a destination with a digest waits', async () => {
  const slack = { type: 'slack', webhookUrl: HOOK.url } as const
  const digest = { every_seconds: 3600 }
  const no = await serp.add(team, { mode: 'full_analysis', deliveries: [{ ...slack, digest }] })
  serp.answer(() => googlePage(list(3)))
  await serp.check(no)
  serp.answer(() => googlePage(list(3, 2)))
  expect(await serp.check(no)).toMatchObject({ delivery_triggered: true, held: 'digest' })
})

test.each([
  [false, { delivery_triggered: true, held: 'muted' }],
  [true, { delivery_triggered: false, held: 'dropped' }],
])('what a muted search fires waits, or is dropped: %j', async (drop, expected) => {
  const no = await serp.add(team, { mode: 'full_analysis', deliveries: [HOOK] })
  serp.answer(() => googlePage(list(3)))
  await serp.check(no)
  await changeMute(serp.database, no, { until: null, drop })
  serp.answer(() => googlePage(list(3, 2)))
  expect(await serp.check(no)).toMatchObject(expected)
})

test('what a muted search fires comes at the end: one digest to a room, each to a webhook in their order', async () => {
  await using receiver = await openReceiver()
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  onTestFinished(startDelivering({ store: serp.database.store, secrets: serp.database.secrets, log }))
  const to = (path: string) => receiver.requests.filter((request) => request.path.endsWith(`/${path}`))
  const hook = { type: 'webhook', url: `${receiver.url}/plain` } as const
  const room = { type: 'webhook', service: 'mattermost', url: `${receiver.url}/room` } as const
  const no = await serp.add(team, {
    target: 'target.example',
    threshold: 1,
    interval: 86_400,
    deliveries: [room, hook],
  })
  const ranks = async (rank: number) => {
    serp.answer(() => googlePage(list(5).with(rank - 1, 'https://target.example/')))
    return serp.check(no)
  }
  await ranks(5)
  const since = new Date().toISOString()
  await changeMute(serp.database, no, { since, until: new Date(Date.now() + 7_200_000).toISOString(), drop: false })
  for (const rank of [4, 2, 1]) expect(await ranks(rank)).toMatchObject({ delivery_triggered: true, held: 'muted' })
  expect(receiver.requests).toHaveLength(0)

  await serp.database.setClock('2 hours 10 seconds')
  await expect.poll(() => to('plain').length).toBe(3)
  await expect.poll(() => to('room').length).toBe(1)
  const payloads = to('plain').map(
    ({ body }) => JSON.parse(String(body)) as { readonly serp: { readonly rank: number } },
  )
  expect(payloads.map((payload) => payload.serp.rank)).toEqual([4, 2, 1])
  expect(String(to('room')[0]?.body)).toContain('3 changes')
})

test('later pages are opened in the same browser session, 2 to 6 seconds apart', async () => {
  await using site = await openSite()
  const browsers = testBrowsers()
  const extractor = createExtractor({ threads: 1 })
  const askedAt: number[] = []
  const cookies: (string | undefined)[] = []
  site.page('/search', (response, request) => {
    askedAt.push(performance.now())
    cookies.push(request.headers.cookie)
    const next = askedAt.length < 3 ? `/search?q=shoes&start=${10 * askedAt.length}` : null
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': `page=${askedAt.length}; path=/` })
    response.end(googlePage(list(10, 1 + 10 * askedAt.length), next))
  })
  const search = { engine: 'google', keyword: 'shoes', pages: 3, device: 'desktop' } as const
  await checkSearch(
    { ...search, location_code: 'us', language_code: 'en' },
    { browsers, extractor, endpoints: { google: site.origin }, signal: NEVER },
  )
  await Promise.all([browsers.close(), extractor.close()])
  expect(cookies).toEqual([undefined, 'page=1', 'page=2'])
  // A page takes its time besides, so there is no upper bound here.
  for (const at of [1, 2]) expect((askedAt[at] ?? 0) - (askedAt[at - 1] ?? 0)).toBeGreaterThanOrEqual(2_000)
})

test('a regular monitor of a search-results URL is rendered in a browser even under auto', async () => {
  const served = await serveApi()
  const queueAt = async (url: string) => {
    const { id } = await createMonitor(served.me, { url, fetch_mode: 'auto' })
    return queueOf(served.api.services.store, id)
  }
  expect(await queueAt('https://www.google.com/search?q=kettle&hl=en&gl=us')).toBe('browser')
  expect(await queueAt('https://www.bing.com/search?q=kettle')).toBe('browser')
  expect(await queueAt('https://shop.example.com/search?q=kettle')).toBe('static')
  await served.close()
})
