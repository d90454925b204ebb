import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { SerpBacktest } from '../../../schema/serp/serp-backtest.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { seedRun } from '../../support/api/seeded-runs.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await createTestApi()
})
afterAll(() => api.close())

let owner: CreatedOwner
let id: string
beforeEach(async () => {
  owner = await api.owner()
  id = await search(owner)
})

async function search({ api_key: key }: CreatedOwner): Promise<string> {
  const made = await api.call(key, 'POST', '/v1/serp-monitors', {
    name: 'S',
    keyword: 'kettle',
    schedule_interval_seconds: 3600,
    target_domain: 'shop.example',
    rank_change_threshold: 2,
  })
  expect(made.status).toBe(201)
  return String(made.body['id'])
}

const post = (body: unknown, credential = owner.api_key) =>
  api.call(credential, 'POST', `/v1/serp-monitors/${id}/backtest`, body)
async function backtest(body: object = {}): Promise<SerpBacktest> {
  const { status, body: found } = await post(body)
  expect([status, found, checkerOf(SerpBacktest).validate(found)]).toMatchObject([200, {}, { ok: true }])
  return found as never
}

const CHECK = { outcome: 'ok', source: 'engine', pages: 1, cut_by: null, is_guess: false, late_ms: 0, marker: '' }
const CHANGE = { fields: [], more: 0 }
/** A list of results of these hosts. */
const listed = (...hosts: string[]) =>
  hosts.map((domain, at) => ({
    ...{ position: at + 1, title: domain, url: `https://${domain}/`, domain, description: null },
  }))
const others = (count: number) => Array.from({ length: count }, (_, n) => `other${n}.example`)
/** Results in which the shop stands at this place. */
const placed = (place: number, count = 10) =>
  listed(...others(place - 1), 'shop.example', ...others(count).slice(place - 1))

interface Check {
  readonly results: readonly object[]
  readonly check?: object
  readonly change?: object | null
  readonly age?: string
}
/** Stores checks in their order, an hour apart, the last one an hour ago; the first one is a baseline. */
async function checks(...all: readonly Check[]): Promise<string[]> {
  const seed = ({ results, check, change, age }: Check, index: number) => {
    const shown = change === undefined && index > 0 ? CHANGE : change
    const run = { results, check: { ...CHECK, ...check }, ...(shown && { change: shown }) }
    return seedRun(api.services, id, { age: age ?? `${all.length - index} hours`, ...run })
  }
  return Promise.all(all.map(seed))
}
const firing = ({ runs }: SerpBacktest) => runs.filter(({ fires }) => fires).map(({ run_id }) => run_id)

describe('a backtest of a search', () => {
  test('tells which checks would have fired with the settings of the monitor, and why, newest first', async () => {
    const ids = await checks(
      { results: placed(5) },
      { results: placed(4) },
      { results: placed(1) },
      { results: listed(...others(10)) },
      { results: placed(7) },
    )
    const found = await backtest()
    expect(found).toMatchObject({ changes: 4, would_fire: 3, truncated: false, warnings: [] })
    expect(
      found.runs.map(({ run_id, fires, rank, previous_rank, why }) => [run_id, fires, rank, previous_rank, why]),
    ).toEqual([
      [ids[4], true, 7, null, 'shop.example came into the results, at 7'],
      [ids[3], true, null, 1, 'shop.example left the results, where it was at 1'],
      [ids[2], true, 1, 4, 'shop.example moved by 3, from 4 to 1; 2 or more was asked for'],
      [ids[1], false, 4, 5, 'shop.example moved by 1, from 5 to 4; 2 or more was asked for'],
    ])
    expect(found.runs[2]?.values).toEqual([{ field: 'rank', before: '#4', after: '#1', percent: null }])
  })

  test('tries other settings than those of the monitor', async () => {
    const [, second, third] = await checks({ results: placed(5) }, { results: placed(4) }, { results: placed(4, 11) })
    expect(firing(await backtest())).toEqual([])
    expect(firing(await backtest({ rank_change_threshold: 1 }))).toEqual([second])
    expect(firing(await backtest({ rank_change_threshold: null }))).toEqual([])
    expect(firing(await backtest({ mode: 'full_analysis' }))).toEqual([third, second])
    expect(firing(await backtest({ target_domain: 'other10.example' }))).toEqual([third])
    const without = await backtest({ target_domain: null })
    expect(without.runs[0]).toMatchObject({
      fires: false,
      rank: null,
      why: expect.stringContaining('no target_domain'),
    })
  })

  test('compares a source with itself, and checks with as many pages', async () => {
    const provider = { source: 'provider' }
    const ids = await checks(
      { results: placed(5) },
      { results: placed(1), check: provider },
      { results: placed(5, 12) },
      { results: placed(9), check: provider },
      { results: placed(1), check: { pages: 2 } },
      { results: placed(8), check: { pages: 2 } },
    )
    const found = await backtest()
    expect(firing(found)).toEqual([ids[5], ids[3]])
    const why = (run: string | undefined) => found.runs.find(({ run_id }) => run_id === run)?.why
    expect([why(ids[4]), why(ids[1])]).toEqual(Array(2).fill(expect.stringContaining('no run of the same source')))
  })

  test('leaves out checks whose pages are missing or whose layout was unknown, and says so', async () => {
    const [, , , last] = await checks(
      { results: placed(5) },
      { results: placed(1), check: { cut_by: 'failed' } },
      { results: placed(1), check: { is_guess: true } },
      { results: placed(8) },
    )
    const found = await backtest()
    expect(found.runs).toMatchObject([{ run_id: last, rank: 8, previous_rank: 5 }])
    expect(found.warnings).toEqual([expect.stringMatching(/^2 checks were left out/)])
  })

  test('never fires where a check was a silent baseline, as after an edit', async () => {
    const [, , last] = await checks(
      { results: placed(5) },
      { results: placed(1), change: null },
      { results: placed(8) },
    )
    expect((await backtest()).runs).toMatchObject([{ run_id: last, previous_rank: 1 }])
  })

  test('looks at the last days only, and compares the first of them with the one before', async () => {
    const [, , third, fourth] = await checks(
      { results: placed(5), age: '30 days' },
      { results: placed(1), age: '20 days' },
      { results: placed(7), age: '2 days' },
      { results: placed(3), age: '1 day' },
    )
    const found = await backtest({ days: 3 })
    expect(found.runs).toMatchObject([{ run_id: fourth }, { run_id: third, previous_rank: 1, rank: 7 }])
    expect(found).toMatchObject({ changes: 2, truncated: false })
    expect((Date.now() - Date.parse(found.oldest_run_at ?? '')) / 86_400_000).toBeCloseTo(30, 2)
    expect((Date.now() - Date.parse(found.from)) / 86_400_000).toBeCloseTo(3, 2)
  })

  test('of a search without runs is empty', async () => {
    expect(await backtest()).toMatchObject({ changes: 0, would_fire: 0, oldest_run_at: null, runs: [] })
  })

  test('takes the 500 newest runs, and says that there are more', async () => {
    await checks(...Array.from({ length: 502 }, (_, n) => ({ results: placed(1 + (n % 2) * 5) })))
    const found = await backtest()
    // The oldest of them is what the next one is compared with.
    expect(found).toMatchObject({ changes: 499, would_fire: 499, truncated: true })
  })

  test.each([
    ['mode', { mode: 'other' }],
    ['target_domain', { target_domain: 'a b' }],
    ['target_domain', { mode: 'full_analysis', target_domain: 'shop.example' }],
    ['rank_change_threshold', { rank_change_threshold: 0 }],
    ['days', { days: 0 }],
    ['limit', { limit: 3 }],
  ])('refuses a wrong %s', async (path, body) => {
    expect(await post(body)).toMatchObject({ status: 422, body: { error: { details: [{ path }] } } })
  })

  test('is a read: viewers and read keys may, and other teams have no such monitor', async () => {
    for (const credential of [await api.member(owner, 'viewer'), await api.key(owner, 'read')])
      expect((await post({}, credential)).status).toBe(200)
    expect((await post({}, (await api.owner()).api_key)).status).toBe(404)
  })
})
