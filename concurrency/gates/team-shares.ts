import { SLOW_MS } from './speed.ts'

/** A team that shares slots with others. */
export interface Sharer {
  /** Empty: its jobs belong to no team, and have no limit here. */
  readonly name: string
  /** Jobs that have started and not ended. */
  active: number
  /** Jobs that wait. */
  waiting: number
  /** Slots that it may use beyond those of an unknown team, because it freed as many quickly. */
  credit: number
  /** It has no credit, and its waiting jobs reached the bound, of which at least half wait still. */
  waitsEnough: boolean
}

export interface ShareCaps {
  /** All slots. */
  readonly total: number
  /** Teams leave slots to others. Default false. */
  readonly sharesSlots?: boolean
  /** From so many jobs ahead on, teams that have their part of them are full. Default: any number. */
  readonly mostAhead?: number
}

/**
 * A gate without a job of a second team for this long leaves no slots to others. A team that is checked only once a day
 * still finds slots.
 */
const ALONE_MS = 86_400_000
/** The credit that a job earns which is not slow. Its start has cost one. */
const EARNED = 2

/** Returns how many of these jobs a team may have, if so many teams have some. */
export const partOf = (jobs: number, teams: number): number => Math.max(1, jobs / Math.max(1, teams))

/**
 * What each team may have of the slots, and of the jobs that wait for them.
 *
 * **Slots.** Any job may hang until its time limit, and a slot that is in use cannot be taken back. So a team always
 * leaves a share of the free slots to the teams that come after it, and how large this share is depends on what the
 * team did before:
 *
 * - A team with credit uses at most three times as many slots as it leaves free. Each start costs one credit, and each
 *   job that is not slow gives two back. So a team of quick sites has all that it can use after a few
 *   rounds, and one whose sites hang loses its credit with the first of them.
 * - A team without credit uses at most a quarter of what it leaves free. A sixteenth of all slots is not for such
 *   teams.
 * - Teams with credit leave another sixteenth, less the slots that jobs without credit use. Of it, a team without
 *   credit that has no job under way uses one: busy teams do not keep a new one from earning credit.
 *
 * So no number of teams whose sites hang takes the slots of a team whose sites answer. A team that is alone uses all
 * slots: an installation of one team has nobody to leave slots to.
 *
 * **Waiting jobs.** A team is full, and no more jobs are to come of it, for one of two reasons:
 *
 * - It has no credit, others want slots too, and as many of its jobs wait as there are slots, or its part of
 *   `mostAhead` among the teams that are kept back. It stays full until only half as many wait.
 * - `mostAhead` jobs are ahead, and it has its part of them among all teams that wait. Its jobs that come all the same
 *   are taken until half as many again are ahead.
 */
export class TeamShares<Team extends Sharer, Job> {
  /** Teams that have jobs, but may not use more slots now. */
  readonly keptBack = new Set<Team>()
  readonly #sharesSlots: boolean
  readonly #total: number
  readonly #reserve: number
  readonly #mostAhead: number
  #lastTeam = ''
  #sharedUntil = -Infinity
  #active = 0
  #waiting = 0
  #waitingTeams = 0
  /** Jobs under way that were started without credit. */
  readonly #uncredited = new Set<Job>()

  constructor({ total, sharesSlots = false, mostAhead = Infinity }: ShareCaps) {
    this.#sharesSlots = sharesSlots
    this.#total = total
    this.#reserve = Math.floor(total / 16)
    this.#mostAhead = mostAhead
  }

  /** Jobs that have started and not ended. */
  get active(): number {
    return this.#active
  }

  /** Jobs that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** Jobs that wait, but for those of teams without credit that are kept back. */
  get ahead(): number {
    let ahead = this.#waiting
    for (const { credit, waiting } of this.keptBack) if (credit === 0) ahead -= waiting
    return ahead
  }

  get hasSlot(): boolean {
    return this.#active < this.#total
  }

  /** Several teams have had jobs here lately. */
  get isShared(): boolean {
    return this.#sharedUntil !== -Infinity && performance.now() <= this.#sharedUntil
  }

  /** The team may use one more slot. */
  allows(team: Team): boolean {
    return !this.#sharesSlots || this.isWithin(team) || !this.isShared
  }

  /** The team uses less than its share of the slots. */
  isWithin({ name, active, credit }: Team): boolean {
    const free = this.#total - this.#active
    const leftToNew = this.#reserve - this.#uncredited.size
    if (name === '' || active * 4 < free - this.#reserve) return true
    return credit > 0 ? active < 3 * free && free > leftToNew : active === 0 && leftToNew > 0
  }

  added(team: Team): void {
    this.#noteTeam(team.name)
    if (team.waiting++ === 0) this.#waitingTeams++
    this.#waiting++
  }

  started(team: Team, job: Job): void {
    this.#waiting--
    if (--team.waiting === 0) this.#waitingTeams--
    this.#active++
    team.active++
    if (team.credit > 0) team.credit--
    else if (team.name !== '') this.#uncredited.add(job)
  }

  /** `isDropped`: nobody wanted the job any more, so that it earns nothing. If it was quick, it has cost nothing. */
  ended(team: Team, job: Job, tookMs: number, isDropped: boolean): void {
    this.#active--
    team.active--
    const paid = this.#uncredited.delete(job) || team.name === '' ? 0 : 1
    const earned = isDropped ? paid : EARNED
    if (tookMs < SLOW_MS.slot) team.credit = Math.min(this.#total, team.credit + earned)
  }

  /** No job waits any more. */
  drained(): void {
    this.keptBack.clear()
    this.#waiting = 0
    this.#waitingTeams = 0
  }

  /** No job of the team is taken. */
  isFull(team: Team): boolean {
    return this.#waitsEnough(team) || this.#hasItsPart(team, 1.5 * this.#mostAhead)
  }

  /** Returns the names of the teams of which no more jobs are to come. */
  full(teams: Iterable<Team>): readonly string[] {
    const full = new Set<string>()
    for (const team of this.keptBack) if (this.#waitsEnough(team)) full.add(team.name)
    if (this.#waiting >= this.#mostAhead)
      for (const team of teams) if (this.#hasItsPart(team, this.#mostAhead)) full.add(team.name)
    return [...full]
  }

  /** A team without credit has enough jobs that wait. */
  #waitsEnough(team: Team): boolean {
    if (!this.#sharesSlots || team.name === '') return false
    const most = Math.min(this.#total, partOf(this.#mostAhead, this.keptBack.size))
    team.waitsEnough = team.credit === 0 && team.waiting >= (team.waitsEnough ? most / 2 : most) && this.isShared
    return team.waitsEnough
  }

  /** So many jobs are ahead, and the team has its part of `mostAhead`. */
  #hasItsPart({ name, waiting }: Team, ahead: number): boolean {
    return (
      name !== '' &&
      // The quickest answer first: `ahead` is never more than what waits.
      this.#waiting >= ahead &&
      waiting >= partOf(this.#mostAhead, this.#waitingTeams) &&
      this.ahead >= ahead
    )
  }

  #noteTeam(team: string): void {
    if (team === '' || team === this.#lastTeam) return
    if (this.#lastTeam !== '') this.#sharedUntil = performance.now() + ALONE_MS
    this.#lastTeam = team
  }
}
