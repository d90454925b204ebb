import { ExplainedError } from '../../core/explained-error.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import { exitCode } from '../exit-codes.ts'

/** A command over REST could not do what was asked. The message says why, and what to do next. */
export class RemoteError extends ExplainedError {
  override readonly name = 'RemoteError'
  readonly exitCode: number
  /** The HTTP status, where the server refused. */
  readonly status: number | null

  /** The faults of the request, by the paths of the API. */
  readonly issues: readonly Issue[]
  /** What the message says after the faults: a server of an earlier version may not know what was sent. */
  readonly advice: string

  constructor(
    message: string,
    ending: Parameters<typeof exitCode>[0] = 'failed',
    status: number | null = null,
    { issues = [], advice = '' }: { readonly issues?: readonly Issue[]; readonly advice?: string } = {},
  ) {
    super(message + advice)
    this.issues = issues
    this.advice = advice
    this.exitCode = exitCode(ending)
    this.status = status
  }
}
