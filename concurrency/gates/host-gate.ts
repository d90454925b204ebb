import { Fifo } from './fifo.ts'
import { type ShareCaps, type Sharer, TeamShares } from './team-shares.ts'

/** A job at one host. */
export interface HostJob {
  readonly host: string
  /** The team that the job belongs to, if it is known. Teams take turns at all slots. */
  readonly team?: string | undefined
}

/**
 * Admits jobs. Teams take turns, and the hosts of a team take turns. At a host that is at its cap, the team that has
 * waited longest is next. There is a cap for each host and one for all hosts.
 */
export interface HostGate<T extends HostJob> {
  /** `isSlow`: the last time it took long. Such jobs get at most half of a host's slots. */
  add(job: T, isSlow?: boolean): void
  /** Returns the next job that may start now, and counts it as started. Undefined: no cap allows another one. */
  next(): T | undefined
  /** Call this when a started job ended. Without a time it earns its team no credit. */
  done(job: T, tookMs?: number): void
  /**
   * Call this instead when nobody wanted a started job any more. If it ended quickly, its team has the credit that it
   * had before. Default: at once.
   */
  drop(job: T, tookMs?: number): void
  /** Jobs that wait. */
  readonly waiting: number
  /** Jobs that wait, but for those of teams without credit that have their share of the slots. */
  readonly ahead: number
  /** Jobs that have started and not ended. */
  readonly active: number
  /** The number of jobs that wait for a host; with `team`, only those of this team. */
  waitingAt(host: string, team?: string): number
  /** No more jobs of this team are to be added (`TeamShares`). */
  isFullOf(team: string): boolean
  /** The teams of which no more should come (`TeamShares`). */
  fullTeams(): readonly string[]
  /** Removes and returns all waiting jobs. */
  drain(): T[]
}

interface HostCaps extends ShareCaps {
  readonly perHost: number
  /** Of the slots of a host, the most that one team uses. Default: all, or all but one if there are three or more. */
  readonly perTeamAtHost?: number
}

export function createHostGate<T extends HostJob>(caps: HostCaps): HostGate<T> {
  return new TurnGate<T>(caps)
}

/** Teams whose credit is remembered. */
const MOST_KNOWN = 10_000

/**
 * A job is found in three steps. `TeamShares` knows which team may use one more slot: a team that may not is kept back,
 * and has no turn. `Team` knows which of its hosts is next. `Host` knows whether it has a slot: a queue that finds none
 * is blocked until its host offers it one.
 */
class TurnGate<T extends HostJob> implements HostGate<T> {
  readonly #caps: HostCaps
  readonly #hosts = new Map<string, Host<T>>()
  readonly #teams = new Map<string, Team<T>>()
  /** Teams that have a queue in turn and are not kept back. */
  readonly #turns = new Fifo<Team<T>>()
  readonly #shares: TeamShares<Team<T>, T>

  constructor(caps: HostCaps) {
    this.#caps = caps
    this.#shares = new TeamShares(caps)
  }

  add(job: T, isSlow = false): void {
    const name = job.team ?? ''
    let team = this.#teams.get(name)
    if (!team) this.#teams.set(name, (team = new Team(name, this.#turns)))
    this.#shares.added(team)
    let host = this.#hosts.get(job.host)
    if (!host) this.#hosts.set(job.host, (host = new Host(this.#caps)))
    host.add(job, host.queueOf(team), isSlow)
  }

  next(): T | undefined {
    if (!this.#shares.hasSlot) return undefined
    for (let team = this.#nextTeam(); team; team = this.#nextTeam()) {
      const job = team.next()
      if (job === undefined) continue
      this.#shares.started(team, job)
      team.takeTurns()
      return job
    }
    return undefined
  }

  drop(job: T, tookMs = 0): void {
    this.done(job, tookMs, true)
  }

  done(job: T, tookMs = Infinity, isDropped = false): void {
    const host = this.#hosts.get(job.host)
    const queue = host?.queues.get(job.team ?? '')
    if (!host || !queue) return
    const { team } = queue
    this.#shares.ended(team, job, tookMs, isDropped)
    host.done(job, queue)
    if (host.queues.size === 0) this.#hosts.delete(job.host)
    // A team that was kept back does not get this slot before those that have waited longer: `next` asks all of them.
    if (team.active === 0 && team.waiting === 0) this.#idle(team)
  }

  waitingAt(host: string, team?: string): number {
    const found = this.#hosts.get(host)
    if (!found) return 0
    if (team === undefined) return found.waiting
    const queue = found.queues.get(team)
    return queue ? waitingIn(queue) : 0
  }

  isFullOf(name: string): boolean {
    const team = this.#teams.get(name)
    return team !== undefined && this.#shares.isFull(team)
  }

  fullTeams(): readonly string[] {
    return this.#shares.full(this.#teams.values())
  }

  drain(): T[] {
    const left = [...this.#hosts.values()].flatMap((host) => host.drain())
    for (const [name, { queues }] of this.#hosts) if (queues.size === 0) this.#hosts.delete(name)
    for (const team of this.#teams.values()) team.drain()
    this.#turns.drain()
    this.#shares.drained()
    return left
  }

  get waiting(): number {
    return this.#shares.waiting
  }

  get ahead(): number {
    return this.#shares.ahead
  }

  get active(): number {
    return this.#shares.active
  }

  /** Returns the team whose turn it is, and which may use one more slot. */
  #nextTeam(): Team<T> | undefined {
    for (let team = this.#turns.shift(); team; team = this.#turns.shift()) {
      team.isInTurn = false
      if (this.#shares.allows(team)) return team
      this.#shares.keptBack.add(team)
      team.keepBack()
    }
    this.#releaseTeams()
    const team = this.#turns.shift()
    if (team) team.isInTurn = false
    return team
  }

  /** The teams that were kept back, and may use slots again, take turns again. */
  #releaseTeams(): void {
    const { keptBack } = this.#shares
    if (keptBack.size === 0) return
    const { isShared } = this.#shares
    for (const team of keptBack) {
      if (isShared && !this.#shares.isWithin(team)) continue
      keptBack.delete(team)
      team.isKeptBack = false
      team.takeTurns()
    }
  }

  /** A team without jobs is remembered for its credit, the one that was idle for longest the shortest. */
  #idle(team: Team<T>): void {
    this.#teams.delete(team.name)
    if (team.credit === 0) return
    this.#teams.set(team.name, team)
    if (this.#teams.size <= MOST_KNOWN) return
    for (const [name, { active, waiting }] of this.#teams)
      if (active === 0 && waiting === 0) return void this.#teams.delete(name)
  }
}

/** The jobs of one team at all hosts. Its queues take turns. */
class Team<T extends HostJob> implements Sharer {
  readonly name: string
  active = 0
  waiting = 0
  credit = 0
  waitsEnough = false
  /** Its turn comes. */
  isInTurn = false
  isKeptBack = false
  readonly #turns: Fifo<Team<T>>
  /** Its queues whose state is `listed`, and those whose state is `offered`. */
  readonly #listed = new Fifo<TeamQueue<T>>()
  readonly #offered = new Fifo<TeamQueue<T>>()
  #offeredFirst = false

  constructor(name: string, turns: Fifo<Team<T>>) {
    this.name = name
    this.#turns = turns
  }

  list(queue: TeamQueue<T>, state: 'listed' | 'offered'): void {
    queue.state = state
    if (state === 'offered') this.#offered.push(queue)
    else this.#listed.push(queue)
    this.takeTurns()
  }

  takeTurns(): void {
    if (this.isInTurn || this.isKeptBack || this.#listed.size + this.#offered.size === 0) return
    this.isInTurn = true
    this.#turns.push(this)
  }

  /**
   * Returns the next job that has a slot at its host. Hosts take turns. One that keeps a slot waits for one turn of
   * another at most, so that its slot is soon used.
   */
  next(): T | undefined {
    for (let queue = this.#nextQueue(); queue; queue = this.#nextQueue()) {
      const wasListed = queue.state === 'listed'
      const job = queue.host.start(queue)
      if (job === undefined) continue
      this.#offeredFirst = wasListed && this.#offered.size > 0
      return job
    }
    return undefined
  }

  keepBack(): void {
    this.isKeptBack = true
    for (const queue of this.#offered.drain()) {
      this.#listed.push(queue)
      queue.host.withdraw(queue)
    }
  }

  drain(): void {
    this.waiting = 0
    this.isInTurn = false
    this.isKeptBack = false
    this.#listed.drain()
    this.#offered.drain()
  }

  #nextQueue(): TeamQueue<T> | undefined {
    if (this.#offeredFirst) return this.#offered.shift() ?? this.#listed.shift()
    return this.#listed.shift() ?? this.#offered.shift()
  }
}

/** The jobs of one team at one host. */
interface TeamQueue<T extends HostJob> {
  readonly team: Team<T>
  readonly host: Host<T>
  readonly quick: Fifo<T>
  readonly slow: Fifo<T>
  active: number
  /** Decides whether slow or quick jobs are first. They take turns, so that neither starves. */
  slowFirst: boolean
  /**
   * `idle`: no job waits. `listed`: it waits for the turn of its team. `offered`: likewise, and a slot of the host is
   * kept for it. `blocked`: it waits for a slot of the host.
   */
  state: 'idle' | 'listed' | 'offered' | 'blocked'
}

const waitingIn = <T extends HostJob>({ quick, slow }: TeamQueue<T>): number => quick.size + slow.size

/** The slots of one host. */
class Host<T extends HostJob> {
  readonly queues = new Map<string, TeamQueue<T>>()
  waiting = 0
  readonly #perHost: number
  readonly #perTeam: number
  readonly #mostSlow: number
  readonly #slow = new Set<T>()
  /** Queues that wait for a slot of this host, in the order in which they came. */
  readonly #blocked = new Set<TeamQueue<T>>()
  #active = 0
  #offered = 0

  constructor({ perHost, perTeamAtHost = perHost < 3 ? perHost : perHost - 1 }: HostCaps) {
    this.#perHost = perHost
    this.#perTeam = perTeamAtHost
    this.#mostSlow = Math.max(1, Math.floor(perHost / 2))
  }

  queueOf(team: Team<T>): TeamQueue<T> {
    let queue = this.queues.get(team.name)
    if (queue) return queue
    queue = { team, host: this, quick: new Fifo(), slow: new Fifo(), active: 0, slowFirst: false, state: 'idle' }
    this.queues.set(team.name, queue)
    return queue
  }

  add(job: T, queue: TeamQueue<T>, isSlow: boolean): void {
    if (isSlow) queue.slow.push(job)
    else queue.quick.push(job)
    this.waiting++
    this.#admit(queue)
  }

  /** Lists a queue that has a job, or lets it wait for a slot of this host. */
  #admit(queue: TeamQueue<T>): void {
    if (queue.state !== 'idle' && queue.state !== 'blocked') return
    if (this.#hasSlot() && this.#hasJob(queue)) {
      this.#blocked.delete(queue)
      queue.team.list(queue, 'listed')
    } else {
      queue.state = 'blocked'
      this.#blocked.add(queue)
    }
  }

  /** Returns the next job of a queue whose team has its turn. Without a slot here the queue waits for one. */
  start(queue: TeamQueue<T>): T | undefined {
    const wasOffered = queue.state === 'offered'
    if (wasOffered) this.#offered--
    queue.state = 'idle'
    const job = this.#hasSlot() ? this.#pick(queue) : undefined
    if (job !== undefined) {
      this.waiting--
      this.#active++
      queue.active++
    }
    if (waitingIn(queue) > 0) this.#admit(queue)
    if (job === undefined && wasOffered) this.#offer()
    return job
  }

  done(job: T, queue: TeamQueue<T>): void {
    this.#slow.delete(job)
    this.#active--
    queue.active--
    if (queue.active === 0 && queue.state === 'idle') this.queues.delete(queue.team.name)
    this.#offer()
  }

  /** Offers free slots to the queues that have waited longest. */
  #offer(): void {
    for (const queue of this.#blocked) {
      if (!this.#hasSlot()) return
      if (!this.#hasJob(queue)) continue
      this.#blocked.delete(queue)
      // No slot is kept for a team that may not start anything now.
      if (!queue.team.isKeptBack) this.#offered++
      queue.team.list(queue, queue.team.isKeptBack ? 'listed' : 'offered')
    }
  }

  /** The team of an offered queue may not start anything now: the slot goes to another queue. */
  withdraw(queue: TeamQueue<T>): void {
    this.#offered--
    queue.state = 'listed'
    this.#offer()
  }

  drain(): T[] {
    this.waiting = 0
    this.#offered = 0
    this.#blocked.clear()
    return [...this.queues.values()].flatMap((queue) => {
      queue.state = 'idle'
      if (queue.active === 0) this.queues.delete(queue.team.name)
      return [...queue.quick.drain(), ...queue.slow.drain()]
    })
  }

  #hasSlot(): boolean {
    return this.#active + this.#offered < this.#perHost
  }

  /** The queue has a job that only needs a slot of the host. */
  #hasJob({ team, active, quick, slow }: TeamQueue<T>): boolean {
    if (team.name !== '' && active >= this.#perTeam) return false
    return quick.size > 0 || (slow.size > 0 && this.#slow.size < this.#mostSlow)
  }

  /** Slow jobs share half of the slots. */
  #pick(queue: TeamQueue<T>): T | undefined {
    if (!this.#hasJob(queue)) return undefined
    const mayBeSlow = queue.slow.size > 0 && this.#slow.size < this.#mostSlow
    if (!mayBeSlow || (!queue.slowFirst && queue.quick.size > 0)) {
      queue.slowFirst = true
      return queue.quick.shift()
    }
    queue.slowFirst = false
    const job = queue.slow.shift()
    if (job !== undefined) this.#slow.add(job)
    return job
  }
}
