import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_LOOKED_RUNS } from '../../../schema/run/run-filters.ts'
import { createMonitor, pathsOf } from '../../support/api/monitor-requests.ts'
import { seedRun, seedRuns } from '../../support/api/seeded-runs.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'

const SEARCH = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }
const DIFF = { fields_changed: ['price'], before: { price: 1 }, after: { price: 2 } }

/** The runs of a monitor, the oldest first, by what they are. */
const RUNS = [
  ['hidden', { age: '800 days' }],
  ['first', { age: '50 h' }],
  ['failed', { age: '40 h', status: 'error' }],
  ['changed', { age: '30 h', diff: DIFF }],
  ['skipped', { age: '20 h', status: 'skipped' }],
  ['fired', { age: '10 h', diff: DIFF, triggered: true }],
  ['last', { age: '1 h' }],
] as const
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

let served: ServedApi
beforeAll(async () => {
  served = await serveApi('unlimited')
})
afterAll(() => served.close())

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly next?: string | null
  readonly pagination: { readonly total: number }
}
const read = async (path: string): Promise<Page> => {
  const { status, body } = await served.me.get(path)
  expect(status).toBe(200)
  return body as unknown as Page
}

describe.each([
  ['a page', '/v1/monitors', () => createMonitor(served.me)],
  ['a search', '/v1/serp-monitors', async () => (await served.me.post('/v1/serp-monitors', SEARCH)).body],
])('the list of runs of %s', (_, collection, create) => {
  const ids = new Map<string, string>()
  let path = ''
  let strange = ''
  beforeAll(async () => {
    const { id } = await create()
    path = `${collection}/${id}/runs`
    for (const [name, run] of RUNS) ids.set(name, await seedRun(served.api.services, id, run))
    const { id: other } = await createMonitor(served.me)
    strange = await seedRun(served.api.services, other, { age: '35 h' })
  })
  const idOf = (name: string) => ids.get(name) ?? name
  const namesOf = ({ data }: Page) => data.map(({ id }) => [...ids].find(([, known]) => known === id)?.[0] ?? 'waiting')

  test.each([
    ['status=error', ['failed']],
    ['status=skipped', ['skipped']],
    ['status=success&changed=true', ['fired', 'changed']],
    ['status=success&fired=true', ['fired']],
    ['changed=true&fired=true', ['fired']],
    ['from=31&to=15', ['skipped', 'changed']],
    ['status=success&from=31&to=15', ['changed']],
    ['from=1969-01-01T00:00:00Z&to=45', ['first']],
    ['to=60', []],
  ])('takes %s, and counts what is left', async (query, expected) => {
    // Times are hours ago.
    const at = query.replaceAll(/(?<==)\d\d(?=&|$)/g, (hours) => ago(Number(hours)))
    const page = await read(`${path}?${at}`)
    expect(namesOf(page)).toEqual(expected)
    expect(page).toMatchObject({ next: null, pagination: { total: expected.length } })
  })

  test('goes on before a run and after one, of whatever monitor, and says where the next page begins', async () => {
    const before = await read(`${path}?limit=2&before=${idOf('fired')}`)
    expect(namesOf(before)).toEqual(['skipped', 'changed'])
    expect(before).toMatchObject({ next: idOf('changed'), pagination: { total: 4 } })
    expect(namesOf(await read(`${path}?limit=2&before=${before.next}`))).toEqual(['failed', 'first'])
    const after = await read(`${path}?limit=2&after=${idOf('first')}`)
    expect(namesOf(after)).toEqual(['changed', 'failed'])
    expect(after.next).toBe(idOf('changed'))
    expect(namesOf(await read(`${path}?status=success&limit=2&after=${after.next}`))).toEqual(['last', 'fired'])
    expect(namesOf(await read(`${path}?before=${strange}`))).toEqual(['failed', 'first'])
  })

  test('has a run in progress among the newest, and alone as running', async () => {
    const { run_id } = (await served.me.post(path.replace(/runs$/, 'run'))).body
    expect((await read(`${path}?status=running`)).data).toMatchObject([{ id: run_id, status: 'running' }])
    expect(namesOf(await read(`${path}?after=${idOf('fired')}`))).toEqual(['waiting', 'last'])
  })

  test('refuses two positions, ids that are none, and times that are none', async () => {
    const refused = async (query: string) => pathsOf(await served.me.get(`${path}?${query}`))
    expect(await refused(`before=${strange}&after=${strange}`)).toEqual(['after', 'before'])
    expect(await refused('before=kettle&after=1&from=yesterday&status=done&fired=maybe')).toEqual([
      'after',
      'before',
      'fired',
      'from',
      'status',
    ])
  })

  test('without a filter says nothing of a next page, and is nothing for another team', async () => {
    expect(Object.keys(await read(path))).toEqual(['data', 'pagination'])
    const stranger = await served.anotherTeam()
    expect((await stranger.get(`${path}?status=error`)).status).toBe(404)
  })
})

test('a filter of runs looks at so many, and says where to go on', async () => {
  const { id } = await createMonitor(served.me)
  const failed = await seedRun(served.api.services, id, { age: '2 days', status: 'error' })
  await seedRuns(served.api.services, id, { count: MAX_LOOKED_RUNS + 5, extracted: {} })
  const first = await read(`/v1/monitors/${id}/runs?status=error`)
  expect(first).toMatchObject({ data: [], next: expect.any(String), pagination: { total: 0 } })
  expect(await read(`/v1/monitors/${id}/runs?status=error&before=${first.next}`)).toMatchObject({
    data: [{ id: failed }],
    next: null,
  })
})
