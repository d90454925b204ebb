import { ExplainedError } from '../../core/explained-error.ts'

/**
 * Why the embedded Postgres cannot run here, for the user who ran `npm start`.
 * - `unavailable`: this machine has no binaries for it (set DATABASE_URL instead)
 * - `in_use`: another process has the same data directory
 * - `unusable_data`: the recorded data is missing, belongs to another account, or has another version
 * - `failed`: initdb or the server failed; the message contains its output
 */
type EmbeddedPostgresErrorKind = 'unavailable' | 'in_use' | 'unusable_data' | 'failed'

/** Thrown only by the start of the embedded Postgres: without a database nothing can run. */
export class EmbeddedPostgresError extends ExplainedError {
  override readonly name = 'EmbeddedPostgresError'
  readonly kind: EmbeddedPostgresErrorKind

  constructor(kind: EmbeddedPostgresErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}
