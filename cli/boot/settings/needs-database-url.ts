import { SettingsError, type Settings } from './read-config.ts'
import { ExplainedError } from '../../../core/explained-error.ts'

/**
 * Throws SettingsError when there is no database address. The embedded Postgres belongs to one process; commands in
 * separate processes share a database by its address.
 */
export function needsDatabaseUrl(settings: Settings, command: string): void {
  if (settings.DATABASE_URL !== undefined) return
  throw new SettingsError([
    {
      path: 'DATABASE_URL',
      message: `is required by "tidemark ${command}"; "tidemark serve" runs everything with an embedded Postgres`,
    },
  ])
}

/** The schema of the database is not that of this version. */
export class NotMigratedError extends ExplainedError {
  override readonly name = 'NotMigratedError'
  constructor() {
    super('the database is not migrated for this version; run "npx tidemark migrate" first')
  }
}
