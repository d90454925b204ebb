import type { CheckSource } from '../../runners/check/check-source.ts'
import type { Task } from '../../runners/check/task.ts'

/** A check source, and how long it has been idle. */
interface WatchedSource {
  readonly source: CheckSource
  /** Milliseconds since a check was last leased; 0 while one is. */
  idleMs(): number
}

/** Returns the check source with a record of the checks that it leases and takes back. */
export function watchIdle(source: CheckSource): WatchedSource {
  const held = new Set<Task>()
  let since = performance.now()
  const forget = (tasks: Iterable<Task>) => {
    for (const task of tasks) held.delete(task)
    since = performance.now()
  }
  return {
    idleMs: () => (held.size > 0 ? 0 : performance.now() - since),
    source: {
      async claim(limit, exceptTeams) {
        const tasks = await source.claim(limit, exceptTeams)
        for (const task of tasks) held.add(task)
        return tasks
      },
      async heartbeat(tasks) {
        const kept = await source.heartbeat(tasks)
        const lost = tasks.filter(({ no }) => !kept.has(no))
        if (lost.length > 0) forget(lost)
        return kept
      },
      complete: (finished, signal) => source.complete(finished, signal).finally(() => forget([finished.task])),
      release: (tasks, delayMs) => source.release(tasks, delayMs).finally(() => forget(tasks)),
    },
  }
}
