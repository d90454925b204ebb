import { placeOf } from '../../store/deliveries/delivery-row.ts'

/** A destination that has deliveries due. */
export interface DueTarget {
  /** As in `deliveries.host`. */
  readonly key: string
  readonly host: string
  readonly team: string
}

/**
 * The due targets in turn: hosts take turns, and at each host one target of every team comes before the second target
 * of any team.
 */
interface DueTargets {
  /** Adds the target at the end of its team's turn; does nothing if it is already there. */
  add(key: string): void
  /**
   * Call this when the target was served. Its host, its team there and the target itself move to the end of their
   * turns. They stay in them only if `hasMore`.
   */
  served(target: DueTarget, hasMore: boolean): void
  hosts(): Iterable<string>
  at(host: string): Iterable<DueTarget>
}

type Teams = Map<string, Map<string, DueTarget>>

export function createDueTargets(): DueTargets {
  const hosts = new Map<string, Teams>()
  return {
    add(key) {
      const { host, team } = placeOf(key)
      const targets = within(within(hosts, host), team)
      if (!targets.has(key)) targets.set(key, { key, host, team })
    },
    served(target, hasMore) {
      const teams = within(hosts, target.host)
      const targets = within(teams, target.team)
      targets.delete(target.key)
      if (hasMore) targets.set(target.key, target)
      toEnd(teams, target.team)
      toEnd(hosts, target.host)
    },
    hosts: () => hosts.keys(),
    at: (host) => inTurn(hosts.get(host)),
  }
}

function within<T>(maps: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const found = maps.get(key)
  if (found !== undefined) return found
  const made = new Map<string, T>()
  maps.set(key, made)
  return made
}

function toEnd<T>(maps: Map<string, Map<string, T>>, key: string): void {
  const moved = maps.get(key)
  maps.delete(key)
  if (moved !== undefined && moved.size > 0) maps.set(key, moved)
}

function* inTurn(teams: Teams | undefined): Generator<DueTarget> {
  let lines = [...(teams?.values() ?? [])].map((targets) => targets.values())
  while (lines.length > 0) {
    const left: typeof lines = []
    for (const line of lines) {
      const { value, done } = line.next()
      if (done === true) continue
      left.push(line)
      yield value
    }
    lines = left
  }
}

/** A target that takes slots at a host. */
export interface Requester {
  readonly host: string
  readonly team: string
  /** Its last attempt succeeded, so the next one is not likely to hang. */
  readonly proven: boolean
}

/** The slots at hosts and the targets that use them. */
export interface HostSlots {
  /** Returns the number of slots that this target may take now. */
  room(requester: Requester): number
  /** Returns the number of free slots at the host. */
  roomAt(host: string): number
  take(requester: Requester, count: number): void
  giveBack(requester: Requester): void
  /** Returns a copy to plan with. Changes in the copy do not change these slots. */
  planned(): HostSlots
}

/**
 * A host has `perHost` slots. Targets whose last attempt did not succeed may hang. Together they use at most all slots
 * but one, and those of one team at most half. So a team with dead targets leaves a slot to the untried target of
 * another team, and all of them leave one to working targets. A host with one or two slots has too few for that.
 */
export function createHostSlots(perHost: number): HostSlots {
  return new CountedSlots(perHost, null)
}

class CountedSlots implements HostSlots {
  readonly #perHost: number
  readonly #below: CountedSlots | null
  /** Counts by host; unproven ones by host; unproven ones by team and host. Zeros are left out. */
  readonly #all = new Map<string, number>()
  readonly #unproven = new Map<string, number>()
  readonly #unprovenOfTeam = new Map<string, number>()

  constructor(perHost: number, below: CountedSlots | null) {
    this.#perHost = perHost
    this.#below = below
  }

  room(requester: Requester): number {
    const room = this.roomAt(requester.host)
    if (requester.proven || room === 0) return room
    const ofAll = Math.max(1, this.#perHost - 1) - this.#count('unproven', requester.host)
    const ofTeam = Math.max(1, Math.floor(this.#perHost / 2)) - this.#count('unprovenOfTeam', teamAt(requester))
    return Math.max(0, Math.min(room, ofAll, ofTeam))
  }

  roomAt(host: string): number {
    return Math.max(0, this.#perHost - this.#count('all', host))
  }

  take(requester: Requester, count: number): void {
    add(this.#all, requester.host, count)
    if (requester.proven) return
    add(this.#unproven, requester.host, count)
    add(this.#unprovenOfTeam, teamAt(requester), count)
  }

  giveBack(requester: Requester): void {
    this.take(requester, -1)
  }

  planned(): HostSlots {
    return new CountedSlots(this.#perHost, this)
  }

  #count(which: 'all' | 'unproven' | 'unprovenOfTeam', key: string): number {
    const counts = { all: this.#all, unproven: this.#unproven, unprovenOfTeam: this.#unprovenOfTeam }[which]
    const below = this.#below === null ? 0 : this.#below.#count(which, key)
    return below + (counts.get(key) ?? 0)
  }
}

const teamAt = ({ host, team }: Requester) => `${host} ${team}`

function add(counts: Map<string, number>, key: string, count: number): void {
  const sum = (counts.get(key) ?? 0) + count
  if (sum === 0) counts.delete(key)
  else counts.set(key, sum)
}
