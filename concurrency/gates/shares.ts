import { LRUCache } from 'lru-cache'
import { SLOW_MS } from './speed.ts'

/** What a gate counts of a team. */
export interface Sharer {
  /** Empty: its jobs belong to no team, and have no limit here. */
  readonly name: string
  /** Slots that its jobs use. */
  active: number
  /** Jobs that wait. */
  waiting: number
  /** As many slots as it has shown that it frees again. While it uses fewer, it is proven. */
  window: number
}

interface ShareCaps {
  /** All slots. */
  readonly total: number
  /** Teams leave slots to others. */
  readonly isOn: boolean
  /** From so many jobs ahead on, teams that have their part of them are full. */
  readonly mostAhead: number
}

/** A team leaves a quarter of the slots that it could have; one that is not proven uses a quarter of them. */
const QUARTER = 4
/** A gate without a job of a second team for this long is of one team. One that is checked daily still finds slots. */
const ALONE_MS = 86_400_000
/** Teams without jobs whose window is remembered. */
const MAX_KNOWN = 10_000

/**
 * How many slots a team may use, and how many of its jobs may wait.
 *
 * A job may hang until its time limit, and nothing takes its slot back. So a team leaves slots to those that come after
 * it. How many depends on its **window**: a job that ends within four seconds widens it by one, and one that takes
 * longer narrows it by one. `could have` is what the team uses and what is free; R is a quarter of a quarter of all
 * slots.
 *
 * | a team                         | may use one more slot while                                      | of 128       |
 * | ------------------------------ | ---------------------------------------------------------------- | ------------ |
 * | is alone for a day             | one is free                                                      | 128          |
 * | is proven: its window has room | it uses under three quarters of what it could have, and R less   | 96           |
 * |                                | the slots of unproven jobs are free                              |              |
 * | is unproven                    | it uses under a quarter of what it could have beyond R           | 30           |
 * | is unproven, and uses none     | unproven jobs use less than R                                    | 1, of 8 such |
 *
 * So 40 teams whose sites hang use 120 of 128 slots at most: 30, 23, 17 and so on, and the last R are for teams that
 * free theirs. Ten teams whose sites answer use 120 too: an eleventh has its first check at once, and with each that
 * answers it may use more. When the sites of a team with 96 slots begin to hang, its window is used up with the first
 * 128 of its checks, and it is back at 30.
 *
 * No more jobs of a team are claimed, as long as
 *
 * | a team                    | has as many jobs waiting as                                           | for example |
 * | ------------------------- | --------------------------------------------------------------------- | ----------- |
 * | is unproven and not alone | there are slots, or its even part of `mostAhead` where that is less   | 128         |
 * | is any                    | its even part of `mostAhead`, while so many jobs of all are ahead     | 200 of ten  |
 *
 * A claim that is under way may bring more of them. They are taken up to half as many again.
 */
export class Shares<Team extends Sharer> {
  readonly #caps: ShareCaps
  readonly #reserve: number
  /** Of teams without jobs, the one that was idle for longest is forgotten first. */
  readonly #windows = new LRUCache<string, number>({ max: MAX_KNOWN })
  #lastTeam = ''
  #sharedUntil = -Infinity
  #isShared = false
  #active = 0
  #waiting = 0
  #waitingTeams = 0
  /** Slots that teams use beyond their windows. */
  #unproven = 0

  constructor(caps: ShareCaps) {
    this.#caps = caps
    this.#reserve = Math.floor(caps.total / QUARTER / QUARTER)
  }

  /** Returns the window of a team that has its first job. */
  windowOf(name: string): number {
    return this.#windows.get(name) ?? 0
  }

  /** The team has no jobs any more. */
  idle({ name, window }: Team): void {
    if (window > 0) this.#windows.set(name, window)
    else this.#windows.delete(name)
  }

  /** Jobs that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** A job of the team waits. */
  came(team: Team): void {
    const { name } = team
    if (team.waiting++ === 0) this.#waitingTeams++
    this.#waiting++
    if (name === '' || name === this.#lastTeam) return
    if (this.#lastTeam !== '') this.#sharedUntil = performance.now() + ALONE_MS
    this.#lastTeam = name
    this.look()
  }

  /** Looks whether several teams have had jobs lately: once before many teams are asked for, because it takes time. */
  look(): void {
    this.#isShared = this.#sharedUntil !== -Infinity && performance.now() <= this.#sharedUntil
  }

  /** A job of the team does not wait any more. */
  left(team: Team): void {
    if (--team.waiting === 0) this.#waitingTeams--
    this.#waiting--
  }

  /** The team may use one more slot. */
  allows(team: Team): boolean {
    return !this.#caps.isOn || this.#isWithin(team) || !this.#isShared
  }

  started(team: Team): void {
    this.left(team)
    this.#change(team, () => team.active++)
    this.#active++
  }

  /** `isDropped`: nobody wanted the job any more, so it shows nothing if it was quick. */
  ended(team: Team, tookMs: number, isDropped: boolean): void {
    const isSlow = tookMs >= SLOW_MS.slot
    const window = team.window + (isSlow ? -1 : isDropped ? 0 : 1)
    this.#change(team, () => {
      team.active--
      team.window = Math.max(0, Math.min(this.#caps.total, window))
    })
    this.#active--
  }

  /** The jobs that wait, but for those of unproven teams that may not use more slots. */
  ahead(teams: Iterable<Team>): number {
    let ahead = 0
    for (const team of teams) if (isProven(team) || this.allows(team)) ahead += team.waiting
    return ahead
  }

  /** No more jobs of the team are to come. With `times`, of which this often as many may wait. */
  isFull(team: Team, teams: Iterable<Team>, times = 1): boolean {
    const { name, waiting } = team
    const { isOn, mostAhead, total } = this.#caps
    if (name === '') return false
    const part = Math.max(1, mostAhead / Math.max(1, this.#waitingTeams))
    if (isOn && !isProven(team) && waiting >= times * Math.min(total, part) && this.#isShared) return true
    // The quickest answer first: what is ahead is never more than what waits.
    return waiting >= part && this.#waiting >= times * mostAhead && this.ahead(teams) >= times * mostAhead
  }

  #isWithin(team: Team): boolean {
    const { name, active } = team
    const free = this.#caps.total - this.#active
    if (name === '') return true
    if (isProven(team)) return active < (QUARTER - 1) * free && free > this.#reserve - this.#unproven
    return active * (QUARTER - 1) < free - this.#reserve || (active === 0 && this.#unproven < this.#reserve)
  }

  #change(team: Team, change: () => void): void {
    const before = unprovenOf(team)
    change()
    this.#unproven += unprovenOf(team) - before
  }
}

const isProven = ({ active, window }: Sharer): boolean => active < window

const unprovenOf = ({ name, active, window }: Sharer): number => (name === '' ? 0 : Math.max(0, active - window))
