import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { openStore, type Store } from '../../../store/db/client.ts'
import { createTestDatabase } from '../../support/database/test-database.ts'
import { startCli } from '../../support/process/cli-process.ts'
import { temporaryFolder } from '../../support/process/temporary-folder.ts'
import { until } from '../../support/run/until.ts'
import type { Query } from '../query.ts'
import { setClock } from '../set-clock.ts'
import { INSPECTOR } from './inspected.ts'

/** `tidemark serve` on a database of its own, with a clock that the test moves. */
export interface WeeksService extends AsyncDisposable {
  readonly base: string
  readonly owner: { readonly email: string; readonly password: string; readonly key: string }
  readonly pid: number
  readonly inspector: string
  readonly dataDir: string
  readonly query: Query
  /** For what administrators do by commands. */
  readonly store: Store
  /** Log lines so far, of warnings and worse. */
  readonly log: () => string
  /** Moves the clock to so many half days after the begin, and waits until all that is due then has ended. */
  moveTo(half: number): Promise<void>
  /** The month by that clock, as `2031_02`. */
  readonly month: () => string
  /** Waits until nothing is due and nothing is under way. */
  settled(): Promise<void>
}

/** A day takes some eight seconds. 60 are as many as are wanted before a release: all windows are full by day 40. */
export const DAYS = Number(process.env['TIDEMARK_TEST_DAYS'] ?? 24)
/** The window is full at a third of the days, and was full for a third of them at the end. */
export const RETENTION_DAYS = Math.floor(DAYS / 4) - 1
const HALF_DAY_MS = 12 * 3_600_000
/** So that a month of runs ends within each third, and the last day is in the second half of a month. */
const BEGIN_MS = Date.UTC(2030, 11, 29)
const KEY = 'the encryption key of some weeks'

/** Opens the service at the begin of the first day. `origin` has the pages, and the model. */
export async function openWeeksService(origin: string): Promise<WeeksService> {
  await using opening = new AsyncDisposableStack()
  const database = await createTestDatabase()
  opening.defer(() => database.drop())
  const folder = opening.use(await temporaryFolder())
  const pool = new pg.Pool({ connectionString: database.url, max: 2 })
  pool.on('error', () => {})
  opening.defer(() => pool.end())
  const query: Query = async <T extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    (await pool.query<T>(text, values)).rows
  let now = BEGIN_MS
  const setTime = (ms: number) => {
    now = ms
    return setClock(pool, `${ms - Date.now()} milliseconds`)
  }
  await setTime(BEGIN_MS)

  const plans = join(folder.path, 'plans.json')
  const limits = { retentionDays: RETENTION_DAYS, maxTeamMembers: null, llmCallsPerMonth: null }
  await writeFile(plans, JSON.stringify({ unlimited: limits, lite: limits }))
  const dataDir = join(folder.path, 'data')
  const serve = opening.use(
    startCli(['serve'], {
      DATABASE_URL: database.url,
      NODE_OPTIONS: '--inspect=127.0.0.1:0',
      TIDEMARK_ENCRYPTION_KEY: KEY,
      TIDEMARK_DATA_DIR: dataDir,
      TIDEMARK_PLANS_FILE: plans,
      TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      TIDEMARK_SIGNUP: 'open',
      TIDEMARK_SIGNUP_PLAN: 'lite',
      TIDEMARK_OWNER_EMAIL: 'owner@example.com',
      TIDEMARK_HOST_CONCURRENCY: '64',
      TIDEMARK_DESTINATION_CONCURRENCY: '32',
      TIDEMARK_MONITOR_METRICS: '1000',
      TIDEMARK_LOG_LEVEL: 'warn',
      LLM_BASE_URL: `${origin}/v1`,
      PORT: '0',
    }),
  )
  const [, inspector = ''] = await serve.complains(INSPECTOR)
  const [banner = '', base = ''] = await serve.says(/running at (\S+)\n[\s\S]*API key\s+svc_\w+\n/)
  const said = (what: RegExp) => what.exec(banner)?.[1] ?? ''
  const store = await openStore({ url: database.url, name: 'tidemark test', connections: 1 })
  opening.defer(() => store.end())
  const settled = async () => {
    await until(
      () => query(UNDER_WAY),
      (left) => left.length === 0,
    )
  }
  const opened = opening.move()
  return {
    base,
    owner: { email: said(/E-mail\s+(\S+)/), password: said(/Password\s+(\S+)/), key: said(/API key\s+(\S+)/) },
    pid: serve.pid,
    inspector,
    dataDir,
    query,
    store,
    month: () => new Date(now).toISOString().slice(0, 7).replace('-', '_'),
    log: () => serve.stdout.slice(serve.stdout.indexOf(banner) + banner.length),
    async moveTo(half) {
      await setTime(BEGIN_MS + half * HALF_DAY_MS)
      await query(AGE_SIGN_INS, [HALF_DAY_MS / 1000])
      await settled()
    },
    settled,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Sign-in sessions and links live by the wall clock: they grow older with the other one. */
const AGE_SIGN_INS = `
  with sessions as (
    update auth.sessions set expires_at = expires_at - age, created_at = created_at - age, updated_at = updated_at - age
    from make_interval(secs => $1) age
  )
  update auth.verifications set expires_at = expires_at - age from make_interval(secs => $1) age`

/** What is due, or is being done; what the clean-ups of an hour and of a day have not deleted yet. */
const UNDER_WAY = `
  select 'check ' || no as what from checks where run_id is not null or due_at <= clock()
  union all select 'delivery ' || id from deliveries where due_at <= clock()
  union all select 'notice ' || id from notices where due_at <= clock()
  union all select 'event ' || id from notice_events where due_at <= clock()
  union all select 'answer ' || id from idempotent_answers where created_at < clock() - interval '37 hours'
  union all select 'subject ' || subject from rate_limits where window_start < clock() - interval '2 hours'
  union all select 'runner ' || id from runner_tokens where expires_at < clock() - interval '37 hours'
  union all select 'audit ' || id from audit_events where created_at < clock() - interval '${RETENTION_DAYS + 1} days'
  union all select 'monitor ' || no from monitors where deleted_at < clock() - interval '${RETENTION_DAYS + 1} days'
  limit 5`
