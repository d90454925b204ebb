/** A job at one host. */
interface Bound {
  readonly host: string
  /**
   * The team that the job belongs to, if it is known. At a host, teams take turns. If a host has three slots or more,
   * each team leaves one of them to the others.
   */
  readonly team?: string | undefined
}

interface Team<T> {
  readonly quick: Fifo<T>
  readonly slow: Fifo<T>
  active: number
  /** Decides whether slow or quick jobs are first. They take turns, so that neither starves. */
  slowFirst: boolean
}

/** The jobs that wait and run at one host. */
class HostLine<T extends Bound> {
  /** The host is in the list of hosts that have waiting jobs and a free slot. */
  isReady = false
  readonly #perHost: number
  readonly #teams = new Map<string, Team<T>>()
  readonly #slow = new Set<T>()
  #waiting = 0
  #active = 0

  constructor(perHost: number) {
    this.#perHost = perHost
  }

  get waiting(): number {
    return this.#waiting
  }

  get isEmpty(): boolean {
    return this.#active === 0 && this.#waiting === 0
  }

  get hasRoom(): boolean {
    return this.#waiting > 0 && this.#active < this.#perHost
  }

  waitingOf(team: string): number {
    const queues = this.#teams.get(team)
    return queues ? queues.quick.size + queues.slow.size : 0
  }

  /** `isSlow`: slow jobs share half of the slots. */
  add(job: T, isSlow: boolean): void {
    const name = job.team ?? ''
    let team = this.#teams.get(name)
    if (!team) this.#teams.set(name, (team = { quick: new Fifo(), slow: new Fifo(), active: 0, slowFirst: false }))
    if (isSlow) team.slow.push(job)
    else team.quick.push(job)
    this.#waiting++
  }

  /**
   * Returns the next job in turn that has a free slot. A team without a slot among those of all hosts is reported, if
   * only that keeps its job back.
   */
  next(all: TeamSlots<T>): T | undefined {
    for (const [name, team] of this.#teams) {
      if (!this.#hasSlot(name, team)) continue
      if (!all.hasSlot(name)) {
        if (team.quick.size + team.slow.size > 0) all.keptBack(name, this)
        continue
      }
      const job = this.#pick(team)
      if (job === undefined) continue
      this.#waiting--
      this.#active++
      team.active++
      if (this.#teams.size > 1) {
        this.#teams.delete(name)
        this.#teams.set(name, team)
      }
      return job
    }
    return undefined
  }

  done(job: T): void {
    const name = job.team ?? ''
    const team = this.#teams.get(name)
    this.#slow.delete(job)
    this.#active--
    if (!team) return
    team.active--
    if (team.active === 0 && this.waitingOf(name) === 0) this.#teams.delete(name)
  }

  drain(): T[] {
    this.isReady = false
    this.#waiting = 0
    return [...this.#teams.values()].flatMap(({ quick, slow }) => [...quick.drain(), ...slow.drain()])
  }

  #hasSlot(name: string, team: Team<T>): boolean {
    return name === '' || this.#perHost < 3 || team.active < this.#perHost - 1
  }

  #pick(team: Team<T>): T | undefined {
    const mayBeSlow = team.slow.size > 0 && this.#slow.size < Math.max(1, Math.floor(this.#perHost / 2))
    if (!mayBeSlow || (!team.slowFirst && team.quick.size > 0)) {
      team.slowFirst = true
      return team.quick.shift()
    }
    team.slowFirst = false
    const job = team.slow.shift()
    if (job !== undefined) this.#slow.add(job)
    return job
  }
}

/** A gate without a job of a second team for this long leaves no slots to others. */
const ALONE_MS = 600_000

/**
 * The slots of all hosts, by team: a team uses at most `most` of them, however many hosts it watches. A team that is
 * alone uses all: an installation of one team has nobody to leave slots to.
 */
class TeamSlots<T extends Bound> {
  readonly #most: number
  #lastTeam = ''
  #sharedUntil = -Infinity
  readonly #active = new Map<string, number>()
  /** Hosts with a job that waits only for a slot of its team. */
  readonly #waiting = new Map<string, Set<HostLine<T>>>()

  constructor(most: number) {
    this.#most = most
  }

  /** Notes that a team has a job here. */
  seen({ team = '' }: T): void {
    if (team === '' || team === this.#lastTeam) return
    if (this.#lastTeam !== '') this.#sharedUntil = performance.now() + ALONE_MS
    this.#lastTeam = team
  }

  /** Jobs of no team have no limit here. */
  hasSlot(team: string): boolean {
    if (team === '' || (this.#active.get(team) ?? 0) < this.#most) return true
    return performance.now() > this.#sharedUntil
  }

  keptBack(team: string, line: HostLine<T>): void {
    const lines = this.#waiting.get(team)
    if (lines === undefined) this.#waiting.set(team, new Set([line]))
    else lines.add(line)
  }

  started({ team = '' }: T): void {
    if (team !== '') this.#active.set(team, (this.#active.get(team) ?? 0) + 1)
  }

  ended({ team = '' }: T): void {
    if (team === '') return
    const left = (this.#active.get(team) ?? 0) - 1
    if (left > 0) this.#active.set(team, left)
    else this.#active.delete(team)
  }

  /** Removes and returns a host that was kept back, and whose team has a slot again. */
  release(): HostLine<T> | undefined {
    for (const [team, lines] of this.#waiting) {
      if (!this.hasSlot(team)) continue
      const [line] = lines
      if (line !== undefined) lines.delete(line)
      if (lines.size === 0) this.#waiting.delete(team)
      if (line !== undefined) return line
    }
    return undefined
  }

  drain(): void {
    this.#waiting.clear()
  }
}

/** A first-in, first-out queue. */
export class Fifo<T> {
  readonly #items: T[] = []
  /** Index of the first item. Shifting a long array would take time proportional to its length. */
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined
    const item = this.#items[this.#head++]
    if (this.#head === this.#items.length || this.#head > 512) {
      this.#items.splice(0, this.#head)
      this.#head = 0
    }
    return item
  }

  /** Removes and returns all items. */
  drain(): T[] {
    const left = this.#items.splice(0).slice(this.#head)
    this.#head = 0
    return left
  }
}

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
  /** Of all slots, the most that one team uses. Default: all. */
  readonly perTeam?: number
}): HostGate<T> {
  const queues = new Map<string, HostLine<T>>()
  const teams = new TeamSlots<T>(caps.perTeam ?? caps.total)
  let ready: HostLine<T>[] = []
  let waiting = 0
  let active = 0

  function markReady(queue: HostLine<T>): void {
    if (queue.isReady || !queue.hasRoom) return
    queue.isReady = true
    ready.push(queue)
  }

  const nextLine = () => ready.shift() ?? teams.release()

  return {
    add(job, isSlow = false) {
      teams.seen(job)
      let queue = queues.get(job.host)
      if (!queue) queues.set(job.host, (queue = new HostLine(caps.perHost)))
      queue.add(job, isSlow)
      waiting++
      markReady(queue)
    },
    next() {
      if (active >= caps.total) return undefined
      for (let queue = nextLine(); queue; queue = nextLine()) {
        queue.isReady = false
        const job = queue.next(teams)
        // No waiting job of this host has a free slot. The host is added again when a job arrives or ends there.
        if (job === undefined) continue
        active++
        waiting--
        teams.started(job)
        markReady(queue)
        return job
      }
      return undefined
    },
    done(job) {
      const queue = queues.get(job.host)
      if (!queue) return
      queue.done(job)
      teams.ended(job)
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
      teams.drain()
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

/** A gate for a few slots that are used for seconds each, such as those of a browser. */
export interface PageGate<T extends Bound> extends HostGate<T> {
  /** Slow jobs that wait. */
  readonly waitingSlow: number
}

interface Waiting<T> {
  readonly job: T
  readonly isSlow: boolean
}

/**
 * The next job is one of the team that uses the fewest slots. Within those, the first and the last that arrived take
 * turns: any unknown job may hang, so a new one should wait for one of them and not for all. Slow jobs leave a slot to
 * the others. All waiting jobs are examined; there are only a few.
 *
 * It is separate from `createHostGate`, where teams take turns at each host. Here all hosts share the few slots, so
 * teams take turns at all of them.
 */
export function createPageGate<T extends Bound>(caps: {
  readonly perHost: number
  readonly total: number
}): PageGate<T> {
  const mostSlow = Math.max(1, caps.total - 1)
  const active = new Set<Waiting<T>>()
  let queue: Waiting<T>[] = []
  let takesLast = false

  const held = (which: (one: Waiting<T>) => boolean): number => [...active].filter(which).length
  const teamOf = ({ team = '' }: T): string => team
  const hasSlot = ({ job, isSlow }: Waiting<T>): boolean =>
    held((one) => one.job.host === job.host) < caps.perHost && !(isSlow && held((one) => one.isSlow) >= mostSlow)

  function pick(): Waiting<T> | undefined {
    const able = queue.filter(hasSlot)
    const byTeam = new Map(able.map(({ job }) => [teamOf(job), held((one) => teamOf(one.job) === teamOf(job))]))
    const fewest = Math.min(...byTeam.values())
    const next = able.filter(({ job }) => byTeam.get(teamOf(job)) === fewest)
    return next.at(takesLast ? -1 : 0)
  }

  return {
    add: (job, isSlow = false) => void queue.push({ job, isSlow }),
    next() {
      const picked = active.size < caps.total ? pick() : undefined
      if (!picked) return undefined
      takesLast = !takesLast
      queue.splice(queue.indexOf(picked), 1)
      active.add(picked)
      return picked.job
    },
    done(job) {
      for (const one of active) if (one.job === job) active.delete(one)
    },
    waitingAt: (host, team) =>
      queue.filter(({ job }) => job.host === host && (team === undefined || teamOf(job) === team)).length,
    drain() {
      const left = queue
      queue = []
      return left.map(({ job }) => job)
    },
    get waiting() {
      return queue.length
    },
    get active() {
      return active.size
    },
    get waitingSlow() {
      return queue.filter(({ isSlow }) => isSlow).length
    },
  }
}
