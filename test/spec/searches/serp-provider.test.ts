import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { SearchReading } from '../../../schema/serp/search-reading.ts'
import type { SearchProvider } from '../../../worker/searches/search-provider.ts'
import {
  googlePage,
  HOOK,
  openSearchedEngines,
  REFUSAL,
  resultUrls,
  type SearchedEngines,
} from '../../support/browser/searched-engines.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let serp: SearchedEngines
let team: string
beforeAll(async () => {
  serp = await openSearchedEngines()
})
beforeEach(async () => {
  team = await serp.database.team()
})
afterEach(() => serp.reset())
afterAll(() => serp[Symbol.asyncDispose]())

/** A paid provider that finds these sites, on one page. */
const providerOf = (sitesOf: (keyword: string) => readonly string[]): SearchProvider => ({
  async search({ keyword, pages }) {
    const results = sitesOf(keyword).map((domain, index) => {
      return { position: index + 1, title: 'A title', url: `https://${domain}/`, domain, description: null }
    })
    const found: SearchReading = {
      outcome: 'ok',
      results,
      page_ends: [results.length],
      is_end: true,
      is_guess: false,
      ai_overview: false,
      featured_snippet: false,
      cut_by: null,
      country: 'exact',
      marker: '',
      warnings: [],
    }
    return { ok: true, asked: pages, found }
  },
  close: async () => {},
})

test('only Google falls back to the provider, and only when it refuses; its answers do not end the pause', async () => {
  const asked: string[] = []
  const provider = providerOf((keyword) => {
    asked.push(keyword)
    return ['p.example']
  })
  const other = await serp.work({ provider })
  const google = await serp.add(team, { target: 'p.example', pages: 2 })
  serp.answer(() => googlePage(resultUrls(1)))
  await serp.check(google)
  expect(asked).toEqual([])
  serp.answer(() => REFUSAL)
  const answered = await serp.check(google)
  expect(answered).toMatchObject({ status: 'success', fetch_method: null, target_rank: 1 })
  expect(answered.serp_check).toMatchObject({ outcome: 'ok', source: 'provider' })
  expect(serp.asked).toHaveLength(2)
  // In the pause the provider is asked at once, and the engine is not.
  expect(await serp.check(google)).toMatchObject({ status: 'success', serp_check: { source: 'provider' } })
  expect(serp.asked).toHaveLength(2)
  expect(await serp.database.query('select refusals from serp_engines')).toEqual([{ refusals: 1 }])
  expect(
    await serp.database.query('select provider_pages_used::int from team_usage where team_id = $1', [team]),
  ).toEqual([{ provider_pages_used: 4 }])
  const bing = await serp.add(team, { engine: 'bing' })
  expect(await serp.check(bing)).toMatchObject({ status: 'error', error_code: 'blocked' })
  expect(asked).toHaveLength(2)
  await other.stop(1_000)
})

test('the provider and the engine are compared each with its own last answer', async () => {
  let isThere = true
  const provider = providerOf(() => [isThere ? 'site-3.example' : 'x.example', 'y.example'])
  const other = await serp.work({ provider })
  const [rank, analysis] = [
    await serp.add(team, { target: 'site-3.example', threshold: 1, deliveries: [HOOK] }),
    await serp.add(team, { mode: 'full_analysis', deliveries: [HOOK] }),
  ]
  const engine = async (urls: readonly string[]) => {
    await serp.database.query('delete from serp_engines')
    serp.answer(() => googlePage([...urls]))
  }
  /** Returns whether the checks of both monitors fire, and who answered. */
  async function checks() {
    const runs = [await serp.check(rank), await serp.check(analysis)]
    for (const { status } of runs) expect(status).toBe('success')
    const fired = runs.map(({ delivery_triggered: fires }) => fires)
    return [runs[0]?.serp_check?.source, ...fired]
  }
  await engine(resultUrls(3))
  expect(await checks()).toEqual(['engine', false, false])
  serp.answer(() => REFUSAL)
  const first = await serp.check(rank)
  expect(first).toMatchObject({ target_rank: 1, rank_delta: null, delivery_triggered: false })
  expect(first.warnings.join('')).toContain('compared from its next answer on')
  expect(await checks()).toEqual(['provider', false, false])
  expect((await serp.check(rank)).warnings).toEqual([])
  await engine(resultUrls(3))
  expect(await checks()).toEqual(['engine', false, false])
  serp.answer(() => REFUSAL)
  isThere = false
  expect(await checks()).toEqual(['provider', true, true])
  // The engine says the same of the rank, which is known by now. Its list is told in its own words.
  await engine(resultUrls(2))
  expect(await checks()).toEqual(['engine', false, true])
  await engine(resultUrls(3))
  expect(await checks()).toEqual(['engine', true, true])
  expect((await serp.payloads(rank)).map(({ serp: block }) => block)).toMatchObject([
    { rank: null, previous_rank: 1 },
    { rank: 3, previous_rank: null },
  ])
  await other.stop(1_000)
})
