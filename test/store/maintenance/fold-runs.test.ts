import { sql } from 'slonik'
import { beforeEach, describe, expect, test } from 'vitest'
import { nothing } from '../../../store/db/row.ts'
import { foldRuns } from '../../../store/maintenance/fold-runs.ts'
import { forgetOld } from '../../../store/maintenance/retention.ts'
import { ensureRunPartitions } from '../../../store/queue/record-reading.ts'
import { countRuns, listRuns } from '../../../store/runs/runs.ts'
import { storedRun } from '../../../store/runs/stored-runs.ts'
import { seedRun } from '../../support/api/seeded-runs.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)
beforeEach(async () => {
  await database.query(`
    truncate runs, run_stretches, folded_days, forgotten_runs, run_images, deliveries, baselines, checks, monitors
      cascade
  `)
  // After noon of the tenth of a month: no day that a test names is cut, and no window begins at a run.
  await database.setClock(`${await secondsToTenth()} s`)
  await ensureRunPartitions(database.store)
})

const secondsToTenth = async () =>
  (
    await database.query<{ s: number }>(
      `select extract(epoch from
         date_trunc('month', now(), 'UTC') + interval '1 month 9 days 12 hours 7 minutes 5 seconds' - now())::int as s`,
    )
  )[0]?.s

const NEVER = new AbortController().signal
const fold = () => foldRuns(database.store, NEVER)

interface Watched {
  readonly no: number
  readonly teamId: string
  readonly id: string
}

async function monitor(tier = 'scale'): Promise<Watched> {
  const teamId = await database.team()
  await database.query('update teams set tier = $2 where id = $1', [teamId, tier])
  const [no = 0] = await database.monitors(teamId)
  return { no, teamId, id: (await database.monitor(no)).id }
}

interface Inserted {
  readonly days?: number
  readonly minutes?: number
  /** The reading that there is. Absent: one comes first. */
  readonly reading?: string | undefined
}

/** Minutes from midnight to what the clock says. */
const SINCE_MIDNIGHT = 12 * 60 + 7

/** Stores a run for each state, so many minutes apart, from the midnight of so many days ago on. Returns their ids. */
async function insert(
  { id }: Watched,
  states: readonly State[],
  { days = 3, minutes = 10, reading }: Inserted = {},
): Promise<readonly string[]> {
  const ids: string[] = []
  for (const [nth, state] of [...(reading === undefined ? (['reading'] as const) : []), ...states].entries()) {
    const at = { age: `${days * 1_440 + SINCE_MIDNIGHT - nth * minutes} minutes`, fetchMethod: 'static' } as const
    ids.push(await seedRun(database, id, { ...at, ...columnsOf(state, reading ?? ids[0] ?? '') }))
  }
  return ids
}

type State = 'same' | 'error' | 'warned'
function columnsOf(state: State | 'reading', readingId: string): Parameters<typeof seedRun>[2] {
  if (state === 'reading') return { extracted: { price: '1' } }
  if (state === 'error') return { status: 'error' }
  return state === 'same' ? { readingId } : { readingId, warnings: ['slow'] }
}

const same = (count: number): readonly State[] => Array.from({ length: count }, () => 'same')
const rowsOf = async (no: number) => (await database.runs(no)).map(({ id }) => id)
const stretchesOf = (no: number) =>
  database.query<{ ids: string[]; first_id: string; last_id: string }>(
    'select ids, first_id, last_id from run_stretches where monitor_no = $1 order by last_id',
    [no],
  )

describe('unchanged runs of past days', () => {
  test('become stretches of a hundred at most, and take a fifth of the space at most', async () => {
    const watched = await monitor()
    const ids = await insert(watched, same(143))
    await insert(watched, same(2), { days: 0 })
    expect(await fold()).toBe(141)
    const stretches = await stretchesOf(watched.no)
    expect(stretches.map((one) => one.ids.length)).toEqual([99, 42])
    // The last run of each stays a row.
    expect(stretches.flatMap((one) => one.ids)).toEqual([...ids.slice(1, 100), ...ids.slice(101, 143)])
    for (const one of stretches) expect([one.first_id, one.last_id]).toEqual([one.ids[0], one.ids.at(-1)])
    const [size] = await database.query<{ bytes: number }>(
      'select sum(pg_column_size(s.*))::int as bytes from run_stretches s where monitor_no = $1',
      [watched.no],
    )
    expect((size?.bytes ?? Infinity) / 143).toBeLessThanOrEqual(32)
    expect((await rowsOf(watched.no)).slice(0, 3)).toEqual([ids[0], ids[100], ids[143]])
    expect(await fold()).toBe(0)
  })

  test('stay rows where they are of yesterday, or too few for a stretch', async () => {
    const watched = await monitor()
    await insert(watched, same(3), { days: 3 })
    await insert(watched, same(20), { days: 1 })
    await insert(watched, same(2), { days: 0 })
    expect(await fold()).toBe(0)
    expect(await stretchesOf(watched.no)).toEqual([])
  })

  test('stay rows where they have anything of their own, or come behind what did not succeed', async () => {
    const watched = await monitor()
    const ids = await insert(watched, [...same(4), 'error', 'same', 'same', 'warned', 'same', 'same'])
    await database.query(
      `insert into run_images (run_id, monitor_no, team_id, change_pct, has_changes, thumb_id, regions)
       values ($1, $2, $3, 0, false, gen_random_uuid(), '[]')`,
      [ids[2], watched.no, watched.teamId],
    )
    await insert(watched, same(1), { days: 0 })
    expect(await fold()).toBe(5)
    expect((await rowsOf(watched.no)).slice(0, -2)).toEqual([0, 2, 5, 6, 8, 10].map((nth) => ids[nth]))
  })

  test('stay rows where they are the newest success, for which others look', async () => {
    const watched = await monitor()
    const ids = await insert(watched, same(8))
    const failing = await insert(watched, ['error', 'error'], { days: 2, reading: ids[0] })
    expect(await fold()).toBe(6)
    expect(await rowsOf(watched.no)).toEqual([ids[0], ...ids.slice(-2), ...failing])
  })

  test('are folded day by day, also where nobody was there for days, and none is folded twice', async () => {
    const watched = await monitor()
    for (const days of [9, 6, 2]) await insert(watched, same(5), { days })
    const ended = AbortSignal.abort()
    expect(await foldRuns(database.store, ended)).toBe(0)
    expect(await fold()).toBe(11)
    expect(await stretchesOf(watched.no)).toHaveLength(3)
    await insert(watched, same(5), { days: 0 })
    await database.setClock(`${Number(await secondsToTenth()) + 2 * 86_400} s`)
    // The newest one of before is not looked at again: its day is done.
    expect(await fold()).toBe(3)
  })

  test('are folded once by monitor and day, also where the call before was interrupted', async () => {
    const watched = await monitor()
    // What stays between stretches is alike, and would reach over them.
    const warned = (nth: number): State => (nth % 7 === 6 ? 'warned' : 'same')
    await insert(
      watched,
      Array.from({ length: 60 }, (_, nth) => warned(nth)),
    )
    await insert(watched, same(1), { days: 0 })
    expect(await fold()).toBeGreaterThan(30)
    const stretches = await stretchesOf(watched.no)
    await database.query('delete from folded_days')
    expect(await fold()).toBe(0)
    expect(await stretchesOf(watched.no)).toEqual(stretches)
  })

  test('of monitors that are checked each minute for days are folded within the time of a statement', async () => {
    const teamId = await database.team()
    const numbers = await database.monitors(teamId, { count: 20 })
    // In the order of time, as workers write them.
    await database.query(
      `insert into runs (monitor_no, id, team_id, reading_id, start_offset_ms, duration_ms, status, fetch_method, fired)
       select no, new_run_id(clock() - make_interval(mins => minute, secs => no % 60), no), $1, $3, 0, 7,
         'success', 'static', false
       from generate_series(4 * 1440, 1, -1) minute cross join unnest($2::bigint[]) no`,
      [teamId, numbers, '018f0000-0000-7000-8000-000000000001'],
    )
    await database.query('vacuum analyze runs')
    expect(await fold()).toBeGreaterThan(20 * 1_440)
  }, 60_000)
})

describe('stretches', () => {
  const seen = async ({ teamId, id }: Watched) => ({
    total: await countRuns(database.store, teamId, id, 'page'),
    listed: (await listRuns(database.store, { kind: 'page', teamId, monitorId: id, offset: 0, limit: 100 })).map(
      (run) => run.id,
    ),
  })

  test('of which a part is hidden show and count the rest; when all of it is, they are deleted', async () => {
    const watched = await monitor('free')
    // The window of the plan, of some days, begins in the middle of the day.
    const [plan] = await database.query<{ days: number }>(
      `select (limits->>'retentionDays')::int as days from team_limits($1)`,
      [watched.teamId],
    )
    const ids = await insert(watched, same(80), { days: plan?.days ?? 0, minutes: 15 })
    await insert(watched, same(1), { days: 0 })
    const before = await seen(watched)
    expect(before.listed.length).toBeLessThan(ids.length)
    expect(before.total).toBe(before.listed.length)
    expect(await fold()).toBe(79)
    expect(await forgetOld(database.store, NEVER)).toMatchObject({ folded: 0, runs: 0 })
    expect(await seen(watched)).toEqual(before)
    // The reading that they refer to stays as long as one of them is seen.
    expect(await rowsOf(watched.no)).toContain(ids[0])
    await database.setClock(`${Number(await secondsToTenth()) + 86_400} s`)
    expect(await forgetOld(database.store, NEVER)).toMatchObject({ runs: 81 })
    expect(await stretchesOf(watched.no)).toEqual([])
    const after = await seen(watched)
    expect(after.total).toBe(after.listed.length)
    expect(after.listed).toHaveLength(2)
  })

  test('have every column that a run can have, so that none is lost by folding', async () => {
    const none = sql.fragment`'00000000-0000-7000-8000-000000000000'::uuid`
    const { fields } = await database.store.query(sql.type(nothing)`${storedRun(sql.fragment`0`, none)}`)
    const columns = await database.query<{ name: string }>(
      `select attname::text as name from pg_attribute
       where attrelid = 'runs'::regclass and attnum > 0 and not attisdropped`,
    )
    expect(fields.map(({ name }) => name).sort()).toEqual(columns.map(({ name }) => name).sort())
  })

  test('go with their monitor', async () => {
    const watched = await monitor('free')
    await insert(watched, same(10))
    await insert(watched, same(1), { days: 0 })
    await fold()
    await changeMonitors(database, watched.no, { deletedAt: new Date().toISOString() })
    await database.setClock(`${Number(await secondsToTenth()) + 400 * 86_400} s`)
    await ensureRunPartitions(database.store)
    expect(await forgetOld(database.store, NEVER)).toMatchObject({ monitors: 1 })
    expect(await database.query('select from run_stretches')).toEqual([])
  })
})
