import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPatternMatcher, type PatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import { Backtest } from '../../../schema/monitor/backtest.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { PAGE_TABLE } from '../../../store/monitors/kinds/page-table.ts'
import { readChanges } from '../../../store/monitors/monitor-stored-runs.ts'
import { findMonitor } from '../../../store/monitors/monitors.ts'
import { seedRun, seedRuns } from '../../support/api/seeded-runs.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { dropRun } from '../../support/database/change-runs.ts'

let api: TestApi
let patterns: PatternMatcher
beforeAll(async () => {
  patterns = createPatternMatcher({ timeoutMs: 200 })
  api = await createTestApi({ patterns })
})
afterAll(async () => {
  await api.close()
  await patterns.close()
})

let owner: CreatedOwner
let id: string
beforeEach(async () => {
  owner = await api.owner()
  id = await monitor(owner)
})

async function monitor({ api_key: key }: CreatedOwner): Promise<string> {
  const made = await api.call(key, 'POST', '/v1/monitors', {
    name: 'M',
    url: 'https://example.com/',
    schedule_interval_seconds: 3600,
    extract_config: { method: 'css', fields: { price: '.price', stock: '.stock' } },
    diff_predicate: { type: 'any_field_changes' },
  })
  expect(made.status).toBe(201)
  return String(made.body['id'])
}
const post = (body: unknown, credential = owner.api_key) =>
  api.call(credential, 'POST', `/v1/monitors/${id}/backtest`, body)
async function backtest(diff_predicate: object, more: object = {}): Promise<Backtest> {
  const { status, body } = await post({ diff_predicate, ...more })
  expect([status, checkerOf(Backtest).validate(body)]).toMatchObject([200, { ok: true }])
  return body as never
}

/**
 * Stores what a worker would have, for prices in their order: the baseline, then a change each; the last one a minute
 * ago.
 */
async function prices(...texts: (string | null)[]): Promise<string[]> {
  const ids: string[] = []
  for (const [index, price] of texts.entries()) {
    const before = texts[index - 1]
    const diff = { fields_changed: ['price'], before: { price: before }, after: { price } }
    const age = `${texts.length - index} minutes`
    const extracted = { price, stock: '7' }
    ids.push(await seedRun(api.services, id, { age, extracted, ...(index > 0 && { diff }) }))
  }
  return ids
}
const firing = ({ runs }: Backtest) => runs.filter(({ fires }) => fires).map(({ run_id }) => run_id)

describe('a backtest', () => {
  test('tells which stored changes would have fired and why, newest first', async () => {
    const [, small = '', large = ''] = await prices('$100', '$99', '$80')
    const found = await backtest({ type: 'field_decreases_by_percent', field: 'price', threshold: 10 })
    expect(found).toMatchObject({ changes: 2, would_fire: 1, truncated: false, warnings: [] })
    expect(found.runs).toEqual([
      {
        run_id: large,
        started_at: expect.stringMatching(/Z$/),
        fires: true,
        fired: null,
        delivery_triggered: false,
        values: [{ field: 'price', before: '$99', after: '$80', percent: expect.closeTo(-19.19) }],
        fields_changed: ['price'],
        conditions: [
          {
            path: '',
            type: 'field_decreases_by_percent',
            field: 'price',
            holds: true,
            why: 'price fell from 99 to 80; a fall by 10 percent or more was asked for',
          },
        ],
      },
      expect.objectContaining({ run_id: small, fires: false }),
    ])
  })

  test('of a monitor without changes is empty; baselines, unchanged and failed runs never fire', async () => {
    const [first = ''] = await prices('$1')
    await seedRun(api.services, id, { readingId: first })
    await seedRun(api.services, id, { status: 'error', errorCode: 'http_status' })
    expect(await backtest({ type: 'any_field_changes' })).toEqual({
      changes: 0,
      would_fire: 0,
      from: expect.stringMatching(/Z$/),
      oldest_run_at: expect.stringMatching(/Z$/),
      truncated: false,
      warnings: [],
      runs: [],
    })
  })

  test('looks at the last days only, and says from when on and how old the oldest run is', async () => {
    const DAY_MS = 86_400_000
    const never = await backtest({ type: 'any_field_changes' })
    expect(never).toMatchObject({ changes: 0, oldest_run_at: null })
    const change = (price: string) => ({
      extracted: { price, stock: null },
      diff: { fields_changed: ['price'], before: { price: '$0' }, after: { price } },
    })
    await seedRun(api.services, id, { age: '20 days', extracted: { price: '$0', stock: null }, startOffsetMs: 60_000 })
    const old = await seedRun(api.services, id, { age: '10 days', ...change('$1') })
    const young = await seedRun(api.services, id, { age: '2 days', ...change('$2') })
    const all = await backtest({ type: 'any_field_changes' })
    expect(firing(all)).toEqual([young, old])
    const ageOf = (at: string | null) => (Date.now() - Date.parse(at ?? '')) / DAY_MS
    expect(ageOf(all.oldest_run_at)).toBeCloseTo(20 - 60_000 / DAY_MS, 3)
    expect(ageOf(all.from)).toBeCloseTo(730, 3)
    const last = await backtest({ type: 'any_field_changes' }, { days: 3 })
    expect(firing(last)).toEqual([young])
    expect(last).toMatchObject({ truncated: false, oldest_run_at: all.oldest_run_at })
    expect(ageOf(last.from)).toBeCloseTo(3, 3)
    expect(ageOf((await backtest({ type: 'any_field_changes' }, { days: 3650 })).from)).toBeCloseTo(730, 3)
    expect(await post({ diff_predicate: { type: 'any_field_changes' }, days: 0 })).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'days' }] } },
    })
  })

  test('has the beginnings of the values of ten fields', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `f${n}`)
    const all = (text: string) => Object.fromEntries(names.map((name) => [name, text.repeat(1_000)]))
    await seedRun(api.services, id, {
      extracted: all('b'),
      diff: { fields_changed: names, before: all('a'), after: all('b') },
    })
    const [run] = (await backtest({ type: 'any_field_changes' })).runs
    expect(run?.values).toHaveLength(10)
    expect(run?.values[0]).toMatchObject({ field: 'f0', before: expect.stringMatching(/^a{100,}…?$/) })
    expect(run?.values[0]?.before?.length).toBeLessThanOrEqual(200)
  })

  test('looks at the whole reading: what did not change in a run has its value', async () => {
    const [, changed = ''] = await prices('$1', '$2')
    expect(firing(await backtest({ type: 'field_equals', field: 'stock', value: '7' }))).toEqual([changed])
    expect(firing(await backtest({ type: 'field_changes', field: 'stock' }))).toEqual([])
  })

  test('knows the reading before a change from the change itself, though that reading be deleted', async () => {
    const [first, second = ''] = await prices('$10', '$30')
    await dropRun(api, first ?? '')
    const found = await backtest({ type: 'field_increases_by_absolute', field: 'price', threshold: 20 })
    expect(firing(found)).toEqual([second])
  })

  test('tries patterns and tells each condition of a composite', async () => {
    const [, , sold = ''] = await prices('$1', '$2', 'sold out')
    const found = await backtest({
      type: 'composite',
      operator: 'OR',
      conditions: [
        { type: 'field_matches_regex', field: 'price', pattern: '^sold' },
        { type: 'field_above', field: 'price', threshold: 100 },
      ],
    })
    expect(firing(found)).toEqual([sold])
    expect(found.runs[0]?.conditions.map(({ path, holds }) => [path, holds])).toEqual([
      ['conditions[0]', true],
      ['conditions[1]', false],
    ])
  })

  test('finds the changes that added or removed a line, by pattern', async () => {
    const [, added = '', removed = '', replaced = ''] = await prices('$1', '$1\nsale', '$1', '$1 a\nsale')
    expect(firing(await backtest({ type: 'lines_added', field: 'price' }))).toEqual([replaced, added])
    const sale = await backtest({ type: 'lines_added', field: 'price', pattern: '^sale$' })
    expect(firing(sale)).toEqual([replaced, added])
    const gone = await backtest({ type: 'lines_removed', field: 'price', pattern: '^sale$' })
    expect(firing(gone)).toEqual([removed])
    expect(gone.runs.map(({ conditions }) => conditions[0]?.why)).toEqual([
      'price lost 1 line; one that matches /^sale$/ was asked for',
      'price lost 1 line; one that matches /^sale$/ was asked for',
      'price lost no line; one that matches /^sale$/ was asked for',
    ])
  })

  test('of a pattern that takes too long goes on without it, tries it once, and says so', async () => {
    const text = `${'a'.repeat(40)}!`
    await prices('x', ...Array.from({ length: 12 }, (_, n) => `${text}${n}`))
    const began = performance.now()
    const found = await backtest({ type: 'field_matches_regex', field: 'price', pattern: '^(a+)+$' })
    // Each try takes a second.
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(found).toMatchObject({ changes: 12, would_fire: 0, warnings: [expect.stringContaining('(a+)+')] })
  })

  test('sees nothing behind the retention window', async () => {
    await seedRun(api.services, id, {
      age: '731 days',
      extracted: { price: '$2', stock: null },
      diff: { fields_changed: ['price'], before: { price: '$1' }, after: { price: '$2' } },
    })
    expect((await backtest({ type: 'any_field_changes' })).changes).toBe(0)
  })

  test('takes the 500 most recent changes, and says that there are more', async () => {
    const change = {
      extracted: { price: '2', stock: null },
      diff: { fields_changed: ['price'], before: { price: '1' }, after: { price: '2' } },
    }
    await seedRuns(api.services, id, { count: 500, ...change })
    expect(await backtest({ type: 'any_field_changes' })).toMatchObject({ changes: 500, truncated: false })
    await seedRuns(api.services, id, { count: 1, from: 9_000, ...change })
    const found = await backtest({ type: 'any_field_changes' })
    expect(found).toMatchObject({ changes: 500, would_fire: 500, truncated: true })
    const times = found.runs.map(({ started_at }) => started_at)
    expect(times).toEqual(times.toSorted().toReversed())
    expect(Date.parse(times[0] ?? '') - Date.parse(times.at(-1) ?? '')).toBeLessThan(9_000_000 / 2)
  })

  test('takes 16 MiB of readings, and says that there are more', async () => {
    await seedRuns(api.services, id, {
      count: 80,
      extracted: { price: 'x'.repeat(250_000) },
      diff: { fields_changed: ['price'], before: { price: '1' }, after: { price: '2' } },
    })
    const found = await backtest({ type: 'any_field_changes' })
    expect(found).toMatchObject({ truncated: true })
    expect(found.changes).toBe(68)
  })

  test('holds a megabyte of readings at a time', async () => {
    await seedRuns(api.services, id, {
      count: 12,
      extracted: { price: 'x'.repeat(400_000) },
      diff: { fields_changed: ['price'], before: {}, after: {} },
    })
    const { store } = api.services
    let read = 0
    const any: typeof store.any = async (statement) => {
      const rows = await store.any(statement)
      read += rows.length
      return rows
    }
    const monitorNo = (await findMonitor(store, owner.team_id, id, PAGE_TABLE))?.no ?? 0
    const query = { teamId: owner.team_id, monitorNo, limit: 500, maxBytes: 16 * 1024 * 1024 }
    const changes = readChanges({ ...store, any }, query)
    const ahead: number[] = []
    for await (const _change of changes) ahead.push(read - ahead.length)
    expect(changes.isCut).toBe(false)
    expect(ahead).toHaveLength(12)
    expect(Math.max(...ahead)).toBe(3)
  })

  test('counts the differences too: two texts of a change can be twice as large as its reading', async () => {
    await seedRuns(api.services, id, {
      count: 80,
      extracted: { price: '1' },
      diff: {
        fields_changed: ['price'],
        before: { price: 'x'.repeat(250_000) },
        after: { price: 'y'.repeat(250_000) },
      },
    })
    const found = await backtest({ type: 'any_field_changes' })
    expect(found).toMatchObject({ truncated: true })
    expect(found.changes).toBe(34)
  })

  test.each([
    ['diff_predicate.field', { type: 'field_changes', field: 'colour' }],
    ['diff_predicate.pattern', { type: 'field_matches_regex', field: 'price', pattern: '(' }],
    ['diff_predicate.threshold', { type: 'field_increases_by_percent', field: 'price', threshold: 0 }],
    ['diff_predicate.threshold', { type: 'field_above', field: 'price' }],
    [
      'diff_predicate.conditions[1].field',
      {
        type: 'composite',
        operator: 'AND',
        conditions: [{ type: 'any_field_changes' }, { type: 'field_changes', field: 'colour' }],
      },
    ],
  ])('refuses a predicate whose %s is wrong, as creating a monitor does', async (path, diff_predicate) => {
    expect(await post({ diff_predicate })).toMatchObject({ status: 422, body: { error: { details: [{ path }] } } })
  })

  test('refuses a body without a predicate, and one with anything else', async () => {
    expect(await post({})).toMatchObject({ status: 422, body: { error: { details: [{ path: 'diff_predicate' }] } } })
    expect(await post({ diff_predicate: { type: 'any_field_changes' }, limit: 3 })).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'limit' }] } },
    })
  })

  test('refuses more than 200 conditions', async () => {
    const of = (count: number) => ({
      type: 'composite',
      operator: 'OR',
      conditions: Array.from({ length: count / 20 }, () => ({
        type: 'composite',
        operator: 'OR',
        conditions: Array.from({ length: 20 }, () => ({ type: 'any_field_changes' })),
      })),
    })
    expect((await post({ diff_predicate: of(200) })).status).toBe(200)
    expect(await post({ diff_predicate: of(220) })).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'diff_predicate' }] } },
    })
  })

  test('is a read: viewers and read keys may; changes nothing, and other teams have no such monitor', async () => {
    const body = { diff_predicate: { type: 'any_field_changes' } }
    for (const credential of [await api.member(owner, 'viewer'), await api.key(owner, 'read')])
      expect((await post(body, credential)).status).toBe(200)
    expect((await post(body, (await api.owner()).api_key)).status).toBe(404)
    expect((await api.call(owner.api_key, 'GET', `/v1/monitors/${id}`)).body).toMatchObject(body)
  })

  test('is 503 in a process that has no matcher', async () => {
    const bare = await createTestApi()
    const { api_key: key } = await bare.owner()
    const url = `/v1/monitors/${crypto.randomUUID()}/backtest`
    const answer = await bare.call(key, 'POST', url, { diff_predicate: { type: 'any_field_changes' } })
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'UNAVAILABLE' } } })
    await bare.close()
  })
})
