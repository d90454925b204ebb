import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../support/database.ts'
import { INTERVAL_SECONDS, TEAM } from '../support/monitors.ts'

/** How late fetches begin when this many checks are due each second, evenly spread. */
export interface Lateness {
  readonly perSecond: number
  readonly checks: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/**
 * Spreads the next runs of checks evenly over some seconds, lets a running worker do them, and reads from the runs when
 * each began.
 */
export async function measureLateness(database: Database, perSecond: number, checks: number): Promise<Lateness> {
  const { client } = database
  await client.query(
    `with t as (select clock() + interval '2 seconds' as at),
     n as (select no, row_number() over (order by no) as place from checks order by no limit $2)
     update checks c set due_at = t.at + place * make_interval(secs => 1.0 / $1::int),
       next_run_at = t.at + place * make_interval(secs => 1.0 / $1::int)
     from t, n where n.no = c.no`,
    [perSecond, checks],
  )
  const { since } = await database.one<{ since: string }>('select clock()::text as since')
  const isDone =
    `select not exists (select from checks where team_id = '${TEAM}' and queue = 'static' and due_at <= (select ` +
    `clock() + interval '10 minutes')) as done`
  while (!(await database.one<{ done: boolean }>(isDone)).done) await pause(200)
  const found = await database.one<{ checks: number; p50: number; p99: number }>(
    `with late as (
       select extract(epoch from run_id_time(r.id) - (c.next_run_at - interval '${INTERVAL_SECONDS} seconds')) * 1000 +
         r.start_offset_ms as ms
       from checks c join runs r on r.monitor_no = c.no
       where r.id >= run_id_floor($1::timestamptz) and c.last_run_at >= $1::timestamptz)
     select count(*)::int as checks, percentile_cont(0.5) within
       group (order by ms) as p50, percentile_cont(0.99) within group (order by ms) as p99 from late`,
    [since],
  )
  if (found.checks !== checks) throw new Error(`${found.checks} of ${checks} checks ran`)
  return { perSecond, checks, p50Ms: found.p50, p99Ms: found.p99 }
}
