import { resolve } from 'node:path'
import { ExplainedError } from '../../core/explained-error.ts'
import { createLogger } from '../../core/logger.ts'
import { tell } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { ensureSessionKey } from '../../store/accounts/credentials/session-key.ts'
import { openStore, type Store } from '../../store/db/client.ts'
import { connectionFault } from '../../store/db/connection-fault.ts'
import { isMigrated, migrate, StoreIsNewerError } from '../../store/db/migrate.ts'
import { isOutage } from '../../store/db/store-fault.ts'
import { checkEncryptionKey } from '../../store/secrets/encryption-key-check.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { progressOf } from '../process/until-stopped.ts'
import { encryptionKey, hasInstallation } from '../settings/encryption-key.ts'
import { readSettings, type Settings } from '../settings/read-config.ts'
import { joinDatabase } from './database.ts'

/** What a command for the administrator gets besides the store. */
export interface AdminContext {
  readonly encryptionKey: string
  /** Returns the key that signs sessions. */
  sessionKey(): Promise<string>
  readonly settings: Settings
  /** A server runs on the embedded database. */
  readonly isShared: boolean
}

interface StoreNeeds {
  readonly creates?: boolean
  readonly worksWithNewer?: boolean
}

/**
 * Opens and migrates the store of the settings, runs the work, and closes the store. A server with an embedded database
 * may run at the same time: its database is used. `creates`: without a database an embedded one is created. Other
 * commands refuse: in the wrong folder they would leave an empty installation behind. `worksWithNewer`: the store may
 * have been migrated by a newer version, as after a release was rolled back.
 */
export async function withStore(
  io: ProcessIo,
  work: (store: Store, context: AdminContext) => Promise<void>,
  { creates = false, worksWithNewer = false }: StoreNeeds = {},
): Promise<void> {
  const settings = readSettings(io.env)
  // What a command prints is for scripts.
  const log = createLogger('warn', io.stderr)
  const isNew = !(await hasInstallation(settings))
  const folder = resolve(settings.TIDEMARK_DATA_DIR)
  if (isNew && !creates) throw new NoInstallationError(folder)
  const key = await encryptionKey(settings)
  if (isNew) tell(io, `There is no database in ${folder} yet. A new one is created.\n`)
  const database = await joinDatabase(settings, { log, progress: progressOf(io, log, settings.TIDEMARK_LOG_LEVEL) })
  try {
    if (database.isShared && !(await isMigrated(database.url))) throw new OtherVersionError()
    if (!database.isShared)
      await migrate(database.url, { plans: null }).catch((error: unknown) => {
        if (!(worksWithNewer && error instanceof StoreIsNewerError)) throw error
      })
    const store = await openStore({ url: database.url, name: 'tidemark admin', connections: 2 })
    try {
      const secrets = createSecretBox(key)
      await checkEncryptionKey(store, secrets)
      const sessionKey = () => ensureSessionKey(store, secrets, key)
      await work(store, { encryptionKey: key, sessionKey, settings, isShared: database.isShared })
    } finally {
      await store.end()
    }
  } catch (error) {
    throw isOutage(error) ? explained(error, { settings, isShared: database.isShared }) : error
  } finally {
    await database.stop()
  }
}

/** Explains a database that went away during the work: it is not a bug, and the work can be done again. */
function explained(
  error: unknown,
  { settings, isShared }: { readonly settings: Settings; readonly isShared: boolean },
): unknown {
  if (error instanceof ExplainedError) return error
  if (isShared) return new SharedDatabaseError({ cause: error })
  return (settings.DATABASE_URL !== undefined && connectionFault(error, settings.DATABASE_URL)) || error
}

/** The embedded database ends with the server that runs on it. */
class SharedDatabaseError extends ExplainedError {
  override readonly name = 'SharedDatabaseError'
  constructor(options: ErrorOptions) {
    super('the database of the server was stopped, or did not answer in time; run this again', options)
  }
}

class NoInstallationError extends ExplainedError {
  override readonly name = 'NoInstallationError'
  constructor(folder: string) {
    super(
      `there is no installation in ${folder}; set TIDEMARK_DATA_DIR to the data folder of one, or DATABASE_URL to ` +
        'its database. A new one is made by npm start, or by admin create-owner',
    )
  }
}

/** A server of another version runs on the database. */
class OtherVersionError extends ExplainedError {
  override readonly name = 'OtherVersionError'
  constructor() {
    super('the server that runs is of another version; stop it, or use the commands of its version')
  }
}
