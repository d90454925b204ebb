import { join } from 'node:path'
import { expect } from 'vitest'
import { type CliProcess, type Environment, startShell } from '../support/process/cli-process.ts'

// oxlint-disable-next-line typescript/no-explicit-any
export type Api = (method: string, path: string, body?: object) => Promise<any>

interface Beside<Version extends string> {
  /** The folder of each version. */
  readonly roots: Readonly<Record<Version, string>>
  /** The one that knows all migrations: it makes the tokens of runners. */
  readonly newest: NoInfer<Version>
  readonly databaseUrl: string
  readonly dataFolder: string
}

/** Processes of several versions on one database. */
export interface Versions<Version extends string> extends AsyncDisposable {
  start(version: Version, command: string, more?: Environment): CliProcess
  /** Returns what a command says that ends well. */
  ended(version: Version, command: string): Promise<string>
  /** Starts an API. Calls of it expect that they succeed, unless `status` says another one. */
  startApi(version: Version, more?: Environment): Promise<Api & { refused(...call: Parameters<Api>): Promise<Refused> }>
  startWorker(version: Version, more?: Environment): Promise<CliProcess>
  /** Starts a runner of the worker that serves this port. */
  startRunner(version: Version, port: string): Promise<CliProcess>
  stop(process: CliProcess): Promise<void>
  /** Makes the owner that the APIs are called by. */
  createOwner(version: Version): Promise<void>
  endAll(): Promise<void>
}

/** An answer that is not a success. */
interface Refused {
  readonly status: number
  readonly text: string
}

export function besides<Version extends string>(beside: Beside<Version>): Versions<Version> {
  const { roots, newest, databaseUrl, dataFolder } = beside
  const processes: CliProcess[] = []
  let key = ''

  function start(version: Version, command: string, more: Environment = {}): CliProcess {
    const entry = join(roots[version], 'cli/tidemark.ts')
    const process_ = startShell(`exec "${process.execPath}" "${entry}" ${command}`, {
      ...(command !== 'runner' && {
        DATABASE_URL: databaseUrl,
        TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test of upgrades',
      }),
      TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      TIDEMARK_DATA_DIR: dataFolder,
      TIDEMARK_HOST_CONCURRENCY: '64',
      TIDEMARK_RATE_LIMIT: '0',
      TIDEMARK_LOG_LEVEL: 'warn',
      PORT: '0',
      ...more,
    })
    processes.push(process_)
    return process_
  }

  async function ended(version: Version, command: string): Promise<string> {
    const process_ = start(version, command)
    expect(await process_.exited, process_.stderr).toBe(0)
    return process_.stdout
  }

  async function endAll(): Promise<void> {
    for (const one of processes.splice(0)) await one[Symbol.asyncDispose]()
  }

  return {
    start,
    ended,
    async startApi(version, more = {}) {
      const [, base = ''] = await start(version, 'api', more).says(/running at ([^\s"]+)["\n]/)
      async function answer(...[method, path, body]: Parameters<Api>) {
        const answered = await fetch(`${base}${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
        })
        return { ok: answered.ok, status: answered.status, text: await answered.text() }
      }
      const api: Api = async (...call) => {
        const { ok, text } = await answer(...call)
        expect(ok, `${call[0]} ${call[1]}: ${text}`).toBe(true)
        return text === '' ? {} : JSON.parse(text)
      }
      return Object.assign(api, { refused: answer })
    },
    async startWorker(version, more = {}) {
      const worker = start(version, 'worker', more)
      await worker.says(/checking and delivering/)
      return worker
    },
    async startRunner(version, port) {
      const { token } = JSON.parse(await ended(newest, `admin create-runner-token --job ${version} --json`))
      const url = `http://127.0.0.1:${port}`
      const access = { TIDEMARK_RUNNER_API_URL: url, TIDEMARK_RUNNER_TOKEN: token, TIDEMARK_BROWSER_PAGES: '2' }
      const runner = start(version, 'runner', access)
      await runner.says(/Tidemark is rendering for/)
      return runner
    },
    async stop(process_) {
      process_.signal('SIGTERM')
      expect(await process_.exited, process_.stderr).toBe(0)
    },
    async createOwner(version) {
      key = JSON.parse(await ended(version, 'admin create-owner --email owner@example.com --json')).api_key
    },
    endAll,
    [Symbol.asyncDispose]: endAll,
  }
}
