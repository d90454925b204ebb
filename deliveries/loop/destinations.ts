import { placeOf } from '../../store/deliveries/delivery-row.ts'
import type { DueTarget } from './due-targets.ts'
import { createPlaces, type Places } from './host-slots.ts'

/** An attempt that was counted in. */
interface Flight {
  /** Counts it out; `healthy`: the destination answered as one that may be sent more at a time. Once only. */
  end(healthy: boolean): void
}

/** How many attempts may run: to each target, at each host, and in all. */
export interface Destinations {
  /** Attempts that may start now. */
  readonly free: number
  /** Attempts under way. */
  readonly active: number
  /** Begins to plan what to claim. */
  plan(): Plan
  /** `key`: of the destination (`destinationKey`). */
  start(key: string): Flight
}

/** Places that are given out in thought: each grant takes from what the next may have. */
interface Plan {
  /** Attempts that may still be granted. */
  readonly free: number
  hasRoomAt(host: string): boolean
  /** Attempts that may start now to this target. */
  grant(target: DueTarget): number
}

interface DestinationOptions {
  /** Attempts at a time to all destinations, and to one host and port. */
  readonly total: number
  readonly perHost: number
  /** Called when there is more room than before. */
  readonly onRoom: () => void
}

interface Target {
  running: number
  /** Between 1 and perHost - 1, so that one that hangs suddenly leaves a place too. */
  allowed: number
  /** Its last attempt was answered well. */
  proven: boolean
}

const UNKNOWN: Target = { running: 0, allowed: 1, proven: false }

/** An attempt that takes longer than this waits for a slow destination, and its place among the rest is given on. */
const SLOW_MS = 1_000
/** What is slow is bounded too: sockets and memory are finite. */
const SLOW_FACTOR = 8
/** Destinations that are remembered at most. One that is forgotten begins again with one attempt at a time. */
const MOST_REMEMBERED = 10_000

/**
 * Caps and rules keep slow and dead destinations out of the way of others, also of those at the same host and port. A
 * target of a team begins with one attempt at a time, is allowed twice as many after each good answer, and falls back
 * to one after a bad one; so a dead one holds one place and not five. How many places of a host such targets hold
 * together is bounded (`createPlaces`). And an attempt that has run for a second stops counting against the total (up
 * to eight times that), so that even a few hundred dead ones leave room.
 *
 * Apart from the gates in concurrency/, which hold what was claimed: of deliveries no more are claimed than may start,
 * so places are planned first.
 */
export function createDestinations({ total, perHost, onRoom }: DestinationOptions): Destinations {
  const places = createPlaces(perHost)
  const known = new Map<string, Target>()
  const mostAllowed = perHost < 3 ? perHost : perHost - 1
  const slow = createSlow(onRoom)
  let active = 0

  const free = () => Math.max(0, Math.min(total - (active - slow.count), total * SLOW_FACTOR - active))

  function end(key: string, target: Target, healthy: boolean): void {
    active--
    target.running--
    target.allowed = healthy ? Math.min(mostAllowed, target.allowed * 2) : 1
    target.proven = healthy
    if (target.running === 0) known.delete(key)
    if (target.running === 0 && target.proven) remember(key, target)
    onRoom()
  }

  /** The last ones used stand at the end of the map; what runs is never forgotten. */
  function remember(key: string, target: Target): void {
    known.set(key, target)
    if (known.size <= MOST_REMEMBERED) return
    const idle = known.entries().find(([, { running }]) => running === 0)
    if (idle !== undefined) known.delete(idle[0])
  }

  return {
    get free() {
      return free()
    },
    get active() {
      return active
    },
    plan: () => planOf(places.planned(), free(), (key) => known.get(key) ?? UNKNOWN),
    start(key) {
      const target = known.get(key) ?? { ...UNKNOWN }
      known.set(key, target)
      const requester = { ...placeOf(key), proven: target.proven }
      places.take(requester, 1)
      target.running++
      active++
      const ended = slow.begin()
      return {
        end(healthy) {
          ended()
          places.giveBack(requester)
          end(key, target, healthy)
        },
      }
    },
  }
}

function planOf(places: Places, free: number, targetOf: (key: string) => Target): Plan {
  let left = free
  return {
    get free() {
      return left
    },
    hasRoomAt: (host) => places.roomAt(host) > 0,
    grant({ key, host, team }) {
      const { allowed, running, proven } = targetOf(key)
      const requester = { host, team, proven }
      const granted = Math.max(0, Math.min(left, allowed - running, places.room(requester)))
      if (granted > 0) places.take(requester, granted)
      left -= granted
      return granted
    },
  }
}

/** Counts attempts that take long. What begins is to be ended once, by calling the answer. */
function createSlow(onSlow: () => void): { readonly count: number; begin(): () => void } {
  let count = 0
  return {
    get count() {
      return count
    },
    begin() {
      let isSlow = false
      const timer = setTimeout(() => {
        isSlow = true
        count++
        onSlow()
      }, SLOW_MS)
      return () => {
        clearTimeout(timer)
        if (isSlow) count--
      }
    },
  }
}
