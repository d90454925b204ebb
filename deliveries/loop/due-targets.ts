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
