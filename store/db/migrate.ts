import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { ExplainedError } from '../../core/explained-error.ts'

const FOLDER = new URL('../migrations/', import.meta.url)

/** A file of store/migrations/, in the order of its number. */
interface Migration {
  readonly name: string
  readonly sql: string
}

/** Thrown when the store was migrated by a newer program than this one. */
export class StoreIsNewerError extends ExplainedError {
  override readonly name = 'StoreIsNewerError'
}

/**
 * Brings the store to this program's shape: each file once, each in a transaction of its own, one program at a time
 * (advisory lock). Answers the names applied. Runs on a plain connection: the pool's row checks need the tables that
 * this makes.
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'tidemark migrate',
    connectionTimeoutMillis: 10_000,
  })
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(hashtext('tidemark.migrate'))`)
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
    )
    const { rows } = await client.query<{ name: string }>('select name from migrations')
    const done = new Set(rows.map(({ name }) => name))
    const all = await migrations()
    const unknown = [...done].filter((name) => !all.some((migration) => migration.name === name))
    if (unknown.length > 0)
      throw new StoreIsNewerError(
        `the database has migrations that this version does not know (${unknown.join(', ')}): start a newer version`,
      )
    const missing = all.filter(({ name }) => !done.has(name))
    for (const migration of missing) await apply(client, migration)
    return missing.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/** True when the store has every migration of this program. */
export async function isMigrated(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'tidemark migrate',
    connectionTimeoutMillis: 10_000,
  })
  await client.connect()
  try {
    const { rows } = await client.query<{ known: string | null }>(`select to_regclass('migrations')::text as known`)
    if (!rows[0]?.known) return false
    const applied = await client.query<{ name: string }>('select name from migrations')
    const done = new Set(applied.rows.map(({ name }) => name))
    return (await migrations()).every(({ name }) => done.has(name))
  } finally {
    await client.end()
  }
}

async function migrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(names.map(async (name) => ({ name, sql: await readFile(new URL(name, FOLDER), 'utf8') })))
}

async function apply(client: pg.Client, { name, sql }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query('insert into migrations (name) values ($1)', [name])
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback')
    throw new Error(`migration ${name} failed`, { cause })
  }
}
