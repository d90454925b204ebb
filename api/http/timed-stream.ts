import { Readable } from 'node:stream'
import { LIST_LIMITS } from '../../schema/list-limits.ts'
import { REQUEST_LIMITS } from '../../schema/request-limits.ts'

const { groupBytes } = LIST_LIMITS

/**
 * Returns a stream of parts that are read one at a time: the next one is asked for when the client has taken the last
 * one. A client that does not take a part in time ends the stream with an error, and so does a part that fails. Then
 * the connection is ended, so that the client knows that the answer is not whole.
 *
 * @param takeMs the time for each `groupBytes` of a part
 * @param mostMs the most time for a part: one that is a large record has no more than other large answers have
 */
export function timedStream(
  content: AsyncIterable<string>,
  takeMs: number = LIST_LIMITS.takeMs,
  mostMs: number = REQUEST_LIMITS.takeMs,
): Readable {
  const parts = content[Symbol.asyncIterator]()
  const waitFor = (bytes: number): NodeJS.Timeout => {
    const ms = Math.min(mostMs, takeMs * Math.max(1, Math.ceil(bytes / groupBytes)))
    return setTimeout(() => stream.destroy(new NotTakenError(ms)), ms)
  }
  const stream: Readable = new Readable({
    highWaterMark: 0,
    read() {
      clearTimeout(timer)
      parts.next().then(
        ({ done, value }) => {
          if (stream.destroyed) return
          if (done === true) return void stream.push(null)
          const bytes = Buffer.from(value)
          timer = waitFor(bytes.length)
          stream.push(bytes)
        },
        (error: unknown) => stream.destroy(error instanceof Error ? error : new Error(String(error))),
      )
    },
    destroy(error, callback) {
      clearTimeout(timer)
      const ended = parts.return?.() ?? Promise.resolve()
      ended.then(
        () => callback(error),
        (thrown: unknown) => callback(error ?? (thrown instanceof Error ? thrown : null)),
      )
    },
  })
  // An answer that is never begun holds what its first part needs.
  let timer = waitFor(0)
  return stream
}

class NotTakenError extends Error {
  override readonly name = 'NotTakenError'
  constructor(ms: number) {
    super(`the client did not take a part of the answer within ${ms / 1_000} s; its connection is ended`)
  }
}
