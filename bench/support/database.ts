import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../platform/postgres/start-embedded-postgres.ts'
import { migrate } from '../../store/db/migrate.ts'

/** The bench's own server: the embedded Postgres with the settings of production (fsync and synchronous_commit on). */
export interface Server {
  /** Creates a fresh, migrated database. */
  create(name: string): Promise<Database>
  version(): Promise<string>
  stop(): Promise<void>
}

export interface Database {
  readonly url: string
  readonly client: pg.Client
  /** Returns the first row of a query. */
  one<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row>
  close(): Promise<void>
}

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (message: string) => console.error(message),
}

export async function startServer(): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const server = await startEmbeddedPostgres({ dataDir, log: quiet })
  const template = 'bench_template'
  const address = (name: string): string => server.url.replace(/\/[^/]*$/, `/${name}`)
  const admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  await admin.query(`create database ${template} template template0`)
  await migrate(address(template))
  return {
    async create(name) {
      await admin.query(`create database ${name} template ${template}`)
      return openDatabase(address(name))
    },
    async version() {
      const { rows } = await admin.query<{ server_version: string }>('show server_version')
      return rows[0]?.server_version ?? ''
    },
    async stop() {
      await admin.end()
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function openDatabase(url: string): Promise<Database> {
  const client = new pg.Client({ connectionString: url, application_name: 'tidemark bench' })
  // Queries reject by themselves. When the server stops first, nobody needs to know.
  client.on('error', () => undefined)
  await client.connect()
  return {
    url,
    client,
    async one<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) {
      const { rows } = await client.query<Row>(text, [...values])
      const [row] = rows
      if (row === undefined) throw new Error(`no row: ${text}`)
      return row
    },
    close: () => client.end(),
  }
}
