import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import { createSecretBox, type SealedPlace, type SecretBox } from '../../store/secrets/secret-box.ts'
import { type CliProcess, startCli } from '../support/process/cli-process.ts'
import { until } from '../support/run/until.ts'
import { installAudit, WORKER_ROLE } from './audit.ts'
import { openPages, type Pages } from './pages.ts'
import type { Query } from './query.ts'
import { type Chance, chance } from './random.ts'
import { setClock } from './set-clock.ts'
import { openSink, type Sink } from './sink.ts'

export interface FaultServiceOptions {
  /** A migrated database, a superuser's address. */
  readonly url: string
  readonly monitors?: number
  readonly intervalSeconds?: number
  readonly leaseSeconds?: number
}

interface WorkerOptions {
  /** The database as this worker reaches it: through a proxy. Default: as it is. */
  readonly url?: string
  /** Connections that the server lets it have. */
  readonly connections?: number
  readonly environment?: Readonly<Record<string, string>>
}

export interface FaultWorker extends CliProcess {
  readonly role: string
}

/** Monitors of pages that change, real workers, a sink for their webhooks, and a way to break what is between them. */
export interface FaultService extends AsyncDisposable {
  readonly monitors: number
  readonly intervalSeconds: number
  readonly leaseSeconds: number
  readonly pages: Pages
  readonly sink: Sink
  readonly chance: Chance
  readonly query: Query
  /** Starts a worker and waits until it is at work. */
  worker(options?: WorkerOptions): Promise<FaultWorker>
  /** Pages change at random until the work is done; then every page changes once more. */
  underLoad(work: () => Promise<void>): Promise<void>
  /** Resolves when so many more pages were asked for, for each monitor on average. */
  rounds(count: number): Promise<void>
  /**
   * Resolves when each page's present version is on record and arrived at the sink; answers the milliseconds that took.
   * Fails when it takes too long.
   */
  caughtUp(patienceMs?: number): Promise<number>
  /** Schedules nothing more, and waits until nothing is under way. */
  quiesce(): Promise<void>
  setClock(offset: string): Promise<void>
  /** What the sink has not taken, or of which that is not on record. */
  unsent(): Promise<readonly Unsent[]>
  /** How many runs have ended. */
  runs(): Promise<number>
}

/** A delivery that did not succeed, or not yet. */
interface Unsent {
  readonly id: string
  readonly status: string
  readonly attempts: number
  readonly due_at: Date | null
  readonly response_status: number | null
  readonly response_body: string | null
}

const KEY = 'the encryption key of a fault test'
const TEAM = '00000000-0000-4000-8000-0000000fa017'
const CHANGE_EVERY_MS = 40

/** The seed is printed: with TIDEMARK_TEST_SEED the same choices are made again. */
export async function openFaultService(options: FaultServiceOptions): Promise<FaultService> {
  const { url, monitors = 30, intervalSeconds = 2, leaseSeconds = 2 } = options
  const pool = new pg.Pool({ connectionString: url, max: 3 })
  pool.on('error', () => {})
  const query: Query = async <T extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    (await pool.query<T>(text, values)).rows
  const workers: FaultWorker[] = []
  const roles: string[] = []
  const pages = await openPages(monitors)
  const sink = await openSink()
  const luck = chance()
  process.stdout.write(`seed ${luck.seed}\n`)
  await installAudit(query)
  await insertMonitors({ query, pages, sink, monitors, intervalSeconds })

  async function worker(chosen: WorkerOptions = {}): Promise<FaultWorker> {
    const role = `${WORKER_ROLE}${randomBytes(4).toString('hex')}`
    roles.push(role)
    await query(
      `create role ${role} login password 'throwaway' connection limit ${chosen.connections ?? -1} in role ` +
        `current_user`,
    )
    const address = new URL(chosen.url ?? url)
    address.username = role
    address.password = 'throwaway'
    const cli = startCli(['worker'], {
      DATABASE_URL: address.href,
      TIDEMARK_ENCRYPTION_KEY: KEY,
      TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      TIDEMARK_LEASE_SECONDS: String(leaseSeconds),
      TIDEMARK_HOST_CONCURRENCY: '64',
      TIDEMARK_DESTINATION_CONCURRENCY: '32',
      TIDEMARK_LOG_LEVEL: 'warn',
      ...chosen.environment,
    })
    const started = Object.assign(Object.create(cli), { role }) as FaultWorker
    workers.push(started)
    await cli.says(/checking and delivering/)
    return started
  }

  async function behind(): Promise<object[]> {
    const rows = await query<{ page: number; version: string | null }>(
      `select split_part(m.url, '/', 4)::int as page, b.extracted ->> 'version' as version from monitors m left
        join baselines b on b.no = m.no
       where starts_with(m.url, $1)`,
      [`${pages.base}/`],
    ).catch(() => null)
    if (rows === null) return [{ database: 'away' }]
    const delivered = new Set(sink.arrivals.map(({ page, after }) => `${page} ${after}`))
    return rows.filter(({ page, version }) => {
      const present = `v${pages.version(page)}`
      // The first version is the baseline, of which nobody is told.
      return version !== present || (present !== 'v1' && !delivered.has(`${page} ${present}`))
    })
  }

  const caughtUp = (patienceMs?: number) => until(behind, (left) => left.length === 0, patienceMs)

  return {
    monitors,
    intervalSeconds,
    leaseSeconds,
    pages,
    sink,
    chance: luck,
    query,
    worker,
    async underLoad(work) {
      // A page that changed before its first run would begin with a later version than the scans expect.
      await caughtUp()
      const timer = setInterval(() => pages.change(luck.below(monitors)), CHANGE_EVERY_MS)
      await work().finally(() => clearInterval(timer))
      for (let n = 0; n < monitors; n++) pages.change(n)
    },
    async rounds(count) {
      const goal = pages.requests() + count * monitors
      await until(
        () => pages.requests(),
        (seen) => seen >= goal,
      )
    },
    caughtUp,
    async quiesce() {
      await query(`update checks set next_run_at = null, due_at = case when run_id is not null then due_at end`)
      await until(
        () => query(`select no, fence, run_id, due_at from checks where run_id is not null or due_at is not null`),
        (left) => left.length === 0,
      )
      await until(
        () => query(`select id, status, due_at from deliveries where due_at <= clock() + interval '1 minute'`),
        (left) => left.length === 0,
      )
    },
    setClock: (offset) => setClock(pool, offset),
    unsent: () =>
      query<Unsent>(
        `select id, status, attempts, due_at, response_status, response_body from deliveries where status <> 'success'`,
      ),
    runs: async () => (await query<{ runs: number }>('select count(*)::int as runs from runs'))[0]?.runs ?? 0,
    async [Symbol.asyncDispose]() {
      // A frozen one is ended all the same.
      await Promise.all(workers.map((one) => one[Symbol.asyncDispose]()))
      await pages[Symbol.asyncDispose]()
      await sink[Symbol.asyncDispose]()
      for (const role of roles)
        await query(`reassign owned by ${role} to current_user; drop role ${role}`).catch((error: unknown) =>
          process.stdout.write(`${role}: ${String(error)}\n`),
        )
      await pool.end()
    },
  }
}

interface Watched {
  readonly query: Query
  readonly pages: Pages
  readonly sink: Sink
  readonly monitors: number
  readonly intervalSeconds: number
}

/**
 * Every second monitor tells what its page lists for the first time. A change lists one item more, so that these fire
 * where the others do, and keep what they have seen.
 */
const hasItems = (n: number): boolean => n % 2 === 1

/** The API allows no interval below a minute; the queue does. */
async function insertMonitors({ query, pages, sink, monitors, intervalSeconds }: Watched): Promise<void> {
  const secrets = createSecretBox(KEY)
  await query(`insert into teams (id, name, owner_user_id, tier) values ($1, 'Faults', gen_random_uuid(), 'scale')`, [
    TEAM,
  ])
  await query('insert into team_usage (team_id, runs_limit) values ($1, 1000000000)', [TEAM])
  for (let n = 0; n < monitors; n++) {
    const id = randomUUID()
    await query(
      `with m as (
         insert into monitors (id, team_id, user_id, name, url, schedule_interval_seconds, extract_config,
           diff_predicate, fetch_mode, deliveries, signing_secret)
         values ($7, $1, gen_random_uuid(), $2, $3, 60, $8, $9, 'auto', $4, $5)
         returning no
       )
       insert into checks (no, team_id, queue, due_at, next_run_at, interval_seconds, shift_seconds)
       select no, $1, 'static', clock(), clock(), $6, 0 from m`,
      [
        TEAM,
        `Page ${n}`,
        `${pages.base}/${n}`,
        seal(secrets, 'monitors.deliveries', id, [{ type: 'webhook', url: `${sink.base}/${n}` }]),
        seal(secrets, 'monitors.signing_secret', id, 'a'.repeat(64)),
        intervalSeconds,
        id,
        { method: 'css', fields: { version: '.version', ...(hasItems(n) && { items: 'li[]' }) } },
        hasItems(n) ? { type: 'list_gains_unseen_items', field: 'items' } : { type: 'any_field_changes' },
      ],
    )
  }
}

const seal = (secrets: SecretBox, column: SealedPlace['column'], rowId: string, value: unknown) =>
  secrets.seal({ teamId: TEAM, column, rowId }, value)
