import type { Logger } from '../../../core/logger.ts'
import { startEmbeddedPostgres } from '../../../platform/postgres/start-embedded-postgres.ts'
import type { Settings } from '../settings/read-config.ts'

/** Where the store is, and how to let go of it. */
interface Database {
  readonly url: string
  /** The folder of the embedded one; null: it is another's. */
  readonly folder: string | null
  stop(): Promise<void>
}

/** The database of the settings, or the embedded one, started. */
export async function openDatabase(settings: Settings, log: Logger): Promise<Database> {
  if (settings.DATABASE_URL !== undefined) return { url: settings.DATABASE_URL, folder: null, stop: async () => {} }
  const embedded = await startEmbeddedPostgres({ dataDir: settings.TIDEMARK_DATA_DIR, log })
  return { url: embedded.url, folder: embedded.data, stop: () => embedded.stop() }
}
