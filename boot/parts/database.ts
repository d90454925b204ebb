import type { Logger } from '../../core/logger.ts'
import { EmbeddedPostgresError } from '../../platform/postgres/embedded-postgres-error.ts'
import { runningPostgres } from '../../platform/postgres/running-postgres.ts'
import { startEmbeddedPostgres } from '../../platform/postgres/start-embedded-postgres.ts'
import type { Progress } from '../process/until-stopped.ts'
import type { Settings } from '../settings/read-config.ts'

/** The address of the store, and a way to release it. */
interface Database {
  readonly url: string
  /** The folder of the embedded database; null when the database is external. */
  readonly folder: string | null
  stop(): Promise<void>
}

interface DatabaseContext {
  readonly log: Logger
  readonly progress: Progress
}

/** Returns the database of the settings, or starts the embedded one. */
export async function openDatabase(settings: Settings, { log, progress }: DatabaseContext): Promise<Database> {
  if (settings.DATABASE_URL !== undefined) return { url: settings.DATABASE_URL, folder: null, stop: async () => {} }
  const embedded = await startEmbeddedPostgres({ dataDir: settings.TIDEMARK_DATA_DIR, log, progress })
  return { url: embedded.url, folder: embedded.data, stop: () => embedded.stop() }
}

/**
 * Does the same as `openDatabase`, but uses the embedded database of a server that runs. `isShared`: that is the case.
 */
export async function joinDatabase(
  settings: Settings,
  context: DatabaseContext,
): Promise<Database & { readonly isShared: boolean }> {
  try {
    return { ...(await openDatabase(settings, context)), isShared: false }
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError) || error.kind !== 'in_use') throw error
    const running = await runningPostgres(settings.TIDEMARK_DATA_DIR)
    if (!running) throw error
    return { url: running.url, folder: running.data, stop: async () => {}, isShared: true }
  }
}
