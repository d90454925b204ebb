import { connected, migrationState, type MigrationState } from './migrate.ts'

/** A database, as it describes itself to somebody who changes nothing in it. */
export interface DatabaseLook {
  /** As in `18.4`. */
  readonly version: string
  readonly major: number
  readonly bytes: number
  readonly migrations: MigrationState
  /** Milliseconds that its clock is ahead of the clock of this process; negative: behind. */
  readonly aheadMs: number
  /** The most that `aheadMs` may be wrong, in milliseconds. */
  readonly withinMs: number
  /** Seconds by which `clock()` is moved, as in tests. 0: it is not, or there is no such function yet. */
  readonly movedSeconds: number
}

/** Asks the database. Rejects as `isMigrated` does, with an ExplainedError where a person can correct the cause. */
export async function lookAtDatabase(databaseUrl: string): Promise<DatabaseLook> {
  return connected(databaseUrl, 'tidemark doctor', async (client) => {
    const {
      rows: [own],
    } = await client.query<{ version: string; number: number; bytes: string; has_clock: boolean }>(`
      select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
             pg_database_size(current_database())::text as bytes, to_regprocedure('clock()') is not null as has_clock`)
    const before = Date.now()
    const instant = await client.query<{ ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    )
    const after = Date.now()
    const moved = own?.has_clock
      ? await client.query<{ seconds: number }>('select extract(epoch from clock() - now())::float8 as seconds')
      : null
    return {
      // A distribution adds its own name behind it.
      version: own?.version.split(' ', 1)[0] ?? '',
      major: Math.floor((own?.number ?? 0) / 10_000),
      bytes: Number(own?.bytes ?? 0),
      migrations: await migrationState(client),
      aheadMs: Math.round((instant.rows[0]?.ms ?? Number.NaN) - (before + after) / 2),
      withinMs: Math.ceil((after - before) / 2) + 1,
      movedSeconds: Math.round(moved?.rows[0]?.seconds ?? 0),
    }
  })
}
