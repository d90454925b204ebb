import { ExplainedError } from '../../core/explained-error.ts'

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
