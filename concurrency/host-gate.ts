/** A job at one host. */
export interface Bound {
  readonly host: string
  /** The team that the job belongs to, if it is known. Teams take turns at all slots. */
  readonly team?: string | undefined
}

/** The jobs of one team at one host. */
interface Line<T extends Bound> {
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

const waitingIn = <T extends Bound>({ quick, slow }: Line<T>): number => quick.size + slow.size

/** The slots of one host. */
class Host<T extends Bound> {
  readonly lines = new Map<string, Line<T>>()
  waiting = 0
  readonly #perHost: number
  readonly #perTeam: number
  readonly #mostSlow: number
  readonly #slow = new Set<T>()
  /** Lines that wait for a slot of this host, in the order in which they came. */
  readonly #blocked = new Set<Line<T>>()
  #active = 0
  #offered = 0

  constructor({ perHost, perTeamAtHost = perHost < 3 ? perHost : perHost - 1 }: HostCaps) {
    this.#perHost = perHost
    this.#perTeam = perTeamAtHost
    this.#mostSlow = Math.max(1, Math.floor(perHost / 2))
  }

  lineOf(team: Team<T>): Line<T> {
    let line = this.lines.get(team.name)
    if (line) return line
    line = { team, host: this, quick: new Fifo(), slow: new Fifo(), active: 0, slowFirst: false, state: 'idle' }
    this.lines.set(team.name, line)
    return line
  }

  add(job: T, line: Line<T>, isSlow: boolean): void {
    if (isSlow) line.slow.push(job)
    else line.quick.push(job)
    this.waiting++
    this.#admit(line)
  }

  /** Lists a line that has a job, or lets it wait for a slot of this host. */
  #admit(line: Line<T>): void {
    if (line.state !== 'idle' && line.state !== 'blocked') return
    if (this.#hasSlot() && this.#hasJob(line)) {
      this.#blocked.delete(line)
      line.team.list(line, 'listed')
    } else {
      line.state = 'blocked'
      this.#blocked.add(line)
    }
  }

  /** Returns the next job of a line whose team has its turn. Without a slot here the line waits for one. */
  start(line: Line<T>): T | undefined {
    const wasOffered = line.state === 'offered'
    if (wasOffered) this.#offered--
    line.state = 'idle'
    const job = this.#hasSlot() ? this.#pick(line) : undefined
    if (job !== undefined) {
      this.waiting--
      this.#active++
      line.active++
    }
    if (waitingIn(line) > 0) this.#admit(line)
    if (job === undefined && wasOffered) this.offer()
    return job
  }

  done(job: T, line: Line<T>): void {
    this.#slow.delete(job)
    this.#active--
    line.active--
    if (line.active === 0 && line.state === 'idle') this.lines.delete(line.team.name)
    this.offer()
  }

  /** Offers free slots to the lines that have waited longest. */
  offer(): void {
    for (const line of this.#blocked) {
      if (!this.#hasSlot()) return
      if (!this.#hasJob(line)) continue
      this.#blocked.delete(line)
      // No slot is kept for a team that may not start anything now.
      if (!line.team.isKeptBack) this.#offered++
      line.team.list(line, line.team.isKeptBack ? 'listed' : 'offered')
    }
  }

  /** The team of an offered line may not start anything now: the slot goes to another line. */
  withdraw(line: Line<T>): void {
    this.#offered--
    line.state = 'listed'
    this.offer()
  }

  drain(): T[] {
    this.waiting = 0
    this.#offered = 0
    this.#blocked.clear()
    return [...this.lines.values()].flatMap((line) => {
      line.state = 'idle'
      if (line.active === 0) this.lines.delete(line.team.name)
      return [...line.quick.drain(), ...line.slow.drain()]
    })
  }

  #hasSlot(): boolean {
    return this.#active + this.#offered < this.#perHost
  }

  /** The line has a job that only needs a slot of the host. Slow jobs share half of the slots. */
  #hasJob({ team, active, quick, slow }: Line<T>): boolean {
    if (team.name !== '' && active >= this.#perTeam) return false
    return quick.size > 0 || (slow.size > 0 && this.#slow.size < this.#mostSlow)
  }

  #pick(line: Line<T>): T | undefined {
    if (!this.#hasJob(line)) return undefined
    const mayBeSlow = line.slow.size > 0 && this.#slow.size < this.#mostSlow
    if (!mayBeSlow || (!line.slowFirst && line.quick.size > 0)) {
      line.slowFirst = true
      return line.quick.shift()
    }
    line.slowFirst = false
    const job = line.slow.shift()
    if (job !== undefined) this.#slow.add(job)
    return job
  }
}

/** The jobs of one team at all hosts. */
class Team<T extends Bound> {
  readonly name: string
  active = 0
  waiting = 0
  /** Slots that it may use beyond those of an unknown team, because it freed as many quickly. */
  credit = 0
  /** Its turn comes. */
  isListed = false
  /** It has jobs, but may not use more slots now. */
  isKeptBack = false
  /** Its waiting jobs reached the bound, and at least half of them wait still. */
  isFull = false
  readonly #turns: Fifo<Team<T>>
  readonly #listed = new Fifo<Line<T>>()
  readonly #offered = new Fifo<Line<T>>()
  #offeredFirst = false

  constructor(name: string, turns: Fifo<Team<T>>) {
    this.name = name
    this.#turns = turns
  }

  list(line: Line<T>, state: 'listed' | 'offered'): void {
    line.state = state
    if (state === 'offered') this.#offered.push(line)
    else this.#listed.push(line)
    this.takeTurns()
  }

  takeTurns(): void {
    if (this.isListed || this.isKeptBack || this.#listed.size + this.#offered.size === 0) return
    this.isListed = true
    this.#turns.push(this)
  }

  /**
   * Returns the next job that has a slot at its host. Hosts take turns. One that keeps a slot waits for one turn of
   * another at most, so that its slot is soon used.
   */
  next(): T | undefined {
    for (let line = this.#line(); line; line = this.#line()) {
      const wasListed = line.state === 'listed'
      const job = line.host.start(line)
      if (job === undefined) continue
      this.#offeredFirst = wasListed && this.#offered.size > 0
      return job
    }
    return undefined
  }

  keepBack(): void {
    this.isKeptBack = true
    for (const line of this.#offered.drain()) {
      this.#listed.push(line)
      line.host.withdraw(line)
    }
  }

  drain(): void {
    this.waiting = 0
    this.isListed = false
    this.isKeptBack = false
    this.#listed.drain()
    this.#offered.drain()
  }

  #line(): Line<T> | undefined {
    const [first, second] = this.#offeredFirst ? [this.#offered, this.#listed] : [this.#listed, this.#offered]
    return first.shift() ?? second.shift()
  }
}

/**
 * A gate without a job of a second team for this long leaves no slots to others. A team that is checked only once a day
 * still finds slots.
 */
const ALONE_MS = 86_400_000
/** A job that frees its slot within this time earns its team credit. A silent name takes five seconds. */
const QUICK_MS = 4_000
/** How a job ended: within this time, after it, or within it and without having done anything. */
type End = 'quick' | 'late' | 'unused'
/** Teams whose credit is remembered. */
const MOST_KNOWN = 10_000

/**
 * Divides the slots of all hosts among teams. Any job may hang until its time limit, and a slot that is in use cannot
 * be taken back. So a team always leaves a share of the free slots to the teams that come after it, and how large this
 * share is depends on what the team did before:
 *
 * - A team with credit uses at most three times as many slots as it leaves free. Each start costs one credit, and each
 *   job that ends within four seconds gives two back. So a team of quick sites has all that it can use after a few
 *   rounds, and one whose sites hang loses its credit with the first of them.
 * - A team without credit uses at most a quarter of what it leaves free. A sixteenth of all slots is not for such
 *   teams.
 * - Teams with credit leave another sixteenth, less the slots that jobs without credit use. Of it, a team without
 *   credit that has no job under way uses one: busy teams do not keep a new one from earning credit.
 *
 * So no number of teams whose sites hang takes the slots of a team whose sites answer. A team that is alone uses all
 * slots: an installation of one team has nobody to leave slots to.
 */
class TeamShares<T extends Bound> {
  readonly #total: number
  readonly #reserve: number
  #lastTeam = ''
  #sharedUntil = -Infinity
  #active = 0
  /** Jobs under way that were started without credit. */
  readonly #uncredited = new Set<T>()

  constructor(total: number) {
    this.#total = total
    this.#reserve = Math.floor(total / 16)
  }

  get active(): number {
    return this.#active
  }

  get hasSlot(): boolean {
    return this.#active < this.#total
  }

  /** Notes that a team has a job here. */
  seen(team: string): void {
    if (team === '' || team === this.#lastTeam) return
    if (this.#lastTeam !== '') this.#sharedUntil = performance.now() + ALONE_MS
    this.#lastTeam = team
  }

  get isShared(): boolean {
    return this.#sharedUntil !== -Infinity && performance.now() <= this.#sharedUntil
  }

  /** Jobs of no team have no limit here. */
  isWithin({ name, active, credit }: Team<T>): boolean {
    const free = this.#total - this.#active
    const leftToNew = this.#reserve - this.#uncredited.size
    if (name === '' || active * 4 < free - this.#reserve) return true
    return credit > 0 ? active < 3 * free && free > leftToNew : active === 0 && leftToNew > 0
  }

  started(team: Team<T>, job: T): void {
    this.#active++
    team.active++
    if (team.credit > 0) team.credit--
    else if (team.name !== '') this.#uncredited.add(job)
  }

  ended(team: Team<T>, job: T, end: End): void {
    this.#active--
    team.active--
    const paid = this.#uncredited.delete(job) || team.name === '' ? 0 : 1
    const earned = { quick: 2, late: 0, unused: paid }[end]
    team.credit = Math.min(this.#total, team.credit + earned)
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
 * Admits jobs. Teams take turns, and the hosts of a team take turns. At a host that is at its cap, the team that has
 * waited longest is next. There is a cap for each host and one for all hosts.
 */
export interface HostGate<T extends Bound> {
  /** `isSlow`: the last time it took long. Such jobs get at most half of a host's slots. */
  add(job: T, isSlow?: boolean): void
  /**
   * Returns the next job that may start now, and counts it as started. Returns undefined when all waiting hosts are at
   * their cap, all waiting teams have their share, or the total is reached.
   */
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
  /**
   * No more jobs of this team are to be added. Either it has no credit, others want slots too, and as many of its jobs
   * wait as there are slots, or its part of `mostAhead`: then it stays so until only half as many wait. Or it has its
   * part, and half as many jobs again as `mostAhead` are ahead.
   */
  isFullOf(team: string): boolean
  /** The teams of which no more should come. Those that only have their part are listed from `mostAhead` on. */
  fullTeams(): readonly string[]
  /** Removes and returns all waiting jobs. */
  drain(): T[]
}

interface HostCaps {
  readonly perHost: number
  /** Of the slots of a host, the most that one team uses. Default: all, or all but one if there are three or more. */
  readonly perTeamAtHost?: number
  readonly total: number
  /** Teams leave slots to others (`TeamShares`). Default false. */
  readonly sharesSlots?: boolean
  /**
   * When so many jobs are ahead, no more should come of the teams that have their part of them; when half as many again
   * are ahead, none is taken. Of any other team some are, so a few more than that may wait. Default: any number.
   */
  readonly mostAhead?: number
}

/** Returns how many of these jobs a team may have, if so many teams have some. */
export const partOf = (jobs: number, teams: number): number => Math.max(1, jobs / Math.max(1, teams))

export function createHostGate<T extends Bound>(caps: HostCaps): HostGate<T> {
  return new TurnGate<T>(caps)
}

class TurnGate<T extends Bound> implements HostGate<T> {
  readonly #caps: HostCaps
  readonly #hosts = new Map<string, Host<T>>()
  readonly #teams = new Map<string, Team<T>>()
  readonly #keptBack = new Set<Team<T>>()
  readonly #turns = new Fifo<Team<T>>()
  readonly #shares: TeamShares<T>
  readonly #mostAhead: number
  #waiting = 0
  #waitingTeams = 0

  constructor(caps: HostCaps) {
    this.#caps = caps
    this.#mostAhead = caps.mostAhead ?? Infinity
    this.#shares = new TeamShares(caps.total)
  }

  add(job: T, isSlow = false): void {
    const team = this.#teamOf(job.team ?? '')
    let host = this.#hosts.get(job.host)
    if (!host) this.#hosts.set(job.host, (host = new Host(this.#caps)))
    const line = host.lineOf(team)
    if (team.waiting++ === 0) this.#waitingTeams++
    this.#waiting++
    host.add(job, line, isSlow)
  }

  next(): T | undefined {
    if (!this.#shares.hasSlot) return undefined
    for (let team = this.#nextTeam(); team; team = this.#nextTeam()) {
      const job = team.next()
      if (job === undefined) continue
      this.#waiting--
      if (--team.waiting === 0) this.#waitingTeams--
      this.#shares.started(team, job)
      team.takeTurns()
      return job
    }
    return undefined
  }

  done(job: T, tookMs = Infinity): void {
    this.#end(job, tookMs < QUICK_MS ? 'quick' : 'late')
  }

  drop(job: T, tookMs = 0): void {
    this.#end(job, tookMs < QUICK_MS ? 'unused' : 'late')
  }

  #end(job: T, end: End): void {
    const host = this.#hosts.get(job.host)
    const line = host?.lines.get(job.team ?? '')
    if (!host || !line) return
    const { team } = line
    this.#shares.ended(team, job, end)
    host.done(job, line)
    if (host.lines.size === 0) this.#hosts.delete(job.host)
    // A team that was kept back does not get this slot before those that have waited longer: `next` asks all of them.
    if (team.active === 0 && team.waiting === 0) this.#idle(team)
  }

  waitingAt(host: string, team?: string): number {
    const found = this.#hosts.get(host)
    if (!found) return 0
    if (team === undefined) return found.waiting
    const line = found.lines.get(team)
    return line ? waitingIn(line) : 0
  }

  isFullOf(name: string): boolean {
    const team = this.#teams.get(name)
    return team !== undefined && (this.#waitsForSlots(team) || this.#hasItsPart(team, 1.5 * this.#mostAhead))
  }

  fullTeams(): readonly string[] {
    const full = new Set<string>()
    for (const team of this.#keptBack) if (this.#waitsForSlots(team)) full.add(team.name)
    if (this.#waiting >= this.#mostAhead)
      for (const team of this.#teams.values()) if (this.#hasItsPart(team, this.#mostAhead)) full.add(team.name)
    return [...full]
  }

  /** A team without credit has enough jobs that wait. */
  #waitsForSlots(team: Team<T>): boolean {
    if (!this.#caps.sharesSlots || team.name === '') return false
    const most = Math.min(this.#caps.total, partOf(this.#mostAhead, this.#keptBack.size))
    team.isFull = team.credit === 0 && team.waiting >= (team.isFull ? most / 2 : most) && this.#shares.isShared
    return team.isFull
  }

  /** So many jobs are ahead, and the team has its part of them. */
  #hasItsPart({ name, waiting }: Team<T>, ahead: number): boolean {
    return (
      name !== '' &&
      this.#waiting >= ahead &&
      waiting >= partOf(this.#mostAhead, this.#waitingTeams) &&
      this.ahead >= ahead
    )
  }

  drain(): T[] {
    const left = [...this.#hosts.values()].flatMap((host) => host.drain())
    for (const [name, { lines }] of this.#hosts) if (lines.size === 0) this.#hosts.delete(name)
    for (const team of this.#teams.values()) team.drain()
    this.#turns.drain()
    this.#keptBack.clear()
    this.#waiting = 0
    this.#waitingTeams = 0
    return left
  }

  get waiting(): number {
    return this.#waiting
  }

  get ahead(): number {
    let ahead = this.#waiting
    for (const { credit, waiting } of this.#keptBack) if (credit === 0) ahead -= waiting
    return ahead
  }

  get active(): number {
    return this.#shares.active
  }

  #teamOf(name: string): Team<T> {
    this.#shares.seen(name)
    let team = this.#teams.get(name)
    if (!team) this.#teams.set(name, (team = new Team(name, this.#turns)))
    return team
  }

  /** Returns the team whose turn it is, and which may use one more slot. */
  #nextTeam(): Team<T> | undefined {
    for (let team = this.#turns.shift(); team; team = this.#turns.shift()) {
      team.isListed = false
      if (!this.#caps.sharesSlots || this.#shares.isWithin(team) || !this.#shares.isShared) return team
      this.#keptBack.add(team)
      team.keepBack()
    }
    if (this.#keptBack.size === 0) return undefined
    const { isShared } = this.#shares
    for (const team of this.#keptBack) if (!isShared || this.#shares.isWithin(team)) this.#release(team)
    const team = this.#turns.shift()
    if (team) team.isListed = false
    return team
  }

  /** A team that was kept back takes turns again. */
  #release(team: Team<T>): void {
    this.#keptBack.delete(team)
    team.isKeptBack = false
    team.takeTurns()
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
