import pg from 'pg'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { createTestDatabase } from '../support/database/test-database.ts'
import { startCli } from '../support/process/cli-process.ts'
import { until } from '../support/run/until.ts'
import { openCleanSite, openHostileSites, type Watched } from './lateness-sites.ts'

/** How late clean checks were, in milliseconds, each list in rising order. */
export interface Lateness {
  /** From the due time to the claim, as `tidemark_check_lateness_seconds` has it. */
  readonly claimed: readonly number[]
  /** From the due time to the moment at which the check leaves the line and asks for its page. */
  readonly started: readonly number[]
  /** From the due time to the end of the check: extraction, and waiting for a thread of it, included. */
  readonly ended: readonly number[]
  /** Of each clean check, the hostile ones that were due later and came before it. */
  readonly passed: Passed
}

interface Passed {
  /** Numbers of hostile checks that an earlier claim took, in rising order. */
  readonly claimed: readonly number[]
  readonly started: readonly Waited[]
}

/** What asked for its page while a clean check was due and waited. */
export interface Waited {
  /** Hostile checks that were due later. */
  readonly hostile: number
  /** Other clean checks. */
  readonly clean: number
}

/** Clean monitors and hostile ones, and one worker process for both at a time. */
interface LatenessWorker extends AsyncDisposable {
  /** A fresh worker checks the clean monitors, with the hostile ones or without; measures once both have begun. */
  measure(company: 'alone' | 'with hostile'): Promise<Lateness>
  /** Runs of hostile monitors that have ended so far, by error code ('' for none). */
  hostileRuns(): Promise<Readonly<Record<string, number>>>
}

export const CLEAN = 500
export const HOSTILE = 50
const TEAM = '00000000-0000-4000-8000-0000000fa018'
/** 100 clean checks a second: what 6,000 monitors with an interval of a minute come to. */
const INTERVAL_SECONDS = 5
const ROUNDS = 2

type Query = <T extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<T[]>

/** Opens a database and the sites. */
export async function openLatenessWorker(): Promise<LatenessWorker> {
  await using opening = new AsyncDisposableStack()
  const database = await createTestDatabase()
  opening.defer(() => database.drop())
  const pool = new pg.Pool({ connectionString: database.url, max: 3 })
  pool.on('error', () => {})
  opening.defer(() => pool.end())
  const query: Query = async <T extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    (await pool.query<T>(text, values)).rows
  await query(NOTE_CLAIMS)
  await query(`insert into teams (id, name, owner_user_id, tier) values ($1, 'T', gen_random_uuid(), 'scale')`, [TEAM])
  await query('insert into team_usage (team_id, runs_limit) values ($1, 1000000000)', [TEAM])
  const site = opening.use(await openCleanSite())
  const clean = await insertAll(
    query,
    Array.from({ length: CLEAN }, (_, n) => site.watched(n)),
  )
  const sites = opening.use(await openHostileSites())
  const hostile = await insertAll(
    query,
    Array.from({ length: HOSTILE }, (_, n) => sites.watched(n)),
  )

  const opened = opening.move()
  return {
    async measure(company) {
      await query(SCHEDULE, [clean, INTERVAL_SECONDS])
      await using worker = startCli(['worker'], {
        DATABASE_URL: database.url,
        TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test',
        TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
        TIDEMARK_LOG_LEVEL: 'warn',
      })
      await worker.says(/checking and delivering/)
      // Everybody has been read once: after a start nobody is known yet, and that is not what is measured.
      await recorded(query, clean)
      await using _again = company === 'alone' ? null : await letLoose(query, hostile)
      await query('truncate claims')
      await claims(query, clean, CLEAN * ROUNDS)
      return { ...(await latenessOf(query, clean)), passed: await passedOf(query, { clean, hostile }) }
    },
    hostileRuns: async () => {
      const rows = await query<{ code: string; n: number }>(
        `select coalesce(error_code, '') as code, count(*)::int as n from runs where monitor_no = any($1) group ` +
          `by 1 order by 1`,
        [hostile],
      )
      return Object.fromEntries(rows.map(({ code, n }) => [code, n]))
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const NOTE_CLAIMS = `
  create table claims (no bigint, run_id uuid, due_at timestamptz, claimed_at timestamptz);
  create function note_claim() returns trigger language plpgsql as $$
  begin
    insert into claims values (new.no, new.run_id, old.due_at, clock());
    return null;
  end $$;
  create trigger note_claim after update on checks for each row when (old.run_id is null and new.run_id is not null)
    execute function note_claim()`

/** What an earlier worker held is nobody's any more; the clean ones are due one after the other over an interval. */
const SCHEDULE = `
  with freed as (
    update checks set fence = fence + 1, run_id = null, due_at = null, next_run_at = null where not no = any($1)
  ), emptied as (delete from claims)
  update checks c set fence = fence + 1, run_id = null, failures = 0, interval_seconds = $2, due_at = d.at,
    next_run_at = d.at
  from (select no, clock() + make_interval(secs => 2 + $2 * (row_number() over ())::float8 / cardinality($1)) as at
    from unnest($1::bigint[]) no) d
  where c.no = d.no`

/** What is waited for takes seconds. A machine with four times as much to do takes minutes. */
const LONGEST_WAIT_MS = 300_000

const claims = (query: Query, nos: readonly number[], count: number) =>
  until(
    () => query<{ n: number }>('select count(*)::int as n from claims where no = any($1)', [nos]),
    ([row]) => (row?.n ?? 0) >= count,
    LONGEST_WAIT_MS,
  )

const recorded = (query: Query, nos: readonly number[]) =>
  until(
    () =>
      query<{ n: number }>(
        'select count(distinct c.no)::int as n from claims c join runs r on r.monitor_no = c.no and r.id = ' +
          'c.run_id where c.no = any($1)',
        [nos],
      ),
    ([row]) => row?.n === nos.length,
    LONGEST_WAIT_MS,
  )

/**
 * Until it is disposed of, hostile monitors run as often as the clean ones, whatever back-off their failures brought;
 * the longer ones all the time.
 */
async function letLoose(query: Query, hostile: readonly number[]): Promise<AsyncDisposable> {
  const due = (seconds: string) =>
    query(
      `update checks set failures = 0, due_at = d.at, next_run_at = d.at
        from (select clock() + make_interval(secs => ${seconds}) as at, no from checks) d
       where d.no = checks.no and checks.no = any($1) and run_id is null and coalesce(due_at, 'infinity') > d.at`,
      [hostile],
    )
  let last: Promise<unknown> = due(`${INTERVAL_SECONDS} * random()`)
  await last
  const timer = setInterval(() => {
    last = last.then(() => due(String(INTERVAL_SECONDS)))
  }, INTERVAL_SECONDS * 100)
  await claims(query, hostile, hostile.length)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await last
    },
  }
}

async function passedOf(
  query: Query,
  { clean, hostile }: { readonly clean: readonly number[]; readonly hostile: readonly number[] },
): Promise<Passed> {
  const rows = await query<{ claimed: number; hostile: number | null; clean: number | null }>(
    `with checked as materialized (
       select c.no, c.due_at, c.claimed_at, extract(epoch from c.due_at) * 1000 as due_ms,
         (('x' || substr(replace(c.run_id::text, '-', ''), 1, 12))::bit(48)::bigint + r.start_offset_ms) as started_ms
       from claims c left join runs r on r.monitor_no = c.no and r.id = c.run_id
     )
     select (select count(*)::int from checked h
         where h.no = any($2) and h.due_at > c.due_at and h.claimed_at < c.claimed_at) as claimed,
       case when c.started_ms is not null then (select count(*)::int from checked h
         where h.no = any($2) and h.due_at > c.due_at and h.started_ms < c.started_ms) end as hostile,
       case when c.started_ms is not null then (select count(*)::int from checked o
         where o.no = any($1) and o.started_ms >= c.due_ms and o.started_ms < c.started_ms) end as clean
     from checked c where c.no = any($1)`,
    [clean, hostile],
  )
  return {
    claimed: rows.map(({ claimed }) => claimed).sort((a, b) => a - b),
    started: rows.flatMap((row) =>
      row.hostile === null || row.clean === null ? [] : [{ hostile: row.hostile, clean: row.clean }],
    ),
  }
}

async function latenessOf(query: Query, clean: readonly number[]): Promise<Omit<Lateness, 'passed'>> {
  // A run's id holds the time of its claim; where the run has not been recorded yet, only its claim counts.
  const rows = await query<{ claimed: number; started: number | null; ended: number | null }>(
    `select extract(epoch from claimed_at - c.due_at)::float8 * 1000 as claimed, start - due as started,
      start + duration_ms - due as ended
     from claims c
     left join runs r on r.monitor_no = c.no and r.id = c.run_id
     cross join lateral (select (('x' || substr(replace(c.run_id::text, '-', ''), 1,
       12))::bit(48)::bigint + r.start_offset_ms)::float8 as start,
       extract(epoch from c.due_at)::float8 * 1000 as due) t
     where c.no = any($1)`,
    [clean],
  )
  const rising = (values: readonly (number | null)[]) => values.filter((ms) => ms !== null).sort((a, b) => a - b)
  return {
    claimed: rising(rows.map(({ claimed }) => claimed)),
    started: rising(rows.map(({ started }) => started)),
    ended: rising(rows.map(({ ended }) => ended)),
  }
}

/** The API allows no interval below a minute; the queue does. */
async function insertAll(query: Query, all: readonly Watched[]): Promise<number[]> {
  const predicate = (one: Watched): DiffPredicate => one.predicate ?? { type: 'any_field_changes' }
  const rows = await query<{ no: number }>(
    `with given as (select * from unnest($2::text[], $3::text[], $4::text[]) with ordinality as g (url, extract,
      predicate, n)),
     m as (
       insert into monitors (team_id, user_id, name, url, schedule_interval_seconds, extract_config, diff_predicate,
         fetch_mode)
       select $1, gen_random_uuid(), 'M', url, 60, extract::json, predicate::json, 'auto' from given order by n
         returning no
     )
     insert into checks (no, team_id, queue, interval_seconds, shift_seconds) select no, $1, 'static', 60, 0 from m
       returning no::float8`,
    [
      TEAM,
      all.map(({ url }) => url),
      all.map(({ extract }) => JSON.stringify(extract)),
      all.map((one) => JSON.stringify(predicate(one))),
    ],
  )
  return rows.map(({ no }) => no)
}
