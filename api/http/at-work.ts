import type { ServerResponse } from 'node:http'
import { WORK, type WorkKind } from '../../schema/work.ts'
import type { Answer, Call, PrivateRoute } from './route.ts'

/**
 * Handles a request that does work, in a slot of its kind. The slot is free when the work has ended, whatever came of
 * it: for a stream, when its last part was read or the connection is gone.
 */
export async function atWork(
  route: Pick<PrivateRoute, 'handle'>,
  kind: WorkKind,
  call: Call<unknown, unknown, unknown>,
  response: ServerResponse,
): Promise<Answer> {
  const { whenClosed, budgetMs } = WORK[kind]
  const signal = closedSignal(response)
  const own = { ...call, ...(whenClosed === 'ends' && { signal }) }
  // One that waits for a runner gives its slot to another, so previews keep their slots themselves (worker/previews).
  if (kind === 'preview') return route.handle(own)
  const leave = await call.services.work.take(kind, call.principal.teamId, signal)
  let isHeld = false
  try {
    const answer = await route.handle(own)
    if (!answer.stream) return answer
    isHeld = true
    const timer = budgetMs === null ? undefined : setTimeout(() => response.destroy(), budgetMs)
    const content = endingWith(answer.stream.content, () => {
      clearTimeout(timer)
      leave()
    })
    return { ...answer, stream: { ...answer.stream, content } }
  } finally {
    if (!isHeld) leave()
  }
}

/** Returns a signal that fires when the connection is closed before the response has ended. */
export function closedSignal(response: ServerResponse): AbortSignal {
  const closed = new AbortController()
  const onClose = () => response.writableFinished || closed.abort()
  if (response.destroyed) closed.abort()
  else response.once('close', onClose)
  return closed.signal
}

/** Returns the same content. `onEnd` is called once, when it was read to its end or is given up, begun or not. */
function endingWith(content: AsyncIterable<string>, onEnd: () => void): AsyncIterable<string> {
  const parts = content[Symbol.asyncIterator]()
  let hasEnded = false
  const end = (): void => {
    if (!hasEnded) onEnd()
    hasEnded = true
  }
  const iterator: AsyncIterator<string> = {
    async next() {
      let isOver = true
      try {
        const part = await parts.next()
        isOver = part.done === true
        return part
      } finally {
        if (isOver) end()
      }
    },
    async return() {
      try {
        return (await parts.return?.()) ?? { done: true, value: undefined }
      } finally {
        end()
      }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
