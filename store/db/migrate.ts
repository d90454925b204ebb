import pg from 'pg'
import { createBackoff, PAUSES, retryWhile } from '../../concurrency/loops/retry.ts'
import { sleep } from '../../concurrency/loops/sleep.ts'
import { ExplainedError } from '../../core/explained-error.ts'
import type { PlansFile } from '../../schema/account/plan.ts'
import { syncPlans } from '../quota/sync-plans.ts'
import { connectionFault, transactionModeFault } from './connection-fault.ts'
import { formerFault, joining } from './former-migrations.ts'
import { keepsSessions } from './keeps-sessions.ts'
import { type AppliedMigration, type Migration, MIGRATIONS, migrationsIn } from './migrations.ts'
import { statementsOf } from './statements-of.ts'

interface MigrateOptions {
  /** The limits of plans that differ in this installation. Null: existing plans stay as they are. */
  readonly plans?: PlansFile | null
  readonly progress?: ((step: string) => void) | undefined
  /** How long a migration that finds its tables locked is tried again. */
  readonly lockPatienceMs?: number
  /** The folder of the migrations. */
  readonly folder?: URL
}

/** Thrown when the store was migrated by a newer program than this one. */
export class StoreIsNewerError extends ExplainedError {
  override readonly name = 'StoreIsNewerError'
}

/** Thrown when a migration was applied with a different text than the file of this program has. */
export class MigrationDiffersError extends ExplainedError {
  override readonly name = 'MigrationDiffersError'
}

/** Thrown when other sessions kept a migration from a lock for as long as it tries. */
class MigrationIsLockedError extends ExplainedError {
  override readonly name = 'MigrationIsLockedError'
}

/**
 * The first line of a migration whose statements run one by one. Where one is interrupted, or finds its table locked,
 * the next attempt begins with the first again: the gate (`locks`) admits only statements that may run twice.
 */
const OUTSIDE = '-- Runs outside a transaction.'
/** A statement that waits for a lock stops all later ones on its table, so a migration waits this long at once. */
const LOCK_TIMEOUT_MS = 200
/**
 * Each fifth attempt waits longer. Postgres ends an autovacuum that is in the way of a statement only after the
 * statement has waited for `deadlock_timeout`, which is 1 s. Shorter waits alone would fail beside a long autovacuum.
 */
const LONG_LOCK_TIMEOUT_MS = 1_500
const ATTEMPTS_TO_LONG = 5
/** How long a migration is tried again, in milliseconds. Transactions of this program last less. */
const LOCK_PATIENCE_MS = 60_000
/** The lock was not free in time (lock_not_available), or two sessions waited for each other (deadlock_detected). */
const CODES_OF_LOCKS: readonly unknown[] = ['55P03', '40P01']

/**
 * Brings the store to the schema of this program. Applies each file once, each in its own transaction, and writes the
 * plans. An advisory lock admits one program at a time. Returns the names that were applied. Uses a plain connection,
 * because the row checks of the pool need the tables that this function creates. `progress` is called before something
 * is applied.
 */
export async function migrate(
  databaseUrl: string,
  { plans = {}, progress, lockPatienceMs = LOCK_PATIENCE_MS, folder = MIGRATIONS }: MigrateOptions = {},
): Promise<string[]> {
  return connected(databaseUrl, 'tidemark migrate', async (client) => {
    await refuseTransactionMode(client, databaseUrl)
    await takeTurn(client)
    await client.query(`
      create table if not exists migrations (
        name text primary key,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`)
    const all = await migrationsIn(folder)
    const former = await appliedIn(client)
    refuseOthers(all, former)
    const join = joining(all, former)
    if (join !== null) await applyBetweenLocks(client, join, { lockPatienceMs, progress })
    const applied = join === null ? former : await appliedIn(client)
    const missing = all.filter(({ name }) => !applied.some((done) => done.name === name))
    if (missing.length > 0) progress?.(`Migrating the database (${missing.length} migrations)`)
    for (const migration of missing) await applyBetweenLocks(client, migration, { lockPatienceMs, progress })
    await syncPlans(client, plans)
    return missing.map(({ name }) => name)
  })
}

/**
 * Waits until no other program migrates. It asks again and again: a statement that waits has a snapshot, and an index
 * that the other program builds concurrently would wait for that. Neither would ever end.
 */
async function takeTurn(client: pg.Client): Promise<void> {
  for (const pauses = createBackoff(PAUSES); ; await sleep(pauses.next())) {
    const { rows } = await client.query<{ isOurs: boolean }>(
      `select pg_try_advisory_lock(hashtext('tidemark.migrate')) as "isOurs"`,
    )
    if (rows[0]?.isOurs) return
  }
}

/** Where no second connection can be had, nobody knows, and the work is tried. */
async function refuseTransactionMode(client: pg.Client, databaseUrl: string): Promise<void> {
  const keeps = await connected(databaseUrl, 'tidemark migrate', (other) => keepsSessions(client, other)).catch(
    () => true,
  )
  if (!keeps) throw transactionModeFault(databaseUrl)
}

/** Returns whether the store has every migration of this program. */
export async function isMigrated(databaseUrl: string): Promise<boolean> {
  return connected(databaseUrl, 'tidemark migrate', async (client) => {
    await refuseTransactionMode(client, databaseUrl)
    const { rows } = await client.query<{ known: string | null }>(`select to_regclass('migrations')::text as known`)
    if (!rows[0]?.known) return false
    const applied = new Map((await appliedIn(client)).map(({ name, checksum }) => [name, checksum]))
    return (await migrationsIn(MIGRATIONS)).every(({ name, checksum }) => applied.get(name) === checksum)
  })
}

/** Where the schema of a store stands, seen from this program. */
export interface MigrationState {
  /** Files of this program that were not applied. */
  readonly missing: readonly string[]
  /** The store was migrated by a newer program, or with other texts: why. */
  readonly others: StoreIsNewerError | MigrationDiffersError | null
}

/** Returns the state of a store, and changes nothing. */
export async function migrationState(client: pg.Client): Promise<MigrationState> {
  const all = await migrationsIn(MIGRATIONS)
  const { rows } = await client.query<{ known: string | null }>(`select to_regclass('migrations')::text as known`)
  const applied = rows[0]?.known ? await appliedIn(client) : []
  const missing = all.filter(({ name }) => !applied.some((done) => done.name === name)).map(({ name }) => name)
  try {
    refuseOthers(all, applied)
    return { missing, others: null }
  } catch (error) {
    if (error instanceof StoreIsNewerError || error instanceof MigrationDiffersError) return { missing, others: error }
    throw error
  }
}

/**
 * Connects, does the work, and ends the connection. `name` is shown in pg_stat_activity. Throws an ExplainedError where
 * a person can correct the cause.
 */
export async function connected<T>(
  databaseUrl: string,
  name: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: name,
    connectionTimeoutMillis: 10_000,
  })
  // The query that is under way gets the rejection. Without a listener, the event would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } catch (error) {
    throw error instanceof ExplainedError ? error : (connectionFault(error, databaseUrl) ?? error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

// Reads through jsonb, so that a table that does not have the column yet is not an error.
async function appliedIn(client: pg.Client): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    `select name, to_jsonb(m)->>'checksum' as checksum from migrations m order by name`,
  )
  return rows
}

function refuseOthers(all: readonly Migration[], applied: readonly AppliedMigration[]): void {
  if (joining(all, applied) !== null) return
  const fault = formerFault(all, applied)
  if (fault !== null) throw new MigrationDiffersError(fault)
  const ownChecksums = new Map(all.map(({ name, checksum }) => [name, checksum]))
  const differing = applied.filter(
    ({ name, checksum }) => ownChecksums.has(name) && ownChecksums.get(name) !== checksum,
  )
  if (differing.length > 0)
    throw new MigrationDiffersError(
      `the database was made with another text of ${names(differing)} than this version has: ` +
        'start the version that made it, or use a new database',
    )
  const unknown = applied.filter(({ name }) => !ownChecksums.has(name))
  if (unknown.length > 0)
    throw new StoreIsNewerError(
      `the database has migrations that this version does not know (${names(unknown)}): start a newer version`,
    )
}

const names = (of: readonly { readonly name: string }[]): string => of.map(({ name }) => name).join(', ')

/** Applies a migration. Where other sessions hold its tables, it lets statements pass and tries again. */
async function applyBetweenLocks(
  client: pg.Client,
  migration: Migration,
  { lockPatienceMs, progress }: Required<Pick<MigrateOptions, 'lockPatienceMs'>> & Pick<MigrateOptions, 'progress'>,
): Promise<void> {
  let isWaiting = false
  let attempts = 0
  const attempt = () => {
    attempts += 1
    return apply(client, migration, attempts % ATTEMPTS_TO_LONG === 0 ? LONG_LOCK_TIMEOUT_MS : LOCK_TIMEOUT_MS)
  }
  try {
    await retryWhile(attempt, {
      patienceMs: lockPatienceMs,
      isRetryable: isOfLock,
      onRetry: () => {
        if (!isWaiting) progress?.(`Migration ${migration.name} waits for a table that another session has locked`)
        isWaiting = true
      },
    })
  } catch (error) {
    if (!isOfLock(error)) throw error
    throw new MigrationIsLockedError(
      `migration ${migration.name} found its tables locked for ${Math.round(lockPatienceMs / 1000)} seconds, and was ` +
        'not applied. End long transactions on this database (pg_stat_activity), and start again.',
      { cause: error },
    )
  }
}

/** Returns whether a migration failed because a lock was not free in time. */
const isOfLock = (error: unknown): boolean =>
  error instanceof Error && CODES_OF_LOCKS.includes((error.cause as { readonly code?: unknown } | undefined)?.code)

async function apply(client: pg.Client, migration: Migration, lockTimeoutMs: number): Promise<void> {
  const { name, sql, checksum } = migration
  if (sql.startsWith(OUTSIDE)) return applyOutside(client, migration, lockTimeoutMs)
  await client.query('begin')
  try {
    // The role may have a limit for statements, as behind PgBouncer.
    await client.query(`set local lock_timeout = ${lockTimeoutMs}; set local statement_timeout = 0`)
    await client.query(sql)
    await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (cause) {
    // A connection that is lost has no transaction any more.
    await client.query('rollback').catch(() => undefined)
    throw new Error(`migration ${name} failed`, { cause })
  }
}

/**
 * An index that is built concurrently waits for transactions, and no reads or writes wait for it. All other statements
 * wait in turns. None is ended because it takes long.
 */
async function applyOutside(
  client: pg.Client,
  { name, sql, checksum }: Migration,
  lockTimeoutMs: number,
): Promise<void> {
  try {
    for (const statement of statementsOf(sql)) {
      const isConcurrent = /\bconcurrently\b/i.test(statement.sql)
      await client.query(`set lock_timeout = ${isConcurrent ? 0 : lockTimeoutMs}; set statement_timeout = 0`)
      await client.query(statement.sql)
    }
    await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
  } catch (cause) {
    throw new Error(`migration ${name} failed`, { cause })
  } finally {
    await client.query('reset lock_timeout; reset statement_timeout').catch(() => undefined)
  }
}
