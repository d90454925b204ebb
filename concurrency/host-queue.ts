import { Fifo } from './fifo.ts'

/** Something to be done at one host. */
export interface Bound {
  readonly host: string
  /**
   * Whose it is, where that is known: at a host teams take turns, and one of three places or more is left by each to
   * the others.
   */
  readonly team?: string
}

interface Team<T> {
  readonly quick: Fifo<T>
  readonly slow: Fifo<T>
  active: number
  /** Which of both goes first: they take turns, so that neither starves. */
  slowFirst: boolean
}

/** What waits and runs at one host. */
export class HostLine<T extends Bound> {
  /** Stands in the ring of hosts that have work and room. */
  ringed = false
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
    const line = this.#teams.get(team)
    return line ? line.quick.size + line.slow.size : 0
  }

  /** `isSlow`: it shares half of the places with others of its kind. */
  add(job: T, isSlow: boolean): void {
    const name = job.team ?? ''
    let team = this.#teams.get(name)
    if (!team) this.#teams.set(name, (team = { quick: new Fifo(), slow: new Fifo(), active: 0, slowFirst: false }))
    if (isSlow) team.slow.push(job)
    else team.quick.push(job)
    this.#waiting++
  }

  /** The next whose turn it is and that has a place. */
  next(): T | undefined {
    for (const [name, team] of this.#teams) {
      const job = this.#hasPlace(name, team) ? this.#pick(team) : undefined
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
    this.ringed = false
    this.#waiting = 0
    return [...this.#teams.values()].flatMap(({ quick, slow }) => [...quick.drain(), ...slow.drain()])
  }

  #hasPlace(name: string, team: Team<T>): boolean {
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
