import { createLogger } from '../../core/logger.ts'
import { migrate as migrateStore } from '../../store/db/migrate.ts'
import { openDatabase } from '../boot/parts/database.ts'
import { progressOf } from '../boot/process/until-stopped.ts'
import { encryptionKey } from '../boot/settings/encryption-key.ts'
import { readPlans } from '../boot/settings/read-plans.ts'
import { readSettings } from '../boot/settings/read-config.ts'

/** Migrates the database of the settings, and prints what was applied. */
export async function migrate(): Promise<void> {
  const settings = readSettings(process.env)
  const plans = readPlans(settings)
  const log = createLogger('warn')
  const progress = progressOf(log, settings.TIDEMARK_LOG_LEVEL)
  // A database without its key file beside it counts as one whose key was lost.
  await encryptionKey(settings)
  const database = await openDatabase(settings, { log, progress })
  try {
    const applied = await migrateStore(database.url, { plans, progress })
    process.stdout.write(applied.length === 0 ? 'The database is up to date.\n' : `Applied ${applied.join(', ')}.\n`)
  } finally {
    await database.stop()
  }
}
