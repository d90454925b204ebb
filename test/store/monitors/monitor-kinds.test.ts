import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SerpMonitorSpec } from '../../../schema/serp/serp-monitor.ts'
import { PAGE_TABLE } from '../../../store/monitors/kinds/page-table.ts'
import { SEARCH_TABLE, serpMonitorSpec } from '../../../store/monitors/kinds/search-table.ts'
import { insertMonitors } from '../../../store/monitors/monitor-create.ts'
import { lockMonitor } from '../../../store/monitors/monitor-edit.ts'
import { runNow } from '../../../store/monitors/monitor-run-now.ts'
import { countMonitors, findMonitor, isOnlyOfItsName, listMonitors } from '../../../store/monitors/monitors.ts'
import { findSigningFacts } from '../../../store/monitors/signing-secret.ts'
import { readUsage } from '../../../store/quota/usage-summary.ts'
import { countRuns, listRuns } from '../../../store/runs/runs.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'

let database: QueueDatabase
let team: string
beforeAll(async () => {
  database = await openQueueDatabase()
  team = await database.team()
})
afterAll(() => database[Symbol.asyncDispose]())

const PAGE = {
  kind: `'page'`,
  schedule_interval_seconds: '60',
  url: `'https://example.com'`,
  extract_config: `'{"method":"full_page"}'`,
  diff_predicate: `'{"type":"any_field_changes"}'`,
  fetch_mode: `'auto'`,
}
const SERP = {
  kind: `'serp'`,
  schedule_interval_seconds: '600',
  keyword: `'kettle'`,
  engine: `'google'`,
  mode: `'rank_tracking'`,
  pages: '3',
  location_code: `'us'`,
  language_code: `'en'`,
  device: `'desktop'`,
  target_domain: `'example.com'`,
  rank_change_threshold: '2',
}

/** Inserts a monitor with these columns; returns its id. */
async function insert(columns: Readonly<Record<string, string>>, name = 'M'): Promise<string> {
  const names = Object.keys(columns).join(', ')
  const values = Object.values(columns).join(', ')
  const [made] = await database.query<{ id: string }>(
    `insert into monitors (team_id, user_id, name, ${names})
     values ('${team}', gen_random_uuid(), '${name}', ${values}) returning id`,
  )
  return made?.id ?? ''
}

describe('the store refuses', () => {
  test.for(['url', 'extract_config', 'diff_predicate', 'fetch_mode'])('a page without %s', async (column) => {
    await expect(insert({ ...PAGE, [column]: 'null' })).rejects.toThrow('page_parts')
  })

  test.for(['keyword', 'engine', 'mode', 'pages', 'location_code', 'language_code', 'device'])(
    'a search without %s',
    async (column) => {
      await expect(insert({ ...SERP, [column]: 'null' })).rejects.toThrow('serp_parts')
    },
  )

  test('what belongs to the other kind', async () => {
    await expect(insert({ ...PAGE, keyword: `'kettle'` })).rejects.toThrow('page_parts')
    await expect(insert({ ...SERP, url: `'https://example.com'` })).rejects.toThrow('serp_parts')
  })

  test.for([
    ['kind', `'feed'`],
    ['engine', `'altavista'`],
    ['mode', `'both'`],
    ['pages', '0'],
    ['pages', '6'],
    ['location_code', `'usa'`],
    ['language_code', `'E'`],
    ['device', `'tablet'`],
    ['rank_change_threshold', '0'],
  ] as const)('a search whose %s is %s', async ([column, value]) => {
    await expect(insert({ ...SERP, [column]: value })).rejects.toThrow(`monitors_${column}_check`)
  })

  test('a search more often than every ten minutes, and a target where none is looked up', async () => {
    await expect(insert({ ...SERP, schedule_interval_seconds: '599' })).rejects.toThrow('serp_parts')
    await expect(insert({ ...SERP, mode: `'full_analysis'` })).rejects.toThrow('serp_parts')
    await insert({ ...SERP, mode: `'full_analysis'`, target_domain: 'null' })
  })
})

test('what is asked for pages leaves searches out; what tells of a run or a delivery does not ask', async () => {
  await insert(PAGE, 'Twin')
  const id = await insert(SERP, 'Twin')
  await database.query(
    `insert into checks (no, team_id, queue, interval_seconds, shift_seconds)
     select no, team_id, case kind when 'serp' then 'serp' else 'static' end::check_queue, 600, 0
     from monitors where name = 'Twin'`,
  )
  const { store, secrets } = database
  const list = await listMonitors(store, PAGE_TABLE, { teamId: team, limit: 20, offset: 0 })
  expect(list.filter(({ name }) => name === 'Twin')).toHaveLength(1)
  expect(await countMonitors(store, PAGE_TABLE, { teamId: team })).toBe(list.length)
  expect(await isOnlyOfItsName(store, team, 'Twin', 'page')).toBe(true)
  expect(await findMonitor(store, team, id, PAGE_TABLE)).toBeNull()
  expect(await findSigningFacts(store, secrets, { teamId: team, id, kind: 'page' })).toBeNull()
  expect(await countRuns(store, team, id, 'page')).toBeNull()
  expect(await listRuns(store, { kind: 'page', teamId: team, monitorId: id, limit: 20, offset: 0 })).toEqual([])
  await store.transaction(async (tx) => {
    expect(await lockMonitor(tx, team, id, PAGE_TABLE)).toBeNull()
    expect(await runNow(tx, team, id, 'page')).toEqual({ kind: 'missing' })
  })
})

test('the usage summary counts the kinds apart', async () => {
  const before = await readUsage(database.store, team)
  await database.query(`update monitors set locked = true where name = 'Twin'`)
  const after = await readUsage(database.store, team)
  expect(after).toMatchObject({
    monitorsActive: before.monitorsActive - 1,
    monitorsLocked: before.monitorsLocked + 1,
    serpMonitorsLocked: before.serpMonitorsLocked + 1,
  })
})

test('a claim from the queue of searches says what is asked of the engine; one of pages meets none', async () => {
  const [made] = await database.query<{ no: number }>(
    `select no::float8 from monitors where name = 'Twin' and kind = 'serp'`,
  )
  await database.query(`update checks set due_at = clock(), cost = 3 where no = $1`, [made?.no])
  expect(await database.claim()).toEqual([])
  const [claimed] = await database.claim({ queue: 'serp' })
  expect(claimed).toMatchObject({
    kind: 'serp',
    no: made?.no,
    fence: 1,
    search: {
      engine: 'google',
      keyword: 'kettle',
      pages: 3,
      location_code: 'us',
      language_code: 'en',
      device: 'desktop',
    },
  })
})

test('searches of several teams are stored at once, in their order, locked where the plan has none', async () => {
  const [able, unable] = [await database.team(), await database.team()]
  await database.query(`update teams set serp = 'none' where id = $1`, [unable])
  await database.query(`update teams set serp = 'included' where id = $1`, [able])
  const spec = (name: string, more: Partial<SerpMonitorSpec> = {}): SerpMonitorSpec => ({
    ...{ name, keyword: 'kettle', engine: 'bing', mode: 'rank_tracking', pages: 2, location_code: 'us' },
    ...{ language_code: 'en', device: 'desktop', schedule_interval_seconds: 600, target_domain: 'example.com' },
    ...{ rank_change_threshold: null, deliveries: [], notify_on: [], quiet_hours: null, message: null },
    ...{ digest: null, external_key: null, labels: {}, ...more },
  })
  const hook = { type: 'webhook', url: 'https://hooks.example.com/a' } as const
  const specs = [
    spec('one', { deliveries: [hook], notify_on: ['failing', 'quota'], labels: { tier: 'gold' }, external_key: 'k' }),
    spec('two', { mode: 'full_analysis', target_domain: null, pages: 5 }),
    ...Array.from({ length: 200 }, (_, at) => spec(`${at}`)),
  ]
  const userId = '00000000-0000-7000-8000-000000000001'
  const monitors = specs.map((one, at) => ({ teamId: at % 2 ? unable : able, userId, spec: one }))
  const made = await database.store.transaction((tx) =>
    insertMonitors(tx, database.secrets, SEARCH_TABLE, [
      ...monitors,
      { teamId: userId, userId, spec: spec('of no team') },
      { teamId: able, userId, spec: spec('suspended'), declared: { by: 'kubernetes', suspended: true } },
    ]),
  )
  expect(made.at(-1)).toMatchObject({ name: 'suspended', suspended: true, managed_by: 'kubernetes', next_run_at: null })
  expect(made.at(-2)).toBeNull()
  const stored = made.slice(0, -2).filter((one) => one !== null)
  expect(stored.map((one) => serpMonitorSpec(one, database.secrets))).toEqual(specs)
  expect(stored.map(({ locked }) => locked)).toEqual(monitors.map(({ teamId }) => teamId === unable))
  const [cost] = await database.query<{ cost: number }>('select cost from checks where no = $1', [made[1]?.no])
  expect(cost).toEqual({ cost: 5 })
})
