import { retryWhile } from '../../concurrency/loops/retry.ts'
import { tell } from '../../platform/print.ts'
import type { ProcessIo } from '../../platform/process-io.ts'
import { exitCode } from '../exit-codes.ts'
import { RemoteError } from './remote-error.ts'

/**
 * Returns the answer to a question that may be asked again, and asks until the server answers it: one that is started
 * again is away for some seconds. Says so once, on standard error.
 *
 * @param until the instant of `performance.now()` after which a failure is thrown
 */
export async function whenItAnswers<T>(
  io: ProcessIo,
  ask: () => Promise<T>,
  until = Number.POSITIVE_INFINITY,
): Promise<T> {
  let wasAway = false
  const answer = await retryWhile(ask, {
    patienceMs: until - performance.now(),
    isRetryable: (error) => error instanceof RemoteError && error.exitCode === exitCode('unavailable'),
    onRetry(error) {
      if (!wasAway) tell(io, `tidemark: ${(error as Error).message}\ntidemark: asking again until it does\n`)
      wasAway = true
    },
  })
  if (wasAway) tell(io, 'tidemark: it answers again\n')
  return answer
}
