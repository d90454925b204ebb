import { Fifo } from './fifo.ts'

/** A job at one host. */
export interface Bound {
  readonly host: string
  /**
   * The team that the job belongs to, if it is known. At a host, teams take turns. If a host has three slots or more,
   * each team leaves one of them to the others.
   */
  readonly team?: string
}

interface Team<T> {
  readonly quick: Fifo<T>
  readonly slow: Fifo<T>
  active: number
  /** Decides whether slow or quick jobs are first. They take turns, so that neither starves. */
  slowFirst: boolean
}

/** The jobs that wait and run at one host. */
export class HostLine<T extends Bound> {
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

  /** Returns the next job in turn that has a free slot. */
  next(): T | undefined {
    for (const [name, team] of this.#teams) {
      const job = this.#hasSlot(name, team) ? this.#pick(team) : undefined
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
