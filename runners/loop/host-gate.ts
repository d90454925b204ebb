/** Something to be done at one host. */
export interface Bound {
  readonly host: string
}

/** Lets jobs through host by host in turn, with a cap for each host and one for all. */
export interface HostGate<T extends Bound> {
  add(job: T): void
  /** The next job that may start now; undefined when every waiting host is at its cap, or all are. Counts as started. */
  next(): T | undefined
  /** A started job ended. */
  done(job: T): void
  /** Jobs that wait. */
  readonly waiting: number
  /** Jobs that were started and are not done. */
  readonly active: number
  /** Jobs of one host that wait. */
  waitingAt(host: string): number
  /** Empties the waiting line and answers what stood in it. */
  drain(): T[]
}

interface Line<T> {
  readonly host: string
  readonly jobs: T[]
  /** Index of the first job that waits: a shift of a long array would cost its length. */
  head: number
  active: number
  /** Stands in the ring of hosts that have work and room. */
  ringed: boolean
}

export function createHostGate<T extends Bound>(caps: {
  readonly perHost: number
  readonly total: number
}): HostGate<T> {
  const lines = new Map<string, Line<T>>()
  let ring: Line<T>[] = []
  let waiting = 0
  let active = 0

  function enring(line: Line<T>): void {
    if (line.ringed || line.head >= line.jobs.length || line.active >= caps.perHost) return
    line.ringed = true
    ring.push(line)
  }

  return {
    add(job) {
      let line = lines.get(job.host)
      if (!line) lines.set(job.host, (line = { host: job.host, jobs: [], head: 0, active: 0, ringed: false }))
      line.jobs.push(job)
      waiting++
      enring(line)
    },
    next() {
      if (active >= caps.total) return undefined
      const line = ring.shift()
      if (!line) return undefined
      line.ringed = false
      const job = line.jobs[line.head++] as T
      if (line.head === line.jobs.length || line.head > 512) {
        line.jobs.splice(0, line.head)
        line.head = 0
      }
      line.active++
      active++
      waiting--
      enring(line)
      return job
    },
    done(job) {
      const line = lines.get(job.host)
      if (!line) return
      line.active--
      active--
      if (line.active === 0 && line.jobs.length === 0) lines.delete(job.host)
      else enring(line)
    },
    waitingAt(host) {
      const line = lines.get(host)
      return line ? line.jobs.length - line.head : 0
    },
    drain() {
      const left = [...lines.values()].flatMap((line) => line.jobs.splice(0).slice(line.head))
      for (const line of lines.values()) {
        line.head = 0
        line.ringed = false
      }
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
