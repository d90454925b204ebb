import { type Bound, HostLine } from './host-queue.ts'

/**
 * Admits jobs. Hosts take turns, and at a host its teams take turns. There is a cap for each host and one for all
 * hosts.
 */
export interface HostGate<T extends Bound> {
  /** `isSlow`: the last time it took long. Such jobs get at most half of a host's slots. */
  add(job: T, isSlow?: boolean): void
  /**
   * Returns the next job that may start now, and counts it as started. Returns undefined when all waiting hosts are at
   * their cap, or the total is.
   */
  next(): T | undefined
  /** Call this when a started job ended. */
  done(job: T): void
  /** Jobs that wait. */
  readonly waiting: number
  /** Jobs that have started and not ended. */
  readonly active: number
  /** The number of jobs that wait for a host; with `team`, only those of this team. */
  waitingAt(host: string, team?: string): number
  /** Removes and returns all waiting jobs. */
  drain(): T[]
}

export function createHostGate<T extends Bound>(caps: {
  readonly perHost: number
  readonly total: number
}): HostGate<T> {
  const queues = new Map<string, HostLine<T>>()
  let ready: HostLine<T>[] = []
  let waiting = 0
  let active = 0

  function markReady(queue: HostLine<T>): void {
    if (queue.isReady || !queue.hasRoom) return
    queue.isReady = true
    ready.push(queue)
  }

  return {
    add(job, isSlow = false) {
      let queue = queues.get(job.host)
      if (!queue) queues.set(job.host, (queue = new HostLine(caps.perHost)))
      queue.add(job, isSlow)
      waiting++
      markReady(queue)
    },
    next() {
      if (active >= caps.total) return undefined
      for (let queue = ready.shift(); queue; queue = ready.shift()) {
        queue.isReady = false
        const job = queue.next()
        // No waiting job of this host has a free slot. The host is added again when a job arrives or ends there.
        if (job === undefined) continue
        active++
        waiting--
        markReady(queue)
        return job
      }
      return undefined
    },
    done(job) {
      const queue = queues.get(job.host)
      if (!queue) return
      queue.done(job)
      active--
      if (queue.isEmpty) queues.delete(job.host)
      else markReady(queue)
    },
    waitingAt(host, team) {
      const queue = queues.get(host)
      if (!queue) return 0
      return team === undefined ? queue.waiting : queue.waitingOf(team)
    },
    drain() {
      const left = [...queues.values()].flatMap((queue) => queue.drain())
      ready = []
      waiting = 0
      return left
    },
    get waiting() {
      return waiting
    },
    get active() {
      return active
    },
  }
}
