import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createTestDatabase } from '../database/test-database.ts'
import { eventually } from '../run/eventually.ts'
import { type CliProcess, type Environment, startCli } from './cli-process.ts'
import { runHere } from './run-here.ts'

/** A run as the API answers it: what tests read. */
interface SeenRun {
  readonly id: string
  readonly status: string
  readonly fetch_method: string | null
  readonly extracted: object
  readonly diff: object
  readonly delivery_triggered: boolean
  readonly visual_change_pct?: number
  readonly error_code?: string | null
  readonly error_message: string | null
}

/** An API and a worker that renders nothing, as processes of their own; runners are started by the test. */
export interface RunnerInstallation extends AsyncDisposable {
  /** Where runners find the runner API. */
  readonly runnerApiUrl: string
  /** Settings of the trusted side. */
  readonly trusted: Environment
  readonly apiKey: string
  /** The address of the API and of its dashboard. */
  readonly base: string
  /** Of the owner, who is signed in. */
  readonly sessionToken: string
  start(args: readonly string[], environment: Environment): CliProcess
  /** What the worker shows of itself, for Prometheus. */
  metrics(): Promise<string>
  /** Stops the worker and starts another on the same port. */
  restartWorker(): Promise<void>
  token(job: string, ...more: string[]): Promise<string>
  /** With a token of its own unless one is given; resolves when it renders. */
  runner(job: string, environment?: Environment): Promise<CliProcess>
  /** Its whole environment; nothing of a database. */
  runnerEnvironment(token: string): Environment
  api<T>(method: string, path: string, body?: object): Promise<T>
  /** Creates a monitor of the price of a page that has to be rendered, once a day. Returns its id. */
  watch(url: string, more?: object): Promise<string>
  /** Returns the runs of a monitor that have ended, newest first, once there are so many. Default 1. */
  ended(id: string, count?: number): Promise<readonly SeenRun[]>
  runNow(id: string): Promise<SeenRun>
  rows<T extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<T[]>
}

/** Resolves with where a process says that it serves the runner API. */
export const runnerApiOf = (cli: CliProcess) => addressOf(cli, 'runner API')
/** Resolves with where a process says that it serves its health and metrics. */
export const metricsOf = (cli: CliProcess) => addressOf(cli, 'metrics')
async function addressOf(cli: CliProcess, what: 'runner API' | 'metrics'): Promise<string> {
  const [, address = ''] = await cli.says(new RegExp(`"address":"([^"]+)","msg":"${what} listening"`))
  return address
}

const LEASE_SECONDS = 3
const KEY = 'the encryption key of a runner test'

/** `settings`: more of the trusted side; it may depend on the address of the database. */
export async function openRunnerInstallation(
  settings: Environment | ((databaseUrl: string) => Promise<Environment>) = {},
): Promise<RunnerInstallation> {
  const database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const trusted = {
    DATABASE_URL: database.url,
    TIDEMARK_ENCRYPTION_KEY: KEY,
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    TIDEMARK_LEASE_SECONDS: String(LEASE_SECONDS),
    TIDEMARK_BROWSER_PAGES: '0',
    PORT: '0',
    ...(typeof settings === 'function' ? await settings(database.url) : settings),
  }
  const running: CliProcess[] = []
  const start = (args: readonly string[], environment: Environment) => {
    const cli = startCli(args, environment)
    running.push(cli)
    return cli
  }
  const admin = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere(['admin', ...args, '--json'], trusted)
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Record<string, string>
  }
  let runnerApiUrl = ''
  let serving: CliProcess
  async function worker(): Promise<void> {
    const port = runnerApiUrl === '' ? '0' : new URL(runnerApiUrl).port
    const ports = { TIDEMARK_RUNNER_API_PORT: port, TIDEMARK_METRICS_PORT: '0' }
    const cli = start(['worker'], { ...trusted, ...ports })
    await cli.says(/checking and delivering/)
    runnerApiUrl = await runnerApiOf(cli)
    serving = cli
  }
  const dispose = async () => {
    await Promise.all(running.map((cli) => cli[Symbol.asyncDispose]()))
    await client.end()
    await database.drop()
  }
  const boot = async () => {
    const owner = await admin('create-owner', '--email', 'owner@example.com', '--plan', 'scale')
    const { api_key: key = '', session_token: sessionToken = '' } = owner
    const server = start(['api'], trusted)
    await worker()
    const [, base = ''] = await server.says(/running at ([^\s"]+)["\n]/)
    return { key, sessionToken, base }
  }
  const { key, sessionToken, base } = await boot().catch(async (error: unknown) => {
    await dispose()
    throw error
  })
  const token = async (job: string, ...more: string[]) =>
    (await admin('create-runner-token', '--job', job, ...more))['token'] ?? ''
  const runnerEnvironment = (text: string) => ({
    TIDEMARK_RUNNER_API_URL: runnerApiUrl,
    TIDEMARK_RUNNER_TOKEN: text,
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    TIDEMARK_BROWSER_PAGES: '2',
    TIDEMARK_DATA_DIR: join(tmpdir(), `tidemark-test-${process.getuid?.() ?? 0}`),
  })
  async function api<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${base}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const rows = async <T extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
    (await client.query<T>(text, values)).rows
  return {
    get runnerApiUrl() {
      return runnerApiUrl
    },
    trusted,
    apiKey: key,
    base,
    sessionToken,
    start,
    metrics: async () => (await fetch(`${await metricsOf(serving)}/metrics`)).text(),
    async restartWorker() {
      serving.signal('SIGTERM')
      await serving.exited
      await worker()
    },
    token,
    runnerEnvironment,
    async runner(job, environment = {}) {
      const cli = start(['runner'], { ...runnerEnvironment(await token(job)), ...environment })
      await cli.says(/Tidemark is rendering for/)
      return cli
    },
    api,
    rows,
    async watch(url, more = {}) {
      const { id } = await api<{ id: string }>('POST', '/v1/monitors', {
        name: 'A kettle',
        url,
        schedule_interval_seconds: 86_400,
        fetch_mode: 'browser',
        extract_config: { method: 'css', fields: { price: '.price' } },
        diff_predicate: { type: 'any_field_changes' },
        ...more,
      })
      return id
    },
    ended: (id, count = 1) =>
      eventually(
        async () => {
          const { data } = await api<{ data: SeenRun[] }>('GET', `/v1/monitors/${id}/runs`)
          return data.filter(({ status }) => status !== 'running')
        },
        (runs) => runs.length >= count,
      ),
    async runNow(id) {
      const { run_id } = await api<{ run_id: string }>('POST', `/v1/monitors/${id}/run`, {})
      return eventually(
        () => api<SeenRun>('GET', `/v1/runs/${run_id}`),
        (run) => run.status !== 'running',
      )
    },
    [Symbol.asyncDispose]: dispose,
  }
}
