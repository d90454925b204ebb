import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { isMigrated, migrate, MigrationDiffersError, StoreIsNewerError } from '../../../store/db/migrate.ts'
import { createEmptyDatabase, type TestDatabase } from '../../support/database/test-database.ts'
import { temporaryFolder } from '../../support/process/temporary-folder.ts'
import { eventually } from '../../support/run/eventually.ts'

const open: TestDatabase[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((database) => database.drop()))
})

async function emptyDatabase(): Promise<string> {
  const database = await createEmptyDatabase()
  open.push(database)
  return database.url
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

test('an empty database is brought to shape, and a second time nothing is left to do', async () => {
  const url = await emptyDatabase()
  expect(await isMigrated(url)).toBe(false)
  const applied = await migrate(url)
  expect(applied[0]).toBe('000001-clock-and-ids.sql')
  expect(applied).toEqual(applied.toSorted())
  expect(await isMigrated(url)).toBe(true)
  expect(await migrate(url)).toEqual([])
})

test('programs that migrate at once apply each file once between them', async () => {
  const url = await emptyDatabase()
  const applied = (await Promise.all(Array.from({ length: 5 }, () => migrate(url)))).filter((names) => names.length > 0)
  expect(applied).toHaveLength(1)
  expect(await query(url, 'select count(*)::int as n from migrations')).toEqual([{ n: applied[0]?.length }])
})

test('a store that a newer version has migrated is refused, and left as it is', async () => {
  const url = await emptyDatabase()
  await migrate(url)
  await query(url, `insert into migrations (name, checksum) values ('999999-the-future.sql', '')`)
  await expect(migrate(url)).rejects.toThrow(StoreIsNewerError)
  await expect(migrate(url)).rejects.toThrow('999999-the-future.sql')
})

test('a store that was made with another text of a file is refused, and left as it is', async () => {
  const url = await emptyDatabase()
  const applied = await migrate(url)
  await query(url, `update migrations set checksum = repeat('0', 64) where name = '000003-monitors.sql'`)
  await query(url, `delete from migrations where name = '${applied.at(-1)}'`)
  const before = await query(url, 'select * from migrations order by name')
  await expect(migrate(url)).rejects.toThrow(MigrationDiffersError)
  await expect(migrate(url)).rejects.toThrow('another text of 000003-monitors.sql than this version has')
  expect(await query(url, 'select * from migrations order by name')).toEqual(before)
  expect(await isMigrated(url)).toBe(false)
})

test('a store from before checksums were kept is refused', async () => {
  const url = await emptyDatabase()
  await query(url, 'create table migrations (name text primary key, applied_at timestamptz not null default now())')
  await query(url, `insert into migrations (name) values ('000001-clock-and-ids.sql'), ('000002-teams.sql')`)
  await expect(migrate(url)).rejects.toThrow(MigrationDiffersError)
  await expect(migrate(url)).rejects.toThrow('000001-clock-and-ids.sql')
  expect(await isMigrated(url)).toBe(false)
})

test('a store that lacks the newest migration is not migrated', async () => {
  const url = await emptyDatabase()
  const applied = await migrate(url)
  await query(url, `delete from migrations where name = '${applied.at(-1)}'`)
  expect(await isMigrated(url)).toBe(false)
})

test('a migration that fails is rolled back whole, and its error names it', async () => {
  const url = await emptyDatabase()
  await query(url, 'create table teams (here boolean)')
  await expect(migrate(url)).rejects.toThrow('000002-accounts.sql')
  expect(await query(url, 'select name from migrations')).toEqual([{ name: '000001-clock-and-ids.sql' }])
  await query(url, 'drop table teams')
  expect((await migrate(url))[0]).toBe('000002-accounts.sql')
})

test('a database that cannot be reached is said so, and nothing hangs', async () => {
  await expect(migrate('postgres://nobody@127.0.0.1:1/none')).rejects.toThrow('nothing accepts connections there')
})

/** Copies the migrations, so that a test can add one. */
async function copiedFolder() {
  const folder = await temporaryFolder()
  await cp(new URL('../../../store/migrations/', import.meta.url), folder.path, { recursive: true })
  return {
    url: pathToFileURL(`${folder.path}/`),
    write: (sql: string) => writeFile(join(folder.path, '999999-of-a-test.sql'), sql),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

/** A store before one more migration, and a session in a transaction. */
async function before(...lines: readonly string[]) {
  const url = await emptyDatabase()
  await migrate(url)
  const folder = await copiedFolder()
  await folder.write([...lines, ''].join('\n'))
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  await holder.query('begin')
  return { url, holder, options: { folder: folder.url }, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] }
}

/** The same, with a lock as a long transaction has it. */
async function lockedBefore() {
  const store = await before('alter table checks add column z int;')
  await store.holder.query('lock table checks in access share mode')
  return store
}

test('a migration waits for a lock in short turns, and statements of others pass between them', async () => {
  await using store = await lockedBefore()
  const { url, holder, options } = store
  const waits = Promise.withResolvers<string>()
  const migrating = migrate(url, { ...options, progress: (step) => step.includes('waits') && waits.resolve(step) })
  expect(await waits.promise).toBe('Migration 999999-of-a-test.sql waits for a table that another session has locked')
  // It would stand behind the migration for as long as that waits.
  await query(url, "set statement_timeout = '10s'; select count(*) from checks")
  await holder.end()
  expect(await migrating).toEqual(['999999-of-a-test.sql'])
})

test('a migration whose tables stay locked leaves the store as it is, and says what to do', async () => {
  await using store = await lockedBefore()
  const { url, holder, options } = store
  await expect(migrate(url, { ...options, lockPatienceMs: 100 })).rejects.toThrow(
    /999999-of-a-test\.sql found its tables locked.*End long/,
  )
  expect(await query(url, `select name from migrations where name = '999999-of-a-test.sql'`)).toEqual([])
  await holder.end()
  expect(await migrate(url, options)).toEqual(['999999-of-a-test.sql'])
})

/** Resolves when a session of this database has waited for a lock for this long, in milliseconds. */
async function waitedFor(client: pg.Client, ms: number): Promise<void> {
  const waiting = async () => {
    // In a transaction, the activity stays what it was at the first look.
    await client.query('select pg_stat_clear_snapshot()')
    const { rowCount } = await client.query(
      `select from pg_locks join pg_stat_activity using (pid)
       where not granted and datname = current_database()
         and clock_timestamp() - waitstart > make_interval(secs => $1)`,
      [ms / 1_000],
    )
    return rowCount ?? 0
  }
  await eventually(waiting, (count) => count > 0)
}

test('a migration now and then waits for as long as Postgres needs to end an autovacuum in the way', async () => {
  await using store = await lockedBefore()
  const { url, holder, options } = store
  const migrating = migrate(url, options)
  // Where the test ends first, that is its fault, and not what becomes of the migration then.
  migrating.catch(() => {})
  // A short wait is 200 ms. A busy machine ends it later, and looks at a long one, of 1,500 ms, now and then.
  await waitedFor(holder, 700)
  await holder.end()
  expect(await migrating).toEqual(['999999-of-a-test.sql'])
}, 60_000)

test('a migration that a deadlock ended is tried again', async () => {
  const url = await emptyDatabase()
  await migrate(url)
  await using folder = await copiedFolder()
  await folder.write('alter table notices add column z int;\nalter table checks add column z int;\n')
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  // The migration finds the deadlock, not this session.
  await holder.query(`set deadlock_timeout = '1h'`)
  await holder.query('begin')
  await holder.query('lock table checks in access share mode')
  const migrating = migrate(url, { folder: folder.url })
  // As above.
  migrating.catch(() => {})
  await waitedFor(holder, 400)
  await holder.query('lock table notices in access share mode')
  await holder.end()
  expect(await migrating).toEqual(['999999-of-a-test.sql'])
})

test('a migration outside a transaction builds an index beside writes, and begins again when it failed', async () => {
  const url = await emptyDatabase()
  await migrate(url)
  await using folder = await copiedFolder()
  const lines = (table: string) =>
    [
      '-- Runs outside a transaction.',
      'drop index concurrently if exists checks_of_a_test;',
      `create index concurrently checks_of_a_test on ${table} (next_run_at);`,
      '',
    ].join('\n')
  const options = { folder: folder.url }
  await folder.write(lines('no_such_table'))
  await expect(migrate(url, options)).rejects.toThrow('migration 999999-of-a-test.sql failed')
  await folder.write(lines('checks'))
  expect(await migrate(url, options)).toEqual(['999999-of-a-test.sql'])
  const valid = `select indisvalid from pg_index where indexrelid = 'checks_of_a_test'::regclass`
  expect(await query(url, valid)).toEqual([{ indisvalid: true }])
  expect(await migrate(url, options)).toEqual([])
})

const OUTSIDE = '-- Runs outside a transaction.'

const INDEX = [
  OUTSIDE,
  'drop index concurrently if exists checks_of_a_test;',
  'create index concurrently checks_of_a_test on checks (next_run_at);',
]

test('an index is built while another program waits for its turn to migrate', async () => {
  await using store = await before(...INDEX)
  const { url, holder, options } = store
  await holder.query('lock table checks in row exclusive mode')
  const first = migrate(url, options)
  await waitedFor(holder, 50)
  const second = migrate(url, options)
  // As above.
  for (const one of [first, second]) one.catch(() => {})
  const programs = `select from pg_stat_activity
    where datname = current_database() and application_name = 'tidemark migrate' and query like '%advisory_lock%'`
  await expect.poll(async () => (await query(url, programs)).length).toBe(1)
  await holder.end()
  expect(await Promise.all([first, second])).toEqual([['999999-of-a-test.sql'], []])
})

test('an index that is built beside writes waits for them, longer than a statement of others may take', async () => {
  await using store = await before(...INDEX)
  const { url, holder, options } = store
  await holder.query('lock table checks in row exclusive mode')
  const { rows } = await holder.query<{ name: string }>('select current_database() as name')
  await query(url, `alter database ${rows[0]?.name} set statement_timeout = '1s'`)
  const steps: string[] = []
  const migrating = migrate(url, { ...options, progress: (step) => steps.push(step) })
  // A short wait is 200 ms. A busy machine ends it later, and looks at a long one, of 1,500 ms, now and then.
  await waitedFor(holder, 700)
  await holder.end()
  expect(await migrating).toEqual(['999999-of-a-test.sql'])
  expect(steps).toEqual(['Migrating the database (1 migrations)'])
})

test('a statement that is not concurrent waits in short turns outside a transaction too', async () => {
  await using store = await before(OUTSIDE, 'alter table checks validate constraint x_of_a_test;')
  const { url, holder, options } = store
  await query(url, 'alter table checks add constraint x_of_a_test check (next_run_at is not null) not valid')
  await holder.query('lock table checks in share update exclusive mode')
  const waits = Promise.withResolvers<string>()
  await expect(migrate(url, { ...options, lockPatienceMs: 100 })).rejects.toThrow('found its tables locked')
  const migrating = migrate(url, { ...options, progress: (step) => step.includes('waits') && waits.resolve(step) })
  await waits.promise
  await holder.end()
  expect(await migrating).toEqual(['999999-of-a-test.sql'])
})
