import { resolve } from 'node:path'
import { openDatabase } from '../../boot/parts/database.ts'
import { progressOf } from '../../boot/process/until-stopped.ts'
import { NoDatabaseError } from '../../boot/settings/database-errors.ts'
import { encryptionKey } from '../../boot/settings/encryption-key.ts'
import { readSettings } from '../../boot/settings/read-config.ts'
import { readPlans } from '../../boot/settings/read-plans.ts'
import { retryWhile } from '../../concurrency/loops/retry.ts'
import { createLogger } from '../../core/logger.ts'
import { existingDatabase } from '../../platform/postgres/embedded-home.ts'
import { tell } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { migrate as migrateStore, StoreIsNewerError } from '../../store/db/migrate.ts'
import { isStoreAway } from '../../store/db/store-fault.ts'
import { type OutputOptions, printResult } from '../output.ts'

/**
 * Migrates the database of the settings, and prints what was applied. Waits for a database that does not answer yet. A
 * database of a newer version stays as it is: migrations only add, so this version works with it, and a release can be
 * rolled back.
 */
export async function migrate(io: ProcessIo, waitMs: number, options: OutputOptions): Promise<void> {
  const settings = readSettings(io.env)
  const { DATABASE_URL: url, TIDEMARK_DATA_DIR: folder } = settings
  if (url === undefined && (await existingDatabase(resolve(folder))) === null) throw new NoDatabaseError(folder)
  const plans = readPlans(settings)
  const log = createLogger('warn', io.stderr)
  const progress = progressOf(io, log, settings.TIDEMARK_LOG_LEVEL)
  // A database without its key file beside it counts as one whose key was lost.
  await encryptionKey(settings)
  let isWaiting = false
  const database = await openDatabase(settings, { log, progress })
  try {
    const applied = await retryWhile(() => migrateStore(database.url, { plans, progress }), {
      patienceMs: waitMs,
      isRetryable: isStoreAway,
      onRetry: () => {
        if (!isWaiting) tell(io, 'Waiting for the database to answer.\n')
        isWaiting = true
      },
    })
    const text = applied.length === 0 ? 'The database is up to date.\n' : `Applied ${applied.join(', ')}.\n`
    await printResult(io, options, { data: { applied, is_newer: false }, names: applied, text })
  } catch (error) {
    if (!(error instanceof StoreIsNewerError)) throw error
    const text = 'A newer version has migrated the database. It stays as it is, and this version works with it.\n'
    await printResult(io, options, { data: { applied: [], is_newer: true }, names: [], text })
  } finally {
    await database.stop()
  }
}
