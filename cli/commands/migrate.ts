import { Command } from 'commander'
import { createLogger } from '../../core/logger.ts'
import { migrate } from '../../store/db/migrate.ts'
import { openDatabase } from '../boot/parts/database.ts'
import { readSettings } from '../boot/settings/read-config.ts'

export const migrateCommand = () =>
  new Command('migrate')
    .description('Migrates the database to the schema of this version. Safe to run again, and several times at once.')
    .action(async () => {
      const settings = readSettings(process.env)
      const database = await openDatabase(settings, createLogger('warn'))
      try {
        const applied = await migrate(database.url)
        process.stdout.write(
          applied.length === 0 ? 'The database is up to date.\n' : `Applied ${applied.join(', ')}.\n`,
        )
      } finally {
        await database.stop()
      }
    })
