import { createLogger } from '../../../core/logger.ts'
import { openStore, type Store } from '../../../store/db/client.ts'
import { checkEncryptionKey } from '../../../store/secrets/encryption-key-check.ts'
import { migrate } from '../../../store/db/migrate.ts'
import { createSecretBox } from '../../../store/secrets/secret-box.ts'
import { progressOf } from '../process/until-stopped.ts'
import { openDatabase } from './database.ts'
import { encryptionKey } from '../settings/encryption-key.ts'
import { readSettings } from '../settings/read-config.ts'

/** Opens and migrates the store of the settings, runs the work, and closes the store. */
export async function withStore(work: (store: Store, encryptionKey: string) => Promise<void>): Promise<void> {
  const settings = readSettings(process.env)
  const log = createLogger('warn')
  const key = await encryptionKey(settings)
  const database = await openDatabase(settings, { log, progress: progressOf(log, settings.TIDEMARK_LOG_LEVEL) })
  try {
    await migrate(database.url)
    const store = await openStore({ url: database.url, name: 'tidemark admin', connections: 2 })
    try {
      await checkEncryptionKey(store, createSecretBox(key))
      await work(store, key)
    } finally {
      await store.end()
    }
  } finally {
    await database.stop()
  }
}

/** Prints one line of JSON for scripts, or a line a value for people. */
export function print(json: boolean, value: Readonly<Record<string, unknown>>): void {
  if (json) process.stdout.write(`${JSON.stringify(value)}\n`)
  else
    for (const [name, item] of Object.entries(value))
      process.stdout.write(`${name.padEnd(14)} ${typeof item === 'string' ? item : JSON.stringify(item)}\n`)
}
