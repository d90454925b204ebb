import { ExplainedError } from '../../../core/explained-error.ts'
import type { Config } from '../../../schema/config/config.ts'
import type { Issue } from '../../../schema/validation/issue.ts'

/**
 * Returns what a command misses that shares its database with other processes. The embedded Postgres belongs to one
 * process, so such commands need the address of a database.
 */
export const needsDatabaseUrl =
  (command: string) =>
  ({ DATABASE_URL }: Pick<Config, 'DATABASE_URL'>): Issue[] =>
    DATABASE_URL === undefined
      ? [
          {
            path: 'DATABASE_URL',
            message: `is required by "tidemark ${command}"; "tidemark serve" runs everything with an embedded Postgres`,
          },
        ]
      : []

/** There is nothing to migrate. */
export class NoDatabaseError extends ExplainedError {
  override readonly name = 'NoDatabaseError'
  constructor(folder: string) {
    super(
      `DATABASE_URL is not set, and there is no database in ${folder}: set DATABASE_URL, or call "./tidemark serve", ` +
        'which makes and migrates an embedded one',
    )
  }
}

/** The schema of the database is not that of this version. */
export class NotMigratedError extends ExplainedError {
  override readonly name = 'NotMigratedError'
  constructor() {
    super('the database is not migrated for this version; run "./tidemark migrate" first')
  }
}
