import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_SERIES_COUNTED, type Series } from '../../../schema/run/series.ts'
import { createMonitor, pathsOf } from '../../support/api/monitor-requests.ts'
import { seedRun, seedRuns } from '../../support/api/seeded-runs.ts'
import type { Client } from '../../support/api/served-api.ts'
import { startWatching, type Watching } from '../../support/api/watching.ts'

let watching: Watching
let me: Client
beforeAll(async () => {
  watching = await startWatching()
  me = watching.served.me
})
afterAll(() => watching.close())

const read = async (path: string): Promise<Series> => {
  const { status, body } = await me.get(path)
  expect(status).toBe(200)
  return body as unknown as Series
}

describe('the series of a monitor', () => {
  test('has a step for each run that found another number, the changes of all fields, and failures', async () => {
    const page = await watching.watch({ value: '$20.00', other: 'a' })
    const path = `/v1/monitors/${page.id}/series`
    const set = async (value: unknown, other = 'a') => {
      page.set({ value, other })
      return (await page.run()).id
    }
    const fell = await set('$17.49')
    await set('$17.49')
    const renamed = await set('$17.49', 'b')
    page.set('down', 'text/html', 500)
    await page.run()
    await page.run()
    page.set('gone', 'text/html', 404)
    await page.run()
    const gone = await set('sold out', 'b')
    const back = await set('$1,150.00', 'b')
    const series = await read(path)
    expect(series).toMatchObject({ field: 'value', fields: ['value'] })
    expect(series.points.map(({ value, min, max, run_id }) => [value, min, max, run_id])).toEqual([
      [20, 20, 20, null],
      [17.49, 17.49, 17.49, fell],
      [null, null, null, gone],
      [1150, 1150, 1150, back],
    ])
    expect(series.changes.map(({ run_id, count }) => [run_id, count])).toEqual(
      [fell, renamed, gone, back].map((id) => [id, 1]),
    )
    expect(series.failures).toMatchObject([
      { error_code: 'http_status', from: expect.any(String), to: expect.any(String) },
    ])
    expect(series.failures[0]?.to).toBe(series.points[2]?.at)
    expect(series.from).toBe(series.points[0]?.at)
    expect(series.known_from).toBe(series.from)
    // From a moment on, it begins with what the value was then.
    const later = await read(`${path}?from=${series.changes[1]?.at}`)
    expect(later.points.map(({ value }) => value)).toEqual([17.49, null, 1150])
    const earlier = await read(`${path}?to=${series.changes[1]?.at}&field=value`)
    expect(earlier.points.map(({ value }) => value)).toEqual([20, 17.49])
    expect((await read(`${path}?field=other`)).points).toMatchObject([{ value: null }])
    expect((await read(`${path}?field=none`)).points).toEqual([])
  })

  test('follows a baseline that an edit made', async () => {
    const page = await watching.watch({ value: 1, other: 5 })
    await me.patch(`/v1/monitors/${page.id}`, {
      extract_config: { method: 'json_path', fields: { value: '$.other' } },
    })
    await page.run()
    expect((await read(`/v1/monitors/${page.id}/series`)).points).toMatchObject([{ value: 1 }, { value: 5 }])
  })

  test('has at most 500 points of many steps, with the range of each', async () => {
    const { id } = await createMonitor(me)
    const diff = (price: number) => ({ fields_changed: ['price'], before: { price: 0 }, after: { price } })
    for (const [nth, price] of [10, 20, 30].entries())
      await seedRuns(watching.served.api.services, id, {
        count: 400,
        from: 10 + nth * 400,
        extracted: { price },
        diff: diff(price),
      })
    for (const age of [5, 2_000]) await seedRun(watching.served.api.services, id, { age: `${age} s`, diff: diff(age) })
    const { points, changes } = await read(`/v1/monitors/${id}/series?field=price`)
    expect(points.length).toBeLessThanOrEqual(500)
    expect(points.map(({ value }) => value)).toEqual([2_000, 30, 20, 10, 5])
    expect(changes.length).toBeLessThanOrEqual(500)
    expect(changes.reduce((sum, { count }) => sum + count, 0)).toBe(1_202)
  })

  test('reads old values that Postgres cannot', async () => {
    const { id } = await createMonitor(me)
    const diff = { fields_changed: ['price'], before: { price: 1 }, after: { price: 2, 'a"b': '\u0000\ud800' } }
    await seedRun(watching.served.api.services, id, { age: '10 s', extracted: { price: 1 } })
    await seedRuns(watching.served.api.services, id, { count: 1, extracted: diff.after, diff })
    expect((await read(`/v1/monitors/${id}/series?field=price`)).points).toMatchObject([{ value: 1 }])
  })

  test('is of a search its rank, where it has a target, or the number of its results', async () => {
    const search = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }
    const { id } = (await me.post('/v1/serp-monitors', search)).body
    const { services } = watching.served.api
    const results = (count: number) => Array.from({ length: count }, (_, nth) => ({ position: nth + 1 }))
    const first = await seedRun(services, id, { age: '50 s', results: results(3), rank: 3 })
    await seedRun(services, id, { age: '40 s', readingId: first, rank: 3 })
    await seedRun(services, id, { age: '30 s', status: 'error', errorCode: 'blocked' })
    await seedRun(services, id, { age: '20 s', results: results(2) })
    await seedRun(services, id, { age: '10 s', results: results(4), rank: 1 })
    const path = `/v1/serp-monitors/${id}/series`
    const ranks = await read(path)
    expect(ranks).toMatchObject({ field: 'rank', fields: ['rank', 'results'] })
    // A worker may have looked by then, and found no engine.
    expect(ranks.failures.filter(({ error_code: code }) => code === 'blocked')).toHaveLength(1)
    expect(ranks.points.map(({ value }) => value)).toEqual([3, null, 1])
    expect((await read(`${path}?field=results`)).points.map(({ value }) => value)).toEqual([3, 2, 4])
    const { id: other } = (await me.post('/v1/serp-monitors', { ...search, target_domain: undefined })).body
    expect(await read(`/v1/serp-monitors/${other}/series`)).toMatchObject({ field: 'results', fields: ['results'] })
  })

  test('has of a search the best, the worst and the mean, and when a block stood beside the results', async () => {
    const search = { name: 'Blocks', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }
    const { id } = (await me.post('/v1/serp-monitors?paused=true', search)).body
    const { services } = watching.served.api
    const results = [{ position: 1 }]
    const run = (age: string, more: object) => seedRun(services, id, { age, durationMs: 0, ...more })
    const first = await run('40 s', { results, rank: 8, aiOverview: false })
    await run('30 s', { results, rank: 2, aiOverview: true, featuredSnippet: false })
    await run('25 s', { status: 'error', errorCode: 'blocked' })
    await run('20 s', { results, aiOverview: true })
    await run('10 s', { results, rank: 4 })
    const path = `/v1/serp-monitors/${id}/series`
    const { points, failures, summary, blocks } = await read(path)
    expect(summary).toMatchObject({ least: 2, most: 8 })
    // 8 for ten seconds, 2 for five until it failed, not listed for ten, 4 since then.
    expect(summary?.mean).toBeCloseTo((80 + 10 + 40) / 25, 0)
    expect(summary?.share).toBeCloseTo(25 / 35, 1)
    const [ai, ...others] = blocks ?? []
    expect(ai).toEqual({
      block: 'ai_overview',
      from: points[0]?.at,
      to: points[1]?.at,
      is_shown: false,
      run_id: first,
    })
    expect(others.map(({ block, is_shown, from, to }) => [block, is_shown, from, to])).toEqual([
      ['ai_overview', true, points[1]?.at, points[3]?.at],
      ['featured_snippet', false, points[1]?.at, points[2]?.at],
    ])
    expect(failures).toHaveLength(1)
    const { id: page } = await createMonitor(me)
    expect(await read(`/v1/monitors/${page}/series`)).not.toHaveProperty('blocks')
  })

  test('says from when on it is known where more lists of results are there than are counted', async () => {
    const search = { name: 'Many', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }
    const { id } = (await me.post('/v1/serp-monitors', search)).body
    const results = [{ position: 1 }]
    await seedRuns(watching.served.api.services, id, { count: MAX_SERIES_COUNTED + 1, results })
    const ranks = await read(`/v1/serp-monitors/${id}/series`)
    expect(ranks.known_from).toBe(ranks.from)
    const counts = await read(`/v1/serp-monitors/${id}/series?field=results`)
    expect(Date.parse(counts.known_from) - Date.parse(counts.from)).toBe(1_000)
  })

  test('is not there for another team, and refuses times that are none', async () => {
    const { id } = await createMonitor(me)
    expect(await read(`/v1/monitors/${id}/series`)).toMatchObject({ field: null, fields: [], points: [], changes: [] })
    expect(pathsOf(await me.get(`/v1/monitors/${id}/series?from=yesterday&field=`))).toEqual(['field', 'from'])
    expect((await me.get(`/v1/serp-monitors/${id}/series`)).status).toBe(404)
    const stranger = await watching.served.anotherTeam()
    expect((await stranger.get(`/v1/monitors/${id}/series`)).status).toBe(404)
  })
})
