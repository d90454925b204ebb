import type { EventEmitter } from 'node:events'

/**
 * Lets a process outlive a thread of a pool that fails after its task was given up. The task has its outcome by then,
 * so the pool emits the error as its own. An error that nobody listens to ends the process: a page that reaches its
 * limits of time and memory in the same moment could do that.
 */
export function ignoreLateErrors<Pool extends Pick<EventEmitter, 'on'>>(pool: Pool): Pool {
  pool.on('error', () => {})
  return pool
}
