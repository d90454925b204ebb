import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { SearchProvider } from '../../worker/searches/search-provider.ts'
import { googlePage, openSearchedEngines, REFUSAL, type SearchedEngines } from './searched-engines.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let serp: SearchedEngines
let team: string
beforeAll(async () => {
  serp = await openSearchedEngines()
})
beforeEach(async () => {
  team = await serp.database.team()
})
afterEach(async () => {
  await serp.database.query('update checks set due_at = null, next_run_at = null')
  await serp.database.query('delete from serp_engines')
  await serp.database.query('delete from serp_exits')
  await serp.database.setClock('0')
  serp.asked.length = 0
})
afterAll(() => serp[Symbol.asyncDispose]())

const HOOK = { type: 'webhook', url: 'http://127.0.0.1:1/hook' } as const
const list = (count: number, from = 1) =>
  Array.from({ length: count }, (_, at) => `https://site-${from + at}.example/page`)

test('only Google falls back to the provider, and only when it refuses; its answers do not end the pause', async () => {
  const asked: string[] = []
  const provider: SearchProvider = {
    async search({ keyword, pages }) {
      asked.push(keyword)
      const results = [{ position: 1, title: 'P', url: 'https://p.example/', domain: 'p.example', description: null }]
      const found = {
        ...({ outcome: 'ok', source: 'provider', results, pageEnds: [1], isEnd: true, isPartial: false } as const),
        ...({ isGuess: false, cutBy: null, isRefused: false, aiOverview: false, featuredSnippet: false } as const),
        ...({ country: 'exact', marker: '', warnings: [] } as const),
      }
      return { ok: true, asked: pages, found }
    },
    close: async () => {},
  }
  const other = await serp.work({ provider })
  const google = await serp.add(team, { target: 'p.example', pages: 2 })
  serp.answer(() => googlePage(list(1)))
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
  const provider: SearchProvider = {
    async search() {
      const title = 'Another title'
      const of = (position: number, domain: string) => {
        return { position, title, url: `https://${domain}/`, domain, description: null }
      }
      const results = [of(1, isThere ? 'site-3.example' : 'x.example'), of(2, 'y.example')]
      const found = {
        ...({ outcome: 'ok', source: 'provider', results, pageEnds: [2], isEnd: true, isPartial: false } as const),
        ...({ isGuess: false, cutBy: null, isRefused: false, aiOverview: false, featuredSnippet: false } as const),
        ...({ country: 'exact', marker: '', warnings: [] } as const),
      }
      return { ok: true, asked: 1, found }
    },
    close: async () => {},
  }
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
  await engine(list(3))
  expect(await checks()).toEqual(['engine', false, false])
  serp.answer(() => REFUSAL)
  const first = await serp.check(rank)
  expect(first).toMatchObject({ target_rank: 1, rank_delta: null, delivery_triggered: false })
  expect(first.warnings.join('')).toContain('compared from its next answer on')
  expect(await checks()).toEqual(['provider', false, false])
  expect((await serp.check(rank)).warnings).toEqual([])
  await engine(list(3))
  expect(await checks()).toEqual(['engine', false, false])
  serp.answer(() => REFUSAL)
  isThere = false
  expect(await checks()).toEqual(['provider', true, true])
  // The engine says the same of the rank, which is known by now. Its list is told in its own words.
  await engine(list(2))
  expect(await checks()).toEqual(['engine', false, true])
  await engine(list(3))
  expect(await checks()).toEqual(['engine', true, true])
  expect((await serp.payloads(rank)).map(({ serp: block }) => block)).toMatchObject([
    { rank: null, previous_rank: 1 },
    { rank: 3, previous_rank: null },
  ])
  await other.stop(1_000)
})
