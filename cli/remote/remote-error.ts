import { ExplainedError } from '../../core/explained-error.ts'
import { exitCode } from '../exit-codes.ts'

/** A command over REST could not do what was asked. The message says why, and what to do next. */
export class RemoteError extends ExplainedError {
  override readonly name = 'RemoteError'
  readonly exitCode: number
  /** The HTTP status, where the server refused. */
  readonly status: number | null

  constructor(message: string, ending: Parameters<typeof exitCode>[0] = 'failed', status: number | null = null) {
    super(message)
    this.exitCode = exitCode(ending)
    this.status = status
  }
}
