import { type Bound, HostLine } from './host-queue.ts'

/** Lets jobs through host by host in turn, and at a host team by team, with a cap for each host and one for all. */
export interface HostGate<T extends Bound> {
  /** `isSlow`: it took long last time; such jobs hold half of a host's places at most. */
  add(job: T, isSlow?: boolean): void
  /**
   * The next job that may start now; undefined when every waiting host is at its cap, or all are. Counts as started.
   */
  next(): T | undefined
  /** A started job ended. */
  done(job: T): void
  /** Jobs that wait. */
  readonly waiting: number
  /** Jobs that were started and are not done. */
  readonly active: number
  /** Jobs of one host that wait; `team`: those of one team there. */
  waitingAt(host: string, team?: string): number
  /** Empties the waiting line and answers what stood in it. */
  drain(): T[]
}

export function createHostGate<T extends Bound>(caps: {
  readonly perHost: number
  readonly total: number
}): HostGate<T> {
  const lines = new Map<string, HostLine<T>>()
  let ring: HostLine<T>[] = []
  let waiting = 0
  let active = 0

  function enring(line: HostLine<T>): void {
    if (line.ringed || !line.hasRoom) return
    line.ringed = true
    ring.push(line)
  }

  return {
    add(job, isSlow = false) {
      let line = lines.get(job.host)
      if (!line) lines.set(job.host, (line = new HostLine(caps.perHost)))
      line.add(job, isSlow)
      waiting++
      enring(line)
    },
    next() {
      if (active >= caps.total) return undefined
      for (let line = ring.shift(); line; line = ring.shift()) {
        line.ringed = false
        const job = line.next()
        // What waits there has no place: it stands in the ring again when something comes or ends there.
        if (job === undefined) continue
        active++
        waiting--
        enring(line)
        return job
      }
      return undefined
    },
    done(job) {
      const line = lines.get(job.host)
      if (!line) return
      line.done(job)
      active--
      if (line.isEmpty) lines.delete(job.host)
      else enring(line)
    },
    waitingAt(host, team) {
      const line = lines.get(host)
      if (!line) return 0
      return team === undefined ? line.waiting : line.waitingOf(team)
    },
    drain() {
      const left = [...lines.values()].flatMap((line) => line.drain())
      ring = []
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
