import {
  amountOf,
  hasSlot,
  hasSlowSlot,
  type Host,
  type Job,
  type Queue,
  type Started,
  type Team,
  waitingIn,
} from './queue.ts'
import { Shares } from './shares.ts'

export interface GateCaps {
  /** All slots. */
  readonly total: number
  /** Slots of one host. Default: all. */
  readonly perHost?: number
  /** Of them, those of one team. Default: all but one, of three or more: it leaves a slot to another. */
  readonly perTeamAtHost?: number
  /** Of them, slots for slow jobs. Default: half. One team has half of them at most. */
  readonly slowPerHost?: number
  /**
   * Which team is next. `turns`: teams take turns. `shares`: they do, and leave slots to others (`Shares`). `fewest`:
   * the one that uses the fewest slots, and of its jobs the first and the last that came take turns. Any unknown job
   * may hang, so a new one waits for one of those before it and not for all. Slow jobs leave a slot to the others.
   */
  readonly policy?: 'turns' | 'shares' | 'fewest'
  /** From so many jobs ahead on, teams that have their part of them are full. Default: any number. */
  readonly mostAhead?: number
}

/** Sockets and memory are finite: with jobs that are set aside, so many times the total run. */
const ASIDE_FACTOR = 8

/**
 * Admits jobs to slots. Teams take turns, and the hosts of a team take turns. At a host that is at its cap, the team
 * that has waited longest is next.
 *
 * A queue is what waits of one team at one host. It is listed with its team; if it is its turn and its host has no
 * slot, it is parked at its host. A host that frees a slot gives it to the first of its parked queues whose team may
 * use one. Such hosts and the turns of the teams take turns, so that neither starves.
 */
export class Gate<T extends Job> {
  readonly #caps: Required<GateCaps>
  readonly #shares: Shares<Team<T>>
  readonly #teams = new Map<string, Team<T>>()
  readonly #hosts = new Map<string, Host<T>>()
  readonly #started = new Map<T, Started<T>>()
  /** Teams that have a queue listed, in turn. */
  readonly #turns = new Set<Team<T>>()
  /** Hosts that have freed a slot, and have queues parked. */
  readonly #freed = new Set<Host<T>>()
  /** It is its turn, and it needs more slots than are free. */
  #awaited: Queue<T> | null = null
  #isHostNext = false
  /** Where the first and the last take turns. */
  #takesLast = false
  /** Slots in use, without those of jobs that are set aside. */
  #active = 0
  #aside = 0
  #slow = 0

  constructor(caps: GateCaps) {
    const { total, perHost = total, policy = 'turns', mostAhead = Infinity } = caps
    const { slowPerHost = Math.max(1, Math.floor(perHost / 2)), perTeamAtHost = perHost > 2 ? perHost - 1 : perHost } =
      caps
    this.#caps = { total, perHost, perTeamAtHost, slowPerHost, policy, mostAhead }
    this.#shares = new Shares({ total, mostAhead, isOn: policy === 'shares' })
  }

  /** Slots in use. */
  get active(): number {
    return this.#active + this.#aside
  }

  get #isFull(): boolean {
    return this.#active >= this.#caps.total || this.active >= ASIDE_FACTOR * this.#caps.total
  }

  /** Jobs that wait. */
  get waiting(): number {
    return this.#shares.waiting
  }

  /** Jobs that wait, but for those of unproven teams that have their share of the slots. */
  get ahead(): number {
    return this.#shares.ahead(this.#teams.values())
  }

  /** The number of jobs that wait for a host; with `team`, only those of this team. */
  waitingAt(host: string, team?: string): number {
    const queues = this.#hosts.get(host)?.queues
    if (team !== undefined) return waitingIn(queues?.get(team))
    let waiting = 0
    for (const queue of queues?.values() ?? []) waiting += waitingIn(queue)
    return waiting
  }

  /** No more jobs of this team are to be added, or no more slow ones. */
  isFullOf(name: string, isSlow = false): boolean {
    if (isSlow && this.#caps.policy === 'fewest' && this.#waitingSlow() >= this.#caps.total) return true
    const team = this.#teams.get(name)
    return team !== undefined && this.#shares.isFull(team, this.#teams.values(), 1.5)
  }

  /** The teams of which no more should come. */
  fullTeams(): readonly string[] {
    return [...this.#teams.values()]
      .filter((team) => this.#shares.isFull(team, this.#teams.values()))
      .map(({ name }) => name)
  }

  /** `isSlow`: the last time it took long. */
  add(job: T, isSlow = false): void {
    const queue = this.#queueOf(job)
    ;(isSlow ? queue.slow : queue.quick).add(job)
    this.#shares.came(queue.team)
    this.#list(queue)
  }

  /** Returns the next job that may start now, and counts it as started. Undefined: no cap allows another one. */
  next(): T | undefined {
    if (this.#isFull) return undefined
    this.#shares.look()
    const queue = this.#awaited ?? this.#next()
    const job = queue && this.#jobOf(queue)
    if (!queue || !job) return undefined
    this.#awaited = this.#active + amountOf(job) > this.#caps.total ? queue : null
    if (this.#awaited) return undefined
    this.#start(queue, job)
    return job
  }

  /** Starts a job before those that wait, if its host and the total have a slot. */
  tryStart(job: T, isSlow = false): boolean {
    const queue = this.#queueOf(job)
    const isFull = this.#isFull || queue.host.active >= this.#caps.perHost
    if (isFull) this.#tidy(queue)
    else {
      ;(isSlow ? queue.slow : queue.quick).add(job)
      this.#shares.came(queue.team)
      this.#start(queue, job)
    }
    return !isFull
  }

  /** A started job takes long. It counts against the total no more, so another may start. */
  setAside(job: T): void {
    const started = this.#started.get(job)
    if (!started || started.isAside) return
    started.isAside = true
    this.#active -= started.amount
    this.#aside += started.amount
  }

  /** Call this when a started job ended. Without a time it shows that its team does not free its slots. */
  done(job: T, tookMs = Infinity): void {
    this.#end(job, tookMs, false)
  }

  /**
   * Call this instead when nobody wanted a started job any more. It shows something of its team only if it was slow.
   * Default: it ended at once.
   */
  drop(job: T, tookMs = 0): void {
    this.#end(job, tookMs, true)
  }

  /** Takes back a job that waits. */
  remove(job: T): void {
    const queue = this.#hosts.get(job.host)?.queues.get(job.team ?? '')
    if (!queue || !(queue.quick.delete(job) || queue.slow.delete(job))) return
    this.#shares.left(queue.team)
    this.#tidy(queue)
    if (queue.host.parked.has(queue)) this.#list(queue)
  }

  /** Removes and returns all waiting jobs. */
  drain(): T[] {
    const queues = [...this.#hosts.values()].flatMap((host) => [...host.queues.values()])
    const jobs = queues.flatMap(({ quick, slow }) => [...quick, ...slow])
    for (const job of jobs) this.remove(job)
    return jobs
  }

  #next(): Queue<T> | undefined {
    const found = this.#isHostNext ? this.#atHosts() : this.#inTurn()
    return found ?? (this.#isHostNext ? this.#inTurn() : this.#atHosts())
  }

  /** The first queue of a host that has freed a slot. */
  #atHosts(): Queue<T> | undefined {
    for (const host of this.#freed) {
      for (const queue of host.parked) {
        if (host.active >= this.#caps.perHost) break
        if (!hasSlot(queue, this.#caps)) continue
        host.parked.delete(queue)
        if (this.#shares.allows(queue.team) && this.#jobOf(queue)) return queue
        // It has its turn when its team may use a slot again.
        this.#list(queue)
      }
      this.#freed.delete(host)
    }
    return undefined
  }

  /** The queue whose turn it is. */
  #inTurn(): Queue<T> | undefined {
    const { policy } = this.#caps
    let found: Queue<T> | undefined
    for (const team of this.#turns) {
      if ((found && team.active >= found.team.active) || !this.#shares.allows(team)) continue
      const queue = this.#nextOf(team)
      if (queue && policy !== 'fewest') return queue
      found = queue ?? found
    }
    return found
  }

  #nextOf(team: Team<T>): Queue<T> | undefined {
    const takesLast = this.#takesLast && this.#caps.policy === 'fewest'
    for (const queue of takesLast ? [...team.listed].toReversed() : team.listed) {
      const { host } = queue
      if (this.#freed.has(host) || !hasSlot(queue, this.#caps)) {
        team.listed.delete(queue)
        host.parked.add(queue)
      } else if (this.#jobOf(queue)) return queue
    }
    if (team.listed.size === 0) this.#turns.delete(team)
    return undefined
  }

  #list(queue: Queue<T>): void {
    const { team, host } = queue
    if (hasSlot(queue, this.#caps)) {
      host.parked.delete(queue)
      team.listed.add(queue)
      this.#turns.add(team)
    } else {
      team.listed.delete(queue)
      host.parked.add(queue)
    }
  }

  /** Returns the next job of a queue whose host has a slot. Slow and quick ones take turns. */
  #jobOf(queue: Queue<T>): T | undefined {
    const { quick, slow, slowFirst } = queue
    const { total, policy } = this.#caps
    const mayBeSlow = hasSlowSlot(queue, this.#caps) && (policy !== 'fewest' || this.#slow < Math.max(1, total - 1))
    const jobs = mayBeSlow && (slowFirst || quick.size === 0) ? slow : quick
    if (this.#takesLast && policy === 'fewest') return [...jobs].at(-1)
    const [first] = jobs
    return first
  }

  #start(queue: Queue<T>, job: T): void {
    const { team } = queue
    const amount = amountOf(job)
    const isSlow = queue.slow.delete(job)
    queue.quick.delete(job)
    queue.slowFirst = !isSlow
    const started = { queue, isSlow, amount, isAside: false }
    this.#started.set(job, started)
    this.#count(started, 1)
    this.#isHostNext = team.listed.has(queue) && this.#freed.size > 0
    this.#takesLast = !this.#takesLast
    this.#shares.started(team)
    // The next turn of this host is after those of the others, and so is that of the team.
    team.listed.delete(queue)
    this.#turns.delete(team)
    if (waitingIn(queue) > 0) this.#list(queue)
    if (team.listed.size > 0) this.#turns.add(team)
  }

  #end(job: T, tookMs: number, isDropped: boolean): void {
    const started = this.#started.get(job)
    if (!started) return
    const { queue } = started
    this.#started.delete(job)
    this.#count(started, -1)
    this.#shares.ended(queue.team, tookMs, isDropped)
    const { parked } = queue.host
    const [first] = parked
    // One that nobody else waits beside takes its turn like any other.
    if (parked.size > 1) this.#freed.add(queue.host)
    else if (first) this.#list(first)
    this.#tidy(queue)
  }

  #count({ queue, isSlow, amount, isAside }: Started<T>, sign: 1 | -1): void {
    if (isAside) this.#aside += sign * amount
    else this.#active += sign * amount
    queue.host.active += sign * amount
    queue.active += sign
    if (!isSlow) return
    this.#slow += sign
    queue.host.slow += sign
    queue.activeSlow += sign
  }

  #waitingSlow(): number {
    let waiting = 0
    for (const { queues } of this.#hosts.values()) for (const { slow } of queues.values()) waiting += slow.size
    return waiting
  }

  #queueOf({ team: name = '', host: at }: T): Queue<T> {
    let host = this.#hosts.get(at)
    let queue = host?.queues.get(name)
    if (queue) return queue
    if (!host) this.#hosts.set(at, (host = { name: at, queues: new Map(), parked: new Set(), active: 0, slow: 0 }))
    let team = this.#teams.get(name)
    if (!team)
      this.#teams.set(
        name,
        (team = { name, listed: new Set(), active: 0, waiting: 0, window: this.#shares.windowOf(name) }),
      )
    queue = { team, host, quick: new Set(), slow: new Set(), active: 0, activeSlow: 0, slowFirst: false }
    host.queues.set(name, queue)
    return queue
  }

  /** Forgets what has no jobs. */
  #tidy(queue: Queue<T>): void {
    const { team, host } = queue
    if (waitingIn(queue) > 0) return
    if (this.#awaited === queue) this.#awaited = null
    team.listed.delete(queue)
    host.parked.delete(queue)
    if (team.listed.size === 0) this.#turns.delete(team)
    if (queue.active > 0) return
    host.queues.delete(team.name)
    if (host.queues.size === 0) this.#hosts.delete(host.name)
    if (team.active > 0 || team.waiting > 0) return
    this.#teams.delete(team.name)
    this.#shares.idle(team)
  }
}
