import { sleep } from '../../concurrency/sleep.ts'
import { exitCode } from '../exit-codes.ts'
import { RemoteError } from './remote-error.ts'

const PAUSE_MS = 1_000

/**
 * Returns the answer to a question that may be asked again, and asks until the server answers it: one that is started
 * again is away for some seconds. Says so once, on standard error.
 *
 * @param until the instant of `performance.now()` after which a failure is thrown
 */
export async function whenItAnswers<T>(ask: () => Promise<T>, until = Number.POSITIVE_INFINITY): Promise<T> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      const answer = await ask()
      if (!isFirst) process.stderr.write('tidemark: it answers again\n')
      return answer
    } catch (error) {
      const isAway = error instanceof RemoteError && error.exitCode === exitCode('unavailable')
      if (!isAway || performance.now() > until) throw error
      if (isFirst) process.stderr.write(`tidemark: ${error.message}\ntidemark: asking again until it does\n`)
      await sleep(PAUSE_MS)
    }
  }
}
