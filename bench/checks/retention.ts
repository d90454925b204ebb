import { openStore, type Store } from '../../store/db/client.ts'
import { forgetOld } from '../../store/maintenance/retention.ts'
import { claimChecks, CLAIMED_PAGE, CLAIMED_SEARCH, claimedOf } from '../../store/queue/claim.ts'
import { recordUnchanged } from '../../store/queue/record-unchanged.ts'
import type { Database, Server } from '../support/database.ts'
import { insertMonitors, insertTeam, TEAM } from '../support/monitors.ts'

const CLAIMED = claimedOf([CLAIMED_PAGE, CLAIMED_SEARCH])

/** The size of the measurement: so many runs of so many monitors, of which some are older than the window. */
export interface RetentionSize {
  readonly runs: number
  readonly monitors: number
  /** Seconds of checks before the clean-up begins. */
  readonly restSeconds: number
}

/** What claims and records took, in ms for each statement. */
interface Statements {
  readonly count: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly mostMs: number
}

/** A clean-up, and what the checks beside it felt of it. */
export interface RetentionCost extends RetentionSize {
  readonly date: string
  readonly seconds: number
  readonly deleted: number
  /** Months that were dropped whole, and the runs in them. */
  readonly months: number
  readonly dropped: number
  readonly before: Statements
  readonly during: Statements
  /** How often the locks were looked at, and how often a session waited for a lock of the clean-up. */
  readonly looks: number
  readonly waits: number
}

/** The ages of the runs reach so far back. The plan of the team shows half a year. */
const DAYS = 300
const WINDOW_DAYS = 180
const BATCH = 500_000
/** A claim and a record this often, of so many checks. */
const EVERY_MS = 100
const CHECKS = 50
const LOOK_MS = 20

/** Measures a clean-up with checks beside it, on the tables of production. */
export async function measureRetention(
  server: Server,
  size: RetentionSize,
  say: (line: string) => void,
): Promise<RetentionCost> {
  const database = await server.create('bench_retention')
  const open = (name: string) => openStore({ url: database.url, name, connections: 2 })
  const [checks, cleaner] = [await open('bench checks'), await open('bench clean-up')]
  const stop = new AbortController()
  try {
    await fill(database, size, say)
    const dropped = await oldMonthsRuns(database)
    const beside = startChecks(checks, stop.signal)
    await new Promise((resolve) => setTimeout(resolve, size.restSeconds * 1000))
    const before = statementsOf(beside.take())
    say('the clean-up')
    const watch = watchLocks(database, stop.signal)
    const start = performance.now()
    const { runs: deleted, months } = await forgetOld(cleaner, new AbortController().signal)
    const seconds = (performance.now() - start) / 1000
    // The round under way counts. A clean-up of few runs may end between two rounds.
    await Promise.race([beside.roundEnd(), beside.done])
    const during = statementsOf(beside.take())
    stop.abort()
    await beside.done
    const { looks, waits } = await watch
    return { ...size, date: new Date().toISOString(), seconds, deleted, months, dropped, before, during, looks, waits }
  } finally {
    stop.abort()
    await checks.end()
    await cleaner.end()
    await database.close()
  }
}

/** Inserts the runs, evenly over the days and the monitors, with a reading in each month as the worker writes them. */
async function fill(database: Database, { runs, monitors }: RetentionSize, say: (line: string) => void): Promise<void> {
  const { client } = database
  await insertTeam(database)
  await client.query(`update teams set tier = 'starter' where id = '${TEAM}'`)
  await client.query(`update team_usage set runs_limit = null where team_id = '${TEAM}'`)
  const due = `clock() + no % 60 * interval '1 second'`
  await insertMonitors(database, { from: 0, to: monitors, base: 'http://127.0.0.1:9/shop', due })
  await client.query('update checks set interval_seconds = 60, shift_seconds = 0')
  await client.query(
    `select ensure_run_partition(month) from generate_series(clock() - interval '${DAYS + 1} days', clock(),
       interval '20 days') month`,
  )
  const each = Math.ceil(runs / monitors)
  for (let from = 0; from < runs; from += BATCH) {
    say(`runs ${from.toLocaleString('en')} of ${runs.toLocaleString('en')}`)
    await client.query(
      `insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, fetch_method)
       select c.no, new_run_id(clock() - interval '${DAYS} days' * (1 - (i / $3::int + 0.5) / $4::int), c.no),
         c.team_id, 0, 120, 'success', 'static'
       from generate_series($1::int, $2::int - 1) i
       join (select no, team_id, row_number() over (order by no) - 1 as at from checks) c on c.at = i % $3::int`,
      [from, Math.min(from + BATCH, runs), monitors, each],
    )
  }
  await client.query(
    `update checks c set runs_total = n.count, last_run_at = clock(), reading_hash = '\\x00', reading_id = n.last
     from (select distinct on (monitor_no) monitor_no, id as last, count(*) over (partition by monitor_no) as count
       from runs order by monitor_no, id desc) n
     where c.no = n.monitor_no`,
  )
  await client.query(`insert into baselines (no, team_id, extracted) select no, team_id, '{"price":"1"}' from checks`)
  await client.query('vacuum analyze')
}

/** Returns the number of runs in months that the clean-up drops whole. */
async function oldMonthsRuns(database: Database): Promise<number> {
  const { count } = await database.one<{ count: number }>(
    `select count(*)::float8 as count from runs
     where id < run_id_floor(date_trunc('month', clock() - interval '${WINDOW_DAYS} days', 'UTC'))`,
  )
  return count
}

/** Claims and records checks at a steady pace, as a worker does, until the signal. */
function startChecks(store: Store, stopping: AbortSignal) {
  let took: number[] = []
  let ending = Promise.withResolvers<void>()
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    const done = await work()
    took.push(performance.now() - start)
    return done
  }
  async function round(): Promise<void> {
    const claim = { queue: 'static', limit: CHECKS, perTeam: CHECKS, afterTeam: '', leaseSeconds: 60 } as const
    const claimed = await timed(() => claimChecks(store, CLAIMED, claim))
    if (claimed.length === 0) return
    const runs = claimed.map(({ no, fence, run_id }) => ({
      ...{ no, fence, run_id, fetch_method: 'static' as const, fetch_reason: null, start_offset_ms: 1 },
      ...{ duration_ms: 100, etag: null, last_modified: null, body_hash: null, read_by: 1 },
    }))
    const recorded = await timed(() => recordUnchanged(store, runs))
    if (recorded.size !== runs.length) throw new Error(`${recorded.size} of ${runs.length} checks were recorded`)
  }
  async function rounds(): Promise<void> {
    while (!stopping.aborted) {
      const start = performance.now()
      await round()
      ending.resolve()
      ending = Promise.withResolvers()
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, EVERY_MS - (performance.now() - start))))
    }
  }
  const done = rounds()
  // It is awaited at the end.
  done.catch(() => undefined)
  return {
    done,
    /** Resolves when the round that is under way ends, or else the next one. */
    roundEnd: () => ending.promise,
    take() {
      const all = took
      took = []
      return all
    },
  }
}

/** Counts how often another session waits for a lock that the clean-up has. */
async function watchLocks({ client }: Database, stopping: AbortSignal): Promise<{ looks: number; waits: number }> {
  let looks = 0
  let waits = 0
  while (!stopping.aborted) {
    const { rows } = await client.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity a
       where a.datname = current_database() and a.wait_event_type = 'Lock' and exists (
         select from unnest(pg_blocking_pids(a.pid)) pid join pg_stat_activity b using (pid)
         where b.application_name = 'bench clean-up')`,
    )
    looks += 1
    waits += rows[0]?.waiting ?? 0
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return { looks, waits }
}

function statementsOf(took: readonly number[]): Statements {
  const sorted = [...took].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(1) }
}
