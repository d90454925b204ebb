import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SerpTask } from '../../../runners/check/task.ts'
import type { SearchReading } from '../../../schema/serp/search-reading.ts'
import { addSearch } from '../../support/database/stored-searches.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type Asker, frame, openAsker, outcome } from './asker.ts'

let asker: Asker
beforeAll(async () => {
  asker = await openAsker()
})
beforeEach(() => asker.newJob())
afterEach(async () => {
  await asker.reset()
  await asker.runnerApi.database.query('delete from serp_exits')
  await asker.runnerApi.database.query('delete from serp_engines')
})
afterAll(() => asker[Symbol.asyncDispose]())

const FOUND: SearchReading = {
  outcome: 'ok',
  results: [
    { position: 1, title: 'A', url: 'https://a.example/x', domain: 'a.example', description: 'S' },
    { position: 2, title: 'B', url: '', domain: '', description: null },
  ],
  page_ends: [1, 2],
  is_end: false,
  is_guess: false,
  ai_overview: false,
  featured_snippet: null,
  cut_by: null,
  country: 'exact',
  marker: 'a result',
  warnings: [],
}

/** A runner of an exit, with a search of two pages that it has claimed. */
async function claimed(options: Parameters<typeof addSearch>[2] = {}) {
  const { runnerApi, team, job } = asker
  const no = await addSearch(runnerApi.database, team, { pages: 2, ...options })
  const source = await runnerApi.httpCheckSource({ token: job.token, exit: 'of-a-runner' })
  const task = (await source.claim(10)).find((one): one is SerpTask => one.no === no && one.kind === 'serp')
  if (!task) throw new Error('not claimed')
  return { no, source, task, times: { startedMs: Math.round(task.claimedMs), endedMs: Math.round(task.claimedMs) } }
}

describe('a runner that names its exit', () => {
  test('is given searches, and its results are recorded as those of a worker', async () => {
    const { no, source, task, times } = await claimed({ target: 'a.example' })
    expect(task.search).toEqual({
      ...{ engine: 'google', keyword: 'shoes', pages: 2, location_code: 'us', language_code: 'en', device: 'desktop' },
    })
    expect(task.teamKey).not.toContain(asker.team)
    await source.complete({ task, reading: { kind: 'search', fetchMethod: 'browser', search: FOUND }, ...times })
    const runs = await asker.runnerApi.database.runs(no)
    expect(runs).toMatchObject([
      { status: 'success', fetch_method: 'browser', target_rank: 1, organic_results: FOUND.results },
    ])
    expect(await asker.runnerApi.database.query('select from serp_exits where busy_until is not null')).toEqual([])
  })

  test('is not given what needs no engine: an engine that is left alone', async () => {
    const first = await claimed()
    const reading = {
      kind: 'failed',
      fetchMethod: 'browser',
      retryAfterMs: 0,
      fault: { code: 'blocked', message: 'Refused.' },
      engine: { outcome: 'blocked', country: 'exact', marker: 'm' },
    } as const
    await first.source.complete({ task: first.task, reading, ...first.times })
    const no = await addSearch(asker.runnerApi.database, asker.team)
    expect(await first.source.claim(10)).toEqual([])
    const [run] = await eventually(
      () => asker.runnerApi.database.runs(no),
      (runs) => runs.length > 0,
    )
    expect(run).toMatchObject({ status: 'error', error_code: 'blocked' })
    expect(run?.error_message).toContain('is left alone until')
  })

  test('keeps its exit by a heartbeat, and frees it by a release', async () => {
    const { source, task } = await claimed()
    const { database } = asker.runnerApi
    const busy = () =>
      database.query<{ s: number }>(
        'select extract(epoch from busy_until - clock())::float8 as s from serp_exits where busy_until is not null',
      )
    await database.setClock('30 seconds')
    expect(await source.heartbeat([task])).toEqual(new Set([task.no]))
    expect((await busy())[0]?.s).toBeGreaterThan(31)
    await source.release([task], 0)
    expect(await busy()).toEqual([])
  })

  test('cannot keep or free the exit of a check that another runner has', async () => {
    const { task } = await claimed()
    const { database } = asker.runnerApi
    const before = await database.query('select * from serp_exits order by engine')
    await asker.newJob()
    await asker.job.source.heartbeat([task])
    await asker.job.source.release([task], 0)
    expect(await database.query('select * from serp_exits order by engine')).toEqual(before)
  })
})

test('a runner that names no exit is given no searches', async () => {
  await addSearch(asker.runnerApi.database, asker.team)
  expect(await asker.job.source.claim(10)).toEqual([])
})

test('a runner that names no exit ends no search whose engine is left alone', async () => {
  const { database } = asker.runnerApi
  await addSearch(database, asker.team)
  await database.query(
    "insert into serp_engines (engine, refusals, refused_until) values ('google', 1, clock() + interval '1 hour')",
  )
  const before = await asker.state()
  expect(await asker.job.source.claim(10)).toEqual([])
  expect(await asker.state()).toEqual(before)
})

describe('the results that a runner reports', () => {
  const [first, second] = FOUND.results
  const wrong: readonly (readonly [string, object, string])[] = [
    [
      'positions that do not run on',
      { results: [first, { ...second, position: 3 }] },
      'reading.search.results[1].position',
    ],
    [
      'an address that is none of the web',
      { results: [{ ...first, url: 'javascript:0' }, second] },
      'reading.search.results[0].url',
    ],
    [
      'the domain of another site',
      { results: [{ ...first, domain: 'b.example' }, second] },
      'reading.search.results[0].domain',
    ],
    [
      'a title that is too long',
      { results: [{ ...first, title: 'x'.repeat(501) }, second] },
      'reading.search.results[0].title',
    ],
    ['an unknown key', { results: [{ ...first, rank: 1 }, second] }, 'reading.search.results[0].rank'],
    ['too many results', { results: Array.from({ length: 1001 }, () => first) }, 'reading.search.results'],
    ['more pages than were asked for', { page_ends: [1, 2, 2] }, 'reading.search.page_ends'],
    [
      'fewer pages than were asked for, and no reason',
      { results: [first], page_ends: [1] },
      'reading.search.page_ends',
    ],
    ['pages that do not end at the results', { page_ends: [1] }, 'reading.search.page_ends'],
    ['results of a search that found nothing', { outcome: 'zero' }, 'reading.search.outcome'],
    ['no results of one that did', { results: [], page_ends: [0] }, 'reading.search.outcome'],
    ['a page that is missing where all are there', { cut_by: 'blocked' }, 'reading.search.cut_by'],
    ['that they are those of the provider', { source: 'provider' }, 'reading.search.source'],
  ]
  test.each(wrong)('are refused with %s, and nothing is recorded', async (_, part, path) => {
    const { task } = await claimed()
    const before = await asker.state()
    const body = frame(outcome(task, { reading: { kind: 'search', search: { ...FOUND, ...part } }, values: undefined }))
    const answer = await asker.post('complete', body)
    expect(answer).toMatchObject({ status: 422, paths: expect.arrayContaining([expect.stringContaining(path)]) })
    expect(await asker.state()).toEqual(before)
  })

  test('are refused for a page, and those of a page for a search', async () => {
    const page = await asker.claimed()
    const ofSearch = frame(outcome(page, { reading: { kind: 'search', search: FOUND }, values: undefined }))
    expect(await asker.post('complete', ofSearch)).toMatchObject({ status: 422, paths: ['reading.kind'] })
    const { task } = await claimed()
    const ofPage = {
      kind: 'unchanged',
      fetch_method: 'browser',
      mark: { etag: null, last_modified: null, body_hash: null },
    }
    const answer = await asker.post('complete', frame(outcome(task, { reading: ofPage, values: undefined })))
    expect(answer).toMatchObject({ status: 422, paths: ['reading.kind'] })
  })
})
