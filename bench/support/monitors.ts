import { createOwner, type CreatedOwner } from '../../store/accounts/accounts.ts'
import { ensureSessionKey } from '../../store/accounts/credentials/session-key.ts'
import { openStore } from '../../store/db/client.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import type { Database } from './database.ts'
import { PAGE_EXTRACT } from './page.ts'
import { ENCRYPTION_KEY } from './worker-process.ts'

/**
 * Monitors of one team without a limit, inserted by SQL: 30,000 requests to the API would take longer than the bench.
 */
export const TEAM = '00000000-0000-4000-8000-00000000be9c'
const PREDICATE = { type: 'any_field_changes' }
/** No check is due again within a round. Moving the clock makes the next one due. */
export const INTERVAL_SECONDS = 3600

export interface Monitors {
  /** Default: the team of `insertTeam`. */
  readonly team?: string
  /** Monitors with numbers below `from` exist already. */
  readonly from: number
  readonly to: number
  /** The monitor n watches `<base>/n`. */
  readonly base: string
  /** Seconds. Default: `INTERVAL_SECONDS`. */
  readonly interval?: number
  /** SQL: the time at which the check of the monitor `no` is due; default at once. */
  readonly due?: string
}

export async function insertTeam(database: Database): Promise<void> {
  await database.client.query(`
    insert into teams (id, name, owner_user_id, tier) values ('${TEAM}', 'bench', gen_random_uuid(), 'scale');
    insert into team_usage (team_id, runs_limit) values ('${TEAM}', 1000000000000000)`)
}

/** Makes an owner whose team has no limit. */
export async function insertOwner({ url }: Database): Promise<CreatedOwner> {
  const store = await openStore({ url, name: 'bench owner', connections: 1 })
  try {
    const made = await createOwner(store, {
      email: 'bench@example.com',
      plan: 'unlimited',
      serp: false,
      sessionKey: await ensureSessionKey(store, createSecretBox(ENCRYPTION_KEY), ENCRYPTION_KEY),
    })
    if (!made.ok) throw new Error(made.reason)
    return made.owner
  } finally {
    await store.end()
  }
}

/** Inserts monitors whose checks are due at once. */
export async function insertMonitors(
  { client }: Database,
  { team = TEAM, from, to, base, interval = INTERVAL_SECONDS, due = 'clock()' }: Monitors,
): Promise<void> {
  await client.query(
    `with m as (
       insert into monitors (team_id, user_id, name, url, schedule_interval_seconds, extract_config, diff_predicate,
         fetch_mode)
       select $1::uuid, gen_random_uuid(), 'Kettle ' || n, $2 || '/' || n, $7::int, $3::jsonb, $4::jsonb,
         'auto'
       from generate_series($5::int, $6::int - 1) n
       returning no, team_id
     )
     insert into checks (no, team_id, queue, due_at, next_run_at, interval_seconds, shift_seconds)
     select no, team_id, 'static', due, due, $7::int, no % 30 from m, lateral (select ${due} as due) d`,
    [team, base, JSON.stringify(PAGE_EXTRACT), JSON.stringify(PREDICATE), from, to, interval],
  )
}

/**
 * Gives all monitors a copy of the first run of one monitor, so that the warm-up need not extract 20,000 pages to reach
 * the measured state. Each has a run of its own that its baseline points at.
 */
export async function copyFirstRun({ client }: Database): Promise<void> {
  await client.query(`
    with first as (
      select c.no, c.reading_hash, c.body_hash, c.etag, c.last_modified, c.read_by, c.last_run_at, r.id, r.extracted,
        r.duration_ms, r.fetch_method
      from checks c join runs r on r.monitor_no = c.no and r.id = c.reading_id
      where c.last_run_at is not null
    ),
    others as (
      update checks c
      set reading_id = new_run_id(clock(), c.no), reading_hash = f.reading_hash, body_hash = f.body_hash, etag = f.etag,
        last_modified = f.last_modified, read_by = f.read_by, last_run_at = f.last_run_at, runs_total = 1,
        due_at = clock() + interval '30 minutes' + c.no * interval '1 ms',
          next_run_at = clock() + interval '30 minutes' + c.no * interval '1 ms'
      from first f
      where c.no <> f.no
      returning c.no, c.team_id, c.reading_id
    ),
    kept as (insert into baselines (no, team_id, extracted) select o.no, o.team_id, f.extracted from others o, first f)
    insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, fetch_method, extracted)
    select o.no, o.reading_id, o.team_id, 0, f.duration_ms, 'success', f.fetch_method, f.extracted
      from others o, first f`)
  await client.query('vacuum analyze')
}

/** Makes every check due at once by moving the clock. Nothing is written to the tables. */
export async function moveClock({ client }: Database, hours: number): Promise<void> {
  const { rows } = await client.query<{ name: string }>('select current_database() as name')
  await client.query(`alter database ${rows[0]?.name} set tidemark.clock_offset = '${hours} hours'`)
}
