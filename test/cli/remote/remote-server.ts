import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Delivery } from '../../../schema/run/delivery.ts'
import { createEmptyDatabase } from '../../support/database/test-database.ts'
import { runOn } from '../../support/database/test-template.ts'
import { openSite, type Site } from '../../support/network/site.ts'
import { type CliProcess, type Environment, startCli, startShell } from '../../support/process/cli-process.ts'
import { commandScript, openCommandHost } from '../../support/process/command-host.ts'
import { temporaryFolder } from '../../support/process/temporary-folder.ts'
import { eventually } from '../../support/run/eventually.ts'

const ROOT = join(import.meta.dirname, '../../..')

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A served installation, and a folder of a person who works with it from a terminal. */
export interface RemoteServer extends AsyncDisposable {
  readonly base: string
  readonly key: string
  /** The password of the first owner, owner@tidemark.local. */
  readonly password: string
  readonly site: Site
  readonly folder: string
  /** The environment of `sh`: the address and the key, and a home of its own. */
  readonly environment: Environment
  readonly databaseUrl: string
  /** Sends a request with the key. */
  ask<T>(method: string, path: string, body?: object): Promise<T>
  /** Runs one statement on the database. */
  sql(statement: string): Promise<void>
  /** Makes a monitor of the site's price and waits for its first run. Returns its id. */
  watch(name: string, more?: object): Promise<string>
  /** Runs lines of shell in the folder. `./tidemark` is there: its commands run in the process of the test. */
  sh(lines: string, more?: Environment): Promise<Ended>
  /** As above with commands as processes, and goes on. */
  start(lines: string, more?: Environment): CliProcess
}

/** Starts an installation on a database of its own. */
export async function startRemoteServer(): Promise<RemoteServer> {
  const database = await createEmptyDatabase()
  const site = await openSite()
  const home = await temporaryFolder()
  await writeFile(join(home.path, 'tidemark'), commandScript(join(ROOT, 'tidemark')), { mode: 0o755 })
  const host = await openCommandHost()
  const serve = startCli(['serve'], {
    DATABASE_URL: database.url,
    TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test',
    TIDEMARK_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    TIDEMARK_BROWSER_PAGES: '0',
    PORT: '0',
  })
  const [, base = '', password = '', key = ''] = await serve.says(
    /running at (\S+)\n[\s\S]*Password\s+(\S+)\n\s+API key\s+(svc_\w+)/,
  )
  const environment = { HOME: home.path, TIDEMARK_URL: base, TIDEMARK_API_KEY: key }
  const start = (lines: string, more: Environment = {}) => startShell(lines, { ...environment, ...more }, home.path)

  async function ask<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`)
    return JSON.parse(text === '' ? 'null' : text) as T
  }
  return {
    base,
    key,
    password,
    site,
    folder: home.path,
    environment,
    databaseUrl: database.url,
    ask,
    start,
    sql: (statement) => runOn(database.url, statement),
    async watch(name, more = {}) {
      const { id } = await ask<{ id: string }>('POST', '/v1/monitors', {
        name,
        url: site.url,
        schedule_interval_seconds: 3600,
        extract_config: { method: 'css', fields: { price: '.price' } },
        diff_predicate: { type: 'any_field_changes' },
        ...more,
      })
      await eventually(
        () => ask<{ data: { status: string }[] }>('GET', `/v1/monitors/${id}/runs`),
        ({ data }) => data.length > 0 && data.every(({ status }) => status !== 'running'),
      )
      return id
    },
    async sh(lines, more) {
      await using shell = start(lines, { ...host.environment, ...more })
      const code = await shell.exited
      return { code, stdout: shell.stdout, stderr: shell.stderr }
    },
    async [Symbol.asyncDispose]() {
      serve.signal('SIGTERM')
      await serve.exited
      await host[Symbol.asyncDispose]()
      await site[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
      await database.drop()
    },
  }
}

/** Waits until so many deliveries have failed and are not tried again. Returns them, newest first. */
export async function givenUp({ ask }: Pick<RemoteServer, 'ask'>, count: number): Promise<readonly Delivery[]> {
  const { data } = await eventually(
    () => ask<{ data: Delivery[] }>('GET', '/v1/deliveries?given_up=true'),
    ({ data: all }) => all.length === count,
  )
  return data
}

/** Passes requests on to a served installation. What `instead` answers does not get there; what `isLost` is cut off. */
export async function startProxy(
  remote: RemoteServer,
  instead: (asked: IncomingMessage, answer: ServerResponse) => boolean | Promise<boolean>,
  isLost: () => boolean = () => false,
) {
  const pass = async (asked: IncomingMessage, answer: ServerResponse) => {
    if (await instead(asked, answer)) return
    const target = request(remote.base + asked.url, { method: asked.method, headers: asked.headers }, (response) => {
      if (isLost()) response.resume().on('end', () => answer.destroy())
      else response.pipe(answer.writeHead(response.statusCode ?? 500, response.headers))
    })
    target.on('error', () => answer.destroy())
    asked.pipe(target)
  }
  const proxy = createServer((asked, answer) => void pass(asked, answer))
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  return {
    environment: { TIDEMARK_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` },
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}
