import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createPolicy } from '../../../egress/policy.ts'
import { previewSearch } from '../../../monitors/preview/preview-search.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { longestSearchMs } from '../../../runners/serp/check-search.ts'
import { leftAlone } from '../../../runners/serp/search-reading.ts'
import type { SerpSearch } from '../../../schema/serp/serp-search.ts'
import type { AskedWork } from '../../../store/asked/asked-work.ts'
import { row } from '../../../store/db/row.ts'
import { engineRefusedUntil } from '../../../store/queue/search-exits.ts'
import { searchHere } from '../../../worker/asked/search-here.ts'
import { createPreviews, type Previews } from '../../../worker/previews/previews.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { googlePage, REFUSAL } from '../../support/browser/searched-engines.ts'
import { testBrowsers } from '../../support/browser/test-browsers.ts'
import { openSite, type Site, status } from '../../support/network/site.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let site: Site
let browsers: Browsers
let previews: Previews
let served: ServedApi
let asked = 0
const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
function searching(): Previews {
  const means = { browsers, endpoints: { google: site.origin }, between: [0, 1] as const, country: 'us' }
  return createPreviews({ egress, search: { means, exit: 'of-the-api', spacingMs: 0 } })
}
beforeAll(async () => {
  site = await openSite({ otherwise: status(404) })
  browsers = testBrowsers()
  previews = searching()
  served = await serveApi('scale', { egress, previews })
})
afterEach(() => void (asked = 0))
afterAll(async () => {
  await previews.close()
  await served.close()
  await browsers.close()
  await site[Symbol.asyncDispose]()
})

function answer(code: number, html: string): void {
  site.page('/search', (response) => {
    asked += 1
    response.writeHead(code, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  })
}

const PATH = '/v1/serp-monitors/preview'
const used = async () => (await served.me.get('/v1/usage')).body['runs']

test('a preview makes the search now, stores nothing, and costs one run for each page', async () => {
  answer(200, googlePage(['https://a.example/', 'https://shop.example.com/kettles']))
  const before = (await used()) as { used: number }
  const { status: code, body } = await served.me.post(PATH, {
    keyword: 'kettle',
    pages: 2,
    target_domain: 'example.com',
  })
  expect(code).toBe(200)
  expect(body).toMatchObject({
    status: 'success',
    url: expect.stringMatching(/^https:\/\/www\.google\.com\/search\?q=kettle&/),
    organic_results: [
      { position: 1, domain: 'a.example' },
      { position: 2, domain: 'shop.example.com' },
    ],
    target_rank: 2,
    serp_check: { outcome: 'ok', source: 'engine', pages: 1, country: 'exact', late_ms: null },
    error_code: null,
  })
  expect(await used()).toMatchObject({ used: before.used + 2 })
  expect((await served.me.get('/v1/serp-monitors')).body.data).toEqual([])
})

test('a preview that is refused begins the pause of the engine; one within it asks and costs nothing', async () => {
  answer(REFUSAL.status, REFUSAL.html)
  const refused = await served.me.post(PATH, { keyword: 'kettle' })
  expect(refused.body).toMatchObject({ status: 'error', error_code: 'blocked', serp_check: { outcome: 'blocked' } })
  expect(asked).toBe(1)
  const before = await used()
  const second = await served.me.post(PATH, { keyword: 'kettle' })
  expect(second.status).toBe(200)
  expect(second.body).toMatchObject({ status: 'error', organic_results: [], serp_check: { outcome: 'left_alone' } })
  const untilMs = await engineRefusedUntil(served.api.services.store, 'google')
  expect(second.body['error_message']).toBe(leftAlone('google', untilMs ?? 0).fault.message)
  expect(asked).toBe(1)
  expect(await used()).toEqual(before)
})

test('a preview keeps others from its engine and exit for as long as its search may take', async () => {
  const { store } = served.api.services
  let busySeconds = 0
  const read = async () => {
    busySeconds = await store.oneFirst(sql.type(row({ s: Type.Number() }))`
      select extract(epoch from busy_until - clock())::float8 as s from serp_exits
      where exit = 'x' and engine = 'bing'`)
    return null
  }
  const searching = { exit: 'x', spacingMs: 0, read }
  const make = (asked: SerpSearch, work: AskedWork) => searchHere(searching, asked, { work, store })
  const enter = () => ({ kind: 'place', search: make, leave: () => {} }) as const
  const market = { location_code: 'us', language_code: 'en', device: 'desktop' } as const
  const search = { keyword: 'kettle', engine: 'bing', pages: 5, ...market } as const
  const { team_id: teamId } = served.owner
  expect(await previewSearch({ store, previews: { enter } }, { teamId, search, target: null })).toEqual({
    kind: 'stopping',
  })
  expect(busySeconds * 1000).toBeGreaterThan(longestSearchMs(5))
})

test('a preview with a target in full_analysis, without a keyword, or without enough runs is refused', async () => {
  const both = await served.me.post(PATH, { keyword: 'kettle', mode: 'full_analysis', target_domain: 'example.com' })
  expect(both).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR' } } })
  expect((await served.me.post(PATH, {})).status).toBe(422)
  const poor = await served.anotherTeam('free')
  await served.api.sql(`update team_usage set serp_used = serp_limit where team_id = '${poor.owner.team_id}'`)
  const { status: code, body } = await poor.post(PATH, { keyword: 'kettle', engine: 'bing', pages: 2 })
  expect([code, body.error.code]).toEqual([429, 'RUN_LIMIT_REACHED'])
})

test('a preview that ends with its process gives its runs back', async () => {
  const isAsked = Promise.withResolvers<void>()
  // It never answers.
  site.page('/search', () => isAsked.resolve())
  const ending = searching()
  const own = await serveApi('scale', { egress, previews: ending })
  const runs = async () => (await own.me.get('/v1/usage')).body['runs']
  const answer = own.me.post(PATH, { keyword: 'kettle', pages: 2 })
  await isAsked.promise
  expect(await runs()).toMatchObject({ used: 2 })
  await ending.close()
  expect(await answer).toMatchObject({ status: 503, body: { error: { code: 'UNAVAILABLE' } } })
  expect(await runs()).toMatchObject({ used: 0 })
  await own.close()
})
