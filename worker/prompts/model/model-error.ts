import { retryAfterMs } from '../../../core/retry-after.ts'
import { failure, malformed, type ModelFailure, statusFailure, tooSlow, unreachable } from './model-fault.ts'
import { TooLargeError } from './model-fetch.ts'

/** What the client threw, in the form that the run, the retry and the log need. */
export interface ModelError {
  readonly failed: ModelFailure
  /** The status and text of the endpoint's response; null: it did not respond. */
  readonly refusal: { readonly status: number; readonly words: string } | null
  readonly words: string
}

/**
 * Classifies what the client throws by the properties of the errors. Their classes cannot be imported here, because the
 * client is loaded late.
 */
export function modelError(error: unknown, timeoutMs: number): ModelError {
  const words = error instanceof Error ? error.message : String(error)
  const of = (failed: ModelFailure): ModelError => ({ failed, refusal: null, words: withCauses(error, words) })
  if (error instanceof SyntaxError) return of(malformed('it is not JSON'))
  if (!(error instanceof Error)) return of(unreachable())
  const { status, headers } = error as { status?: unknown; headers?: unknown }
  if (typeof status === 'number') {
    const after = headers instanceof Headers ? retryAfterMs(headers.get('retry-after') ?? undefined, Date.now()) : null
    return { failed: statusFailure(status, after ?? 0), refusal: { status, words }, words }
  }
  if (error.constructor.name === 'APIConnectionTimeoutError') return of(tooSlow(timeoutMs))
  if (causes(error).some((cause) => cause instanceof TooLargeError)) return of(TOO_LARGE)
  return of(unreachable())
}

const TOO_LARGE = failure('model_answer', "The answer of the model's endpoint is larger than any that could be used.", {
  wasAnswered: true,
})

function causes(error: Error): readonly unknown[] {
  const found: unknown[] = []
  for (let next: unknown = error; next instanceof Error && found.length < 5; next = next.cause) found.push(next)
  return found
}

const withCauses = (error: unknown, words: string) =>
  error instanceof Error
    ? causes(error)
        .map((cause) => (cause instanceof Error ? cause.message : ''))
        .join(': ')
    : words
