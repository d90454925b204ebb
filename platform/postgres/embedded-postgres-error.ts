import { ExplainedError } from '../../core/explained-error.ts'

/**
 * Why the embedded Postgres cannot run here, in words for the person who typed `npm start`.
 * - `unavailable`: this machine has no binaries for it (set DATABASE_URL instead)
 * - `in_use`: another process has the same data directory
 * - `unusable_data`: the recorded data is missing, someone else's, or of another version
 * - `failed`: initdb or the server itself refused; the message carries what it printed
 */
export type EmbeddedPostgresErrorKind = 'unavailable' | 'in_use' | 'unusable_data' | 'failed'

/** Thrown by the start of the embedded Postgres only: without a database there is nothing to go on with. */
export class EmbeddedPostgresError extends ExplainedError {
  override readonly name = 'EmbeddedPostgresError'
  readonly kind: EmbeddedPostgresErrorKind

  constructor(kind: EmbeddedPostgresErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}
