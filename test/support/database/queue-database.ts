import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { CheckQueue } from '../../../core/check-queue.ts'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import { openStore, type Store } from '../../../store/db/client.ts'
import {
  claimChecks,
  CLAIMED_PAGE,
  CLAIMED_SEARCH,
  claimedOf,
  type Claimed,
  type ClaimRequest,
} from '../../../store/queue/claim.ts'
import { createSecretBox, type SealedPlace, type SecretBox } from '../../../store/secrets/secret-box.ts'
import { createTestDatabase } from './test-database.ts'

const CLAIMED = claimedOf([CLAIMED_PAGE, CLAIMED_SEARCH])

/** A row of `checks` as a test looks at it. Times in ms since the epoch. */
interface SeenCheck {
  readonly no: number
  readonly fence: number
  readonly failures: number
  readonly run_id: string | null
  readonly queued_run_id: string | null
  readonly reading_id: string | null
  readonly due_ms: number | null
  readonly next_ms: number | null
  readonly now_ms: number
  readonly runs_total: number
  readonly etag: string | null
  readonly queue: string
}

/** A check that somebody has claimed. */
interface Lease {
  readonly no: number
  readonly fence: number
  readonly run_id: string
  /** Until the lease ends; negative: it has ended. */
  readonly seconds: number
}

/** All columns of a check: these have names for tests. */
interface StoredCheck {
  readonly no: string
  readonly queue: string
  readonly runs: string
}

/** A row of `deliveries`. */
interface SeenDelivery {
  readonly id: string
  readonly run_id: string
  readonly payload: string
  readonly status: string
}

/** A row of `runs`. */
export interface SeenRun {
  readonly monitor_no: string
  readonly id: string
  readonly status: string
  readonly reading_id: string | null
  readonly extracted: Record<string, unknown> | null
  readonly diff: { readonly fields_changed: string[] } | null
  readonly delivery_triggered: boolean
  readonly error_code: string | null
  readonly error_message: string | null
  readonly warnings: string[] | null
  readonly start_offset_ms: number
  readonly duration_ms: number
  readonly organic_results: readonly object[] | null
}

interface TeamOptions {
  readonly runs?: number
  readonly used?: number
  readonly visual?: number
  readonly serp?: number
  readonly credits?: number
  /** Also the order in which claims go over teams. */
  readonly id?: string
}

export interface MonitorOptions {
  readonly url?: string
  readonly count?: number
  readonly queue?: CheckQueue
  /** How long ago they became due; negative: not yet. Default 1. */
  readonly dueSeconds?: number
  readonly interval?: number
  readonly shift?: number
  /** What a run of it costs. Default 1. */
  readonly cost?: number
  readonly extract?: object
  readonly predicate?: object
  readonly request?: object
  readonly headers?: Record<string, string>
  readonly deliveries?: readonly DeliveryConfig[]
}

interface Usage {
  readonly runs_used: number
  readonly visual_used: number
  readonly serp_used: number
  readonly credits: number
}

/** A database with teams, monitors and their queue, and ways to look at them. */
export interface QueueDatabase extends AsyncDisposable {
  readonly url: string
  readonly store: Store
  readonly secrets: SecretBox
  anotherStore(connections?: number): Promise<Store>
  team(options?: TeamOptions): Promise<string>
  /** Returns the numbers, the most overdue first. */
  monitors(teamId: string, options?: MonitorOptions): Promise<number[]>
  claim(more?: Partial<ClaimRequest>): Promise<readonly Claimed[]>
  check(no: number): Promise<SeenCheck>
  /** Those of one monitor or of several, the oldest first. */
  runs(no: number | readonly number[]): Promise<SeenRun[]>
  /** Those of one monitor, the oldest first. */
  deliveries(no: number): Promise<SeenDelivery[]>
  leases(): Promise<Lease[]>
  /** All checks with the number of their runs: equal when nothing has happened. */
  everyCheck(): Promise<StoredCheck[]>
  /** Who a monitor is for use cases. */
  monitor(no: number): Promise<{ readonly id: string; readonly team_id: string }>
  usage(teamId: string): Promise<Usage>
  /** Moves the store's clock; as an interval of Postgres. */
  setClock(offset: string): Promise<void>
  query<T extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<T[]>
  /** Makes everything due that is scheduled and not claimed. */
  makeDue(): Promise<void>
}

const SEEN_CHECK = `no::float8, fence, failures, run_id, queued_run_id, reading_id, runs_total::float8, etag, queue,
  (extract(epoch from due_at) * 1000)::float8 as due_ms, (extract(epoch from next_run_at) * 1000)::float8 as next_ms,
  (extract(epoch from clock()) * 1000)::float8 as now_ms`

export async function openQueueDatabase(): Promise<QueueDatabase> {
  const database = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: database.url, max: 4 })
  // A test that ends connections ends these too.
  pool.on('error', () => {})
  const stores: Store[] = []
  const anotherStore = async (connections = 10) => {
    const store = await openStore({ url: database.url, name: 'test', connections })
    stores.push(store)
    return store
  }
  const store = await anotherStore()
  const secrets = createSecretBox('the key of a test')
  const query = async <T extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    (await pool.query<T>(text, values)).rows
  const one = async <T extends pg.QueryResultRow>(text: string, values: unknown[]) => {
    const [found] = await query<T>(text, values)
    if (!found) throw new Error(`no row for ${values.join(', ')}`)
    return found
  }
  return {
    url: database.url,
    store,
    secrets,
    anotherStore,
    query,
    team: async ({ runs = 1_000_000, used = 0, visual, serp, credits = 0, id } = {}) => {
      const made = await one<{ id: string }>(
        `insert into teams (id, name, owner_user_id, tier) values (coalesce($1, gen_random_uuid()), 'T', ` +
          `gen_random_uuid(), 'scale') returning id`,
        [id ?? null],
      )
      await query(
        `insert into team_usage (team_id, runs_limit, runs_used, visual_limit, serp_limit, credits) values ($1, ` +
          `$2, $3, $4, $5, $6)`,
        [made.id, runs, used, visual ?? null, serp ?? null, credits],
      )
      return made.id
    },
    monitors: (teamId, options) => insertMonitors(query, secrets, teamId, options ?? {}),
    claim: (more) =>
      claimChecks(store, CLAIMED, {
        queue: 'static',
        limit: 1000,
        perTeam: 1000,
        afterTeam: '',
        leaseSeconds: 60,
        ...more,
      }),
    check: (no) => one<SeenCheck>(`select ${SEEN_CHECK} from checks where no = $1`, [no]),
    runs: (no) => query<SeenRun>('select * from runs where monitor_no = any($1) order by id', [[no].flat()]),
    deliveries: (no) =>
      query<SeenDelivery>('select * from deliveries where monitor_no = $1 order by created_at, id', [no]),
    leases: () =>
      query<Lease>(
        'select no::float8, fence, run_id, extract(epoch from due_at - clock())::float8 as seconds from checks ' +
          'where run_id is not null',
      ),
    everyCheck: () =>
      query<StoredCheck>(
        'select c.*, (select count(*) from runs r where r.monitor_no = c.no) as runs from checks c order by no',
      ),
    monitor: (no) => one('select id, team_id from monitors where no = $1', [no]),
    usage: (teamId) =>
      one<Usage>(
        'select runs_used::float8, visual_used::float8, serp_used::float8, credits::float8 from team_usage where ' +
          'team_id = $1',
        [teamId],
      ),
    setClock: async (offset) => {
      const { name } = await one<{ name: string }>('select current_database() as name', [])
      await query(`alter database ${name} set tidemark.clock_offset = '${offset}'`)
    },
    makeDue: async () => {
      await query(
        `update checks set next_run_at = clock(), due_at = clock() where run_id is null and next_run_at is not null`,
      )
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stores.map((open) => open.end()))
      await pool.end()
      await database.drop()
    },
  }
}

type Query = QueueDatabase['query']

async function insertMonitors(
  query: Query,
  secrets: SecretBox,
  teamId: string,
  options: MonitorOptions,
): Promise<number[]> {
  const { count = 1, dueSeconds = 1, interval = 60 } = options
  const ids = Array.from({ length: count }, () => randomUUID())
  const sealed = (column: SealedPlace['column'], value: unknown) =>
    ids.map((rowId) => (value === undefined ? null : secrets.seal({ teamId, column, rowId }, value)))
  const made = await query<{ no: number }>(
    `with m as (
       insert into monitors (id, team_id, user_id, name, url, schedule_interval_seconds, extract_config, diff_predicate,
         fetch_mode, request_config,
         request_headers, deliveries, signing_secret)
       select i.id, $1, gen_random_uuid(), 'M' || n, $2, $3, $4::jsonb, $5::jsonb, 'auto', $6::jsonb, headers,
           deliveries, secret
         from unnest($7::bytea[], $8::bytea[], $9::bytea[], $10::uuid[])
           with ordinality as i (headers, deliveries, secret, id, n)
       returning no
     ), c as (
       insert into checks (no, team_id, queue, due_at, next_run_at, interval_seconds, shift_seconds, cost)
       select no, $1, $11::check_queue, at, at, $3, $12, $14 from (
         select no, clock() - make_interval(secs => $13) + make_interval(secs => (row_number() over (order by no)) *
           0.0001) as at from m) due
     )
     select no::float8 from m order by no`,
    [
      teamId,
      options.url ?? 'http://127.0.0.1:1/',
      interval,
      JSON.stringify(options.extract ?? { method: 'css', fields: { price: '.price' } }),
      JSON.stringify(options.predicate ?? { type: 'any_field_changes' }),
      options.request ? JSON.stringify(options.request) : null,
      sealed('monitors.request_headers', options.headers),
      sealed('monitors.deliveries', options.deliveries),
      sealed('monitors.signing_secret', options.deliveries && 'a'.repeat(64)),
      ids,
      options.queue ?? 'static',
      options.shift ?? 0,
      dueSeconds,
      options.cost ?? 1,
    ],
  )
  return made.map(({ no }) => no)
}
