import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LIST_LIMITS } from '../../../schema/list-limits.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'

/** As many results as a search may have, with as much text as each may have. */
const RESULTS = `(select json_agg(json_build_object('position', n, 'title', repeat('検', 500), 'url',
  'https://a.example/' || repeat('a', 2000), 'domain', repeat('a', 253), 'description', repeat('索', 1500)))
  from generate_series(1, 1000) n)`

interface Team extends Client {
  readonly key: string
  readonly paths: readonly string[]
}

type Results = readonly object[]
interface Shown {
  readonly organic_results?: Results
  readonly payload?: { readonly serp_analysis: { readonly results: Results; readonly previous_results: Results } }
}

let served: ServedApi
let teams: readonly Team[]
beforeAll(async () => {
  served = await serveApi('scale')
  teams = [await searching(), await searching()]
})
afterAll(() => served.close())

/** A team that has searched: its run, and the message about it. */
async function searching(): Promise<Team> {
  const { owner, ...client } = await served.anotherTeam('unlimited')
  const search = { name: 'S', keyword: 'k', schedule_interval_seconds: 86_400 }
  const { id } = (await client.post('/v1/serp-monitors', search)).body
  const run = await seedRun(served.api.services, id)
  const delivery = await seedDelivery(served.api.services, run)
  await served.api.sql(`update runs set organic_results = ${RESULTS} where id = '${run}';
    update deliveries set payload = json_build_object('serp_analysis', json_build_object(
      'keyword', 'k', 'results', ${RESULTS}, 'previous_results', ${RESULTS}))::text where id = '${delivery}'`)
  return { ...client, key: owner.api_key, paths: [`/v1/runs/${run}`, `/v1/deliveries/${delivery}`] }
}

const figures = () => served.api.services.lists.figures()
const ask = (path: string, { key }: Team) =>
  fetch(served.baseUrl + path, { headers: { authorization: `Bearer ${key}` } })

describe.each([
  ['a run of a search', 0],
  ['a delivery of an analysis', 1],
])('the largest record of %s', (_title, at) => {
  test('is whole', async () => {
    const [team] = teams
    const { status, body } = (await team?.get(team.paths[at] ?? '')) ?? {}
    expect(status).toBe(200)
    const { organic_results: results, payload } = body as never as Shown
    const lists = results ? [results] : [payload?.serp_analysis.results, payload?.serp_analysis.previous_results]
    for (const list of lists) {
      expect(list).toHaveLength(1_000)
      expect(list?.[999]).toMatchObject({ position: 1_000, title: '検'.repeat(500), description: '索'.repeat(1_500) })
    }
    expect(body).toMatchObject({ status: at === 0 ? 'success' : 'pending' })
  })

  test('is read by as many at once as the budget of bytes has room for; the others wait, or are asked to', async () => {
    let most = 0
    const watch = setInterval(() => (most = Math.max(most, figures().bytesUnderWay)), 1)
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const team = teams[n % 2]
        if (!team) throw new Error('there is no team')
        const answer = await ask(team.paths[at] ?? '', team)
        await answer.arrayBuffer()
        return answer.status
      }),
    ).finally(() => clearInterval(watch))
    expect(statuses).toContain(200)
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(LIST_LIMITS.underWay.total)
    expect(figures()).toMatchObject({ bytesUnderWay: 0, waiting: 0 })
  })
})
