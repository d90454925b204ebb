import { setTimeout as pause } from 'node:timers/promises'
import { cpuTimeMs } from '../support/cpu-time.ts'
import type { Database } from '../support/database.ts'
import { moveClock, TEAM } from '../support/monitors.ts'

/** The result of one round of Tidemark: every monitor is checked once. */
export interface Round {
  readonly checks: number
  /** The time from the first claim to the last record, by the store's clock. */
  readonly ms: number
  /** Processor time per check, µs. */
  readonly cpu: { readonly worker: number; readonly postgres: number }
}

const LOOK_EVERY_MS = 200
const PATIENCE_MS = 120_000

/**
 * Runs one round. It moves the clock so that all checks are due, waits until all are recorded, and verifies that each
 * monitor has exactly one more run, of the expected kind. `round` counts from 1.
 */
export async function runRound(database: Database, workerPid: number, round: number): Promise<Round> {
  const before = await database.one<{ checks: number; since: string }>(
    'select count(*)::int as checks, max(last_run_at)::text as since from checks',
  )
  const backends = await database.client.query<{ pid: number }>('select pid from pg_stat_activity')
  const pids = backends.rows.map(({ pid }) => pid)
  const worker = await cpuTimeMs([workerPid])
  const postgres = await cpuTimeMs(pids)
  await moveClock(database, round * 2)
  await untilRecorded(database)
  const cpu = {
    worker: ((await cpuTimeMs([workerPid])) - worker) * (1000 / before.checks),
    postgres: ((await cpuTimeMs(pids)) - postgres) * (1000 / before.checks),
  }
  const { ms } = await database.one<{ ms: number }>(
    `select (extract(epoch from (select max(last_run_at) from checks)
        - (select min(run_id_time(id)) from runs
          where id >= run_id_floor($1::timestamptz + interval '30 minutes'))) * 1000)::float8 as ms`,
    [before.since],
  )
  await verify(database, round + 1)
  return { checks: before.checks, ms, cpu }
}

/**
 * A claimed check is due again after a lease, a recorded one after half an hour. So the index on the due time shows
 * whether all are recorded, and polling costs nothing.
 */
async function untilRecorded(database: Database): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const { left } = await database.one<{ left: boolean }>(
      `select exists (select from checks where team_id = '${TEAM}' and queue = 'static' and due_at <= (select ` +
        `clock() + interval '10 minutes')) as left`,
    )
    if (!left) return
    if (performance.now() > until) throw new Error('the round did not end in time')
    await pause(LOOK_EVERY_MS)
  }
}

/** Verifies that no run is missing, duplicated or failed. */
async function verify(database: Database, runsEach: number): Promise<void> {
  const { wrong, failed } = await database.one<{ wrong: number; failed: number }>(
    `select (select count(*)::int from checks c left join (select monitor_no, count(*) as runs from runs group by 1) r
      on r.monitor_no = c.no
        where coalesce(r.runs, 0) <> $1 or c.runs_total <> $1) as wrong,
      (select count(*)::int from runs where status <> 'success') as failed`,
    [runsEach],
  )
  if (wrong > 0 || failed > 0)
    throw new Error(`${wrong} monitors do not have exactly ${runsEach} runs; ${failed} runs failed`)
}
