import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OverviewCounts, OverviewRow } from '../../../../schema/overview/overview.ts'
import { createMonitor, MONITOR, pathsOf } from '../../../support/api/monitor-requests.ts'
import { seedRun } from '../../../support/api/seeded-runs.ts'
import type { Client } from '../../../support/api/served-api.ts'
import { startWatching, type Watched, type Watching } from '../../../support/api/watching.ts'
import { RECORDS } from '../../http/route-bounds.ts'

let watching: Watching
let kettle: Watched
let me: Client
const NAMES = ['Shop 10', 'shop 2', 'Shop 1', 'Ärmel', 'Zebra']

beforeAll(async () => {
  watching = await startWatching()
  me = watching.served.me
  kettle = await watching.watch({ value: '$19.99', other: 1 }, { name: 'Kettle', labels: { team: 'shop' } })
  for (const name of NAMES) await me.post('/v1/monitors?paused=true', { ...MONITOR, name })
})
afterAll(() => watching.close())

const list = async (query = '', client = me) => {
  const { status, body } = await client.get(`/v1/overview?limit=100&${query}`)
  expect(status).toBe(200)
  return body as unknown as { data: OverviewRow[]; pagination: { total: number } }
}
const names = async (query: string) => (await list(query)).data.map(({ name }) => name)
const rowOf = async (id: string, client = me) => (await list('', client)).data.find((row) => row.id === id)
const counts = async (query = '', client = me) =>
  (await client.get(`/v1/overview/counts?${query}`)).body as unknown as OverviewCounts

describe('a row of the overview', () => {
  test('has the value of a first run, and no change', async () => {
    expect(await rowOf(kettle.id)).toMatchObject({
      kind: 'page',
      target: kettle.url,
      status: 'active',
      labels: { team: 'shop' },
      value: { field: 'value', text: '$19.99' },
      last_run: { id: kettle.baseline.id, status: 'success', error_code: null },
      last_change: null,
      spark: [19.99],
      unseen: false,
    })
  })

  test('has the last change, and the numbers so far', async () => {
    for (const value of ['$18.00', '$17.49']) {
      kettle.set({ value, other: 1 })
      await kettle.run()
    }
    kettle.set({ value: '$17.49', other: 2 })
    const { id: run_id } = await kettle.run()
    const last = await kettle.run()
    const row = await rowOf(kettle.id)
    expect(row).toMatchObject({
      value: { field: 'value', text: '$17.49' },
      last_change: { run_id, field: 'other', before: '1', after: '2', more: 0 },
      last_run: { id: last.id },
      spark: [19.99, 18, 17.49],
      unseen: true,
    })
    expect(JSON.stringify(row).length).toBeLessThanOrEqual(700)
  })
})

describe('the order of the overview', () => {
  test.each([
    ['name', ['Ärmel', 'Kettle', 'Shop 1', 'shop 2', 'Shop 10', 'Zebra']],
    ['-name', ['Zebra', 'Shop 10', 'shop 2', 'Shop 1', 'Kettle', 'Ärmel']],
    ['created', ['Kettle', ...NAMES]],
    ['-created', ['Kettle', ...NAMES].reverse()],
  ])('by %s', async (sort, expected) => {
    expect(await names(`sort=${sort}`)).toEqual(expected)
  })

  test.each(['last_change', '-last_change', 'last_run', '-last_run'])('has what has none last: %s', async (sort) => {
    expect((await names(`sort=${sort}`))[0]).toBe('Kettle')
  })
})

describe('the filters of the overview', () => {
  test.each([
    ['q=SHOP', ['Shop 1', 'shop 2', 'Shop 10']],
    ['q=%C3%A4rm', ['Ärmel']],
    ['kind=serp', []],
    ['status=active', ['Kettle']],
    ['failing=true', []],
    ['error_code=timeout', []],
    ['managed_by=kubernetes', []],
    ['locked=true', []],
    ['locked=false&q=SHOP', ['Shop 1', 'shop 2', 'Shop 10']],
    ['label=team%3Dshop', ['Kettle']],
    ['unseen=true', ['Kettle']],
    ['changed_since=2000-01-01T00:00:00.000Z', ['Kettle']],
    ['changed_since=2100-01-01T00:00:00.000Z', []],
  ])('%s', async (query, expected) => {
    expect(await names(`sort=name&${query}`)).toEqual(expected)
    expect((await counts(query)).total).toBe(expected.length)
  })

  test.each(['kind=search', 'sort=none', 'q=', 'changed_since=yesterday', 'label=%3D'])('refuses %s', async (query) => {
    expect(pathsOf(await me.get(`/v1/overview?${query}`))).toEqual([query.split('=')[0]])
  })
})

test.each([
  ['a page that ends the list', 2, 1],
  ['a page before its end', 1, 2],
  ['a page behind its end', 3, 0],
])('tells the length of a filtered list on %s', async (_, page, rows) => {
  for (const order of ['name', 'failures']) {
    const { body } = await me.get(`/v1/overview?q=SHOP&sort=${order}&limit=2&page=${page}`)
    expect(body).toMatchObject({ pagination: { total: 3 } })
    expect(body.data).toHaveLength(rows)
  }
})

test('the counts are those of the lists that the filters leave', async () => {
  expect(await counts()).toEqual({
    total: 6,
    unseen: 1,
    failing: 0,
    muted: 0,
    locked: 0,
    by_status: [
      { status: 'paused', count: 5 },
      { status: 'active', count: 1 },
    ],
    by_kind: [{ kind: 'page', count: 6 }],
    failing_destinations: 0,
    given_up_deliveries: 0,
    by_error: [],
    labels: [{ key: 'team', value: 'shop', count: 1 }],
  })
  const { by_error: _, labels: __, failing_destinations: ___, given_up_deliveries: ____, ...chips } = await counts()
  const nothing = 'count_errors=false&count_labels=false&count_destinations=false'
  expect(await counts(nothing)).toEqual(chips)
})

describe('a last change that the plan does not show', () => {
  test('stays as text with its time, without its run, and is nothing that is to be seen', async () => {
    const { api, anotherTeam } = watching.served
    const old = await anotherTeam('starter')
    const { id } = await createMonitor(old)
    const run = await seedRun(api.services, id, { extracted: {}, age: '700 days' })
    const change = { run_id: run, at: '2025-01-01T00:00:00.000Z', field: 'price', before: '1', after: '2', more: 3 }
    const summary = JSON.stringify({ value: { field: 'price', text: '2' }, change, spark: null })
    await api.sql(`
      update checks set last_change_id = '${run}', reading_id = '${run}', run_id = null, due_at = null
        where no = (select no from monitors where id = '${id}');
      insert into baselines (no, team_id, extracted, summary)
        select no, team_id, '{}', '${summary}' from monitors where id = '${id}'
        on conflict (no) do update set summary = excluded.summary`)
    const shown = { ...change, run_id: null }
    expect(await rowOf(id, old)).toMatchObject({ last_change: shown, unseen: false, value: { text: '2' } })
    await api.sql(`delete from runs where id = '${run}'`)
    expect(await rowOf(id, old)).toMatchObject({ last_change: shown, unseen: false })
    expect(await counts('unseen=true', old)).toMatchObject({ total: 0 })
    await old.delete(`/v1/monitors/${id}`)
    expect((await list('', old)).data).toEqual([])
  })
})

test('the largest rows of a page fit their bound, and hostile texts are shown as texts', async () => {
  const team = await watching.served.anotherTeam('unlimited')
  const labels = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`${n}`.padStart(63, 'k'), 'v'.repeat(63)]))
  const name = `<script>\u202e${'"'.repeat(180)}`
  const { id } = await createMonitor(team, { name, labels, url: `https://example.com/${'p'.repeat(2_000)}` })
  const text = '"'.repeat(80)
  const summary = {
    value: { field: '"'.repeat(100), text },
    change: { run_id: id, at: '2025-01-01T00:00:00.000Z', field: text, before: text, after: text, more: 9 },
    spark: { field: 'x', points: Array.from({ length: 24 }, () => -1.234567890123456e-300) },
  }
  await watching.served.api.sql(`
    insert into monitors (team_id, user_id, name, url, schedule_interval_seconds, extract_config, diff_predicate,
      fetch_mode, labels)
    select team_id, user_id, name, url, schedule_interval_seconds, extract_config, diff_predicate, fetch_mode, labels
    from monitors, generate_series(1, 99) where id = '${id}';
    insert into checks (no, team_id, queue, interval_seconds, shift_seconds)
    select no, team_id, 'static', 60, 0 from monitors where team_id = '${team.owner.team_id}' on conflict do nothing;
    insert into baselines (no, team_id, extracted, summary)
    select no, team_id, '{}', '${JSON.stringify(summary)}' from monitors where team_id = '${team.owner.team_id}'
    on conflict (no) do update set summary = excluded.summary;
    update checks set last_change_id = '${id}', reading_id = '${id}' where team_id = '${team.owner.team_id}'`)
  const { data } = await list('', team)
  expect(data).toHaveLength(100)
  expect(data[0]).toMatchObject({ name })
  expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(RECORDS.overview)
  expect((await counts('', team)).labels).toHaveLength(32)
})

test('a team sees none of another', async () => {
  const stranger = await watching.served.anotherTeam()
  expect((await list('', stranger)).data).toEqual([])
  expect(await counts('', stranger)).toMatchObject({ total: 0, labels: [] })
})

test('searches have what they ask for, are found by their keyword, and stand together by it', async () => {
  const team = await watching.served.anotherTeam()
  const search = { schedule_interval_seconds: 600, target_domain: 'example.com' }
  const asked = [
    ['b', 'red shoes', 'google'],
    ['c', 'Kettle', 'google'],
    ['a', 'red shoes', 'bing'],
    ['d', 'kettle', 'bing'],
  ]
  for (const [name, keyword, engine] of asked)
    await team.post('/v1/serp-monitors?paused=true', { ...search, name, keyword, engine, device: 'mobile' })
  await createMonitor(team, { name: 'page' })
  const rows = async (query: string) => (await list(query, team)).data
  const all = await rows('sort=keyword')
  expect(all.map(({ search: of }) => of?.keyword)).toEqual(['kettle', 'Kettle', 'red shoes', 'red shoes', undefined])
  expect(all.at(-1)?.search).toBeNull()
  const shoes = await rows('keyword=red%20shoes&sort=name')
  expect(shoes.map(({ name }) => name)).toEqual(['a', 'b'])
  expect(shoes[0]?.search).toEqual({
    keyword: 'red shoes',
    engine: 'bing',
    location_code: 'us',
    language_code: 'en',
    device: 'mobile',
    pages: 1,
    target_domain: 'example.com',
  })
  expect(await rows('keyword=shoes')).toEqual([])
})
