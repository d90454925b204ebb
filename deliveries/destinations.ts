/** An attempt that was counted in. */
export interface Flight {
  /** Counts it out; `healthy`: the destination answered as one that may be sent more at a time. Once only. */
  end(healthy: boolean): void
}

/** How many attempts may run: to each destination, and in all. */
export interface Destinations {
  /** Attempts that may start now. */
  readonly free: number
  /** Attempts under way. */
  readonly active: number
  /** Attempts that may start now to this destination, `free` left aside. */
  room(host: string): number
  start(host: string): Flight
}

export interface DestinationOptions {
  /** Attempts at a time to all destinations, and to one. */
  readonly total: number
  readonly perHost: number
  /** Called when there is more room than before. */
  readonly onRoom: () => void
}

interface Destination {
  running: number
  /** Between 1 and perHost. */
  allowed: number
}

/** An attempt that takes longer than this waits for a slow destination, and its place among the rest is given on. */
const SLOW_MS = 1_000
/** What is slow is bounded too: sockets and memory are finite. */
const SLOW_FACTOR = 8
/** Destinations that are remembered at most. One that is forgotten begins again with one attempt at a time. */
const MOST_REMEMBERED = 10_000

/**
 * Two caps and two rules keep slow and dead destinations out of the way of others. A destination begins with one attempt at a time, is
 * allowed twice as many after each good answer, and falls back to one after a bad one; so a dead one holds one place and not five. And an
 * attempt that has run for a second stops counting against the total (up to eight times that), so that even a few hundred dead ones
 * leave room.
 */
export function createDestinations({ total, perHost, onRoom }: DestinationOptions): Destinations {
  const known = new Map<string, Destination>()
  let active = 0
  let slow = 0

  function end(host: string, destination: Destination, healthy: boolean): void {
    active--
    destination.running--
    destination.allowed = healthy ? Math.min(perHost, destination.allowed * 2) : 1
    if (destination.running === 0) known.delete(host)
    if (destination.running === 0 && destination.allowed > 1) remember(host, destination)
    onRoom()
  }

  /** The last ones used stand at the end of the map; what runs is never forgotten. */
  function remember(host: string, destination: Destination): void {
    known.set(host, destination)
    if (known.size <= MOST_REMEMBERED) return
    const idle = known.entries().find(([, { running }]) => running === 0)
    if (idle !== undefined) known.delete(idle[0])
  }

  return {
    get free() {
      return Math.max(0, Math.min(total - (active - slow), total * SLOW_FACTOR - active))
    },
    get active() {
      return active
    },
    room(host) {
      const destination = known.get(host)
      return destination === undefined ? 1 : Math.max(0, destination.allowed - destination.running)
    },
    start(host) {
      const destination = known.get(host) ?? { running: 0, allowed: 1 }
      known.set(host, destination)
      destination.running++
      active++
      let isSlow = false
      const timer = setTimeout(() => {
        isSlow = true
        slow++
        onRoom()
      }, SLOW_MS)
      return {
        end(healthy) {
          clearTimeout(timer)
          if (isSlow) slow--
          end(host, destination, healthy)
        },
      }
    },
  }
}
