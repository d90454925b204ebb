import { CHAT_PACE } from '../../schema/run/delivery.ts'
import { placeOf } from '../../store/deliveries/delivery-row.ts'
import { type DueTarget, createPlaces, type Places } from './due-targets.ts'

/** A running attempt. */
interface Flight {
  /**
   * The destination asked to wait for this long. Until the end of the attempt its slot is free for others, and no other
   * attempt to this address begins.
   */
  rest(ms: number): void
  /** Ends the attempt. `healthy`: the destination's response allows more attempts at a time. Call it only once. */
  end(healthy: boolean): void
}

/** The limits on running attempts: for each target, for each host, and in total. */
export interface Destinations {
  /** Attempts that may start now. */
  readonly free: number
  /** Running attempts. */
  readonly active: number
  /** Begins a plan of what to claim. */
  plan(): Plan
  /** `key`: of the destination (`destinationKey`). `isChat`: its messages are paced. */
  start(key: string, isChat: boolean): Flight
}

/** A plan of slots. Each grant reduces what later grants can get, but takes no slot yet. */
interface Plan {
  /** Attempts that may still be granted. */
  readonly free: number
  hasRoomAt(host: string): boolean
  /** Returns the number of attempts to this target that may start now. */
  grant(target: DueTarget): number
}

interface DestinationOptions {
  /** Attempts at a time, to all destinations and to one host and port. */
  readonly total: number
  readonly perHost: number
  /** Called when there is more room than before. */
  readonly onRoom: () => void
}

interface Target {
  running: number
  /** Between 1 and perHost - 1, so that a destination that suddenly hangs still leaves a slot free. */
  allowed: number
  /** The last attempt succeeded. */
  proven: boolean
}

const UNKNOWN: Target = { running: 0, allowed: 1, proven: false }

/**
 * An attempt that takes longer than this is slow. It no longer counts against the total, so another attempt may start.
 */
const SLOW_MS = 1_000
/** Slow attempts are limited too: sockets and memory are finite. */
const SLOW_FACTOR = 8
/**
 * The most destinations that are remembered. A destination that was forgotten begins again with one attempt at a time.
 */
const MOST_REMEMBERED = 10_000

/**
 * Limits keep slow and dead destinations from delaying others, including others at the same host and port. A target of
 * a team begins with one attempt at a time. The number doubles after each success and returns to one after each
 * failure, so a dead target uses one slot and not five. The slots of a host that such targets use together are limited
 * (`createPlaces`). An attempt that has run for a second no longer counts against the total (up to eight times the
 * total), so that even a few hundred dead targets leave room.
 *
 * It is separate from the gates in concurrency/, which admit what was already claimed. Only as many deliveries are
 * claimed as may start, so slots are planned before the claim.
 */
export function createDestinations({ total, perHost, onRoom }: DestinationOptions): Destinations {
  const places = createPlaces(perHost)
  const known = new Map<string, Target>()
  const mostAllowed = perHost < 3 ? perHost : perHost - 1
  const slow = createSlow(onRoom)
  const paces = createPaces(onRoom)
  let active = 0

  const free = () => Math.max(0, Math.min(total - (active - slow.count), total * SLOW_FACTOR - active))

  function end(key: string, target: Target, healthy: boolean): void {
    target.running--
    target.allowed = healthy ? Math.min(mostAllowed, target.allowed * 2) : 1
    target.proven = healthy
    if (target.running === 0) known.delete(key)
    if (target.running === 0 && target.proven) remember(key, target)
    onRoom()
  }

  /** The most recently used targets are at the end of the map. A target with a running attempt is never forgotten. */
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
    plan: () => planOf({ places: places.planned(), free: free(), targetOf: (key) => known.get(key) ?? UNKNOWN, paces }),
    start(key, isChat) {
      const target = known.get(key) ?? { ...UNKNOWN }
      known.set(key, target)
      const requester = { ...placeOf(key), proven: target.proven }
      places.take(requester, 1)
      target.running++
      active++
      if (isChat) paces.take(key)
      const ended = slow.begin()
      let isResting = false
      const giveBack = () => {
        ended()
        places.giveBack(requester)
        active--
      }
      return {
        rest(ms) {
          paces.hold(key, ms)
          if (isResting) return
          isResting = true
          giveBack()
          onRoom()
        },
        end(healthy) {
          if (!isResting) giveBack()
          end(key, target, healthy)
        },
      }
    },
  }
}

interface PlanParts {
  readonly places: Places
  readonly free: number
  readonly targetOf: (key: string) => Target
  readonly paces: Paces
}

function planOf({ places, free, targetOf, paces }: PlanParts): Plan {
  let left = free
  return {
    get free() {
      return left
    },
    hasRoomAt: (host) => places.roomAt(host) > 0,
    grant({ key, host, team }) {
      const { allowed, running, proven } = targetOf(key)
      const requester = { host, team, proven }
      const granted = Math.max(0, Math.min(left, allowed - running, places.room(requester), paces.room(key)))
      if (granted > 0) places.take(requester, granted)
      left -= granted
      return granted
    },
  }
}

/** Counts attempts that take long. It returns a function that must be called once when the attempt ends. */
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

/** How many messages an address may get now. */
interface Paces {
  /** Returns the number of messages that may be sent now; Infinity for an address that is not paced. */
  room(key: string): number
  take(key: string): void
  /** Lets nothing through for this long. */
  hold(key: string, ms: number): void
}

interface Pace {
  /** Messages that may be sent; a fraction grows to the next one. */
  tokens: number
  /** The time of `tokens`; it may lie ahead. */
  at: number
  timer: NodeJS.Timeout | undefined
}

/**
 * Paces are kept for each address, whichever team sends to it, in this process. An address is known to be a chat's from
 * its first message on; until then a destination gets one message at a time.
 */
function createPaces(onRoom: () => void): Paces {
  const paces = new Map<string, Pace>()
  const { burst, everyMs } = CHAT_PACE
  /** Without the team: the key is `host team address`. */
  const addressOf = (key: string) => key.replace(/ \S*/, '')
  const tokensOf = ({ tokens, at }: Pace) => Math.min(burst, tokens + Math.max(0, performance.now() - at) / everyMs)

  function paceOf(address: string): Pace {
    const known = paces.get(address) ?? { tokens: burst, at: 0, timer: undefined }
    paces.delete(address)
    paces.set(address, known)
    // An address that was not used for long has all its tokens, as a new one has.
    const oldest = paces.size > MOST_REMEMBERED ? paces.keys().next().value : undefined
    if (oldest !== undefined) paces.delete(oldest)
    return known
  }

  function set(pace: Pace, tokens: number, at: number): void {
    clearTimeout(pace.timer)
    Object.assign(pace, { tokens, at })
    const waitMs = at - performance.now() + (1 - tokens) * everyMs
    if (tokens < 1) pace.timer = setTimeout(onRoom, Math.max(1, Math.ceil(waitMs) + 1)).unref()
  }

  return {
    room(key) {
      const pace = paces.get(addressOf(key))
      return pace === undefined ? Infinity : Math.floor(tokensOf(pace))
    },
    take(key) {
      const pace = paceOf(addressOf(key))
      set(pace, tokensOf(pace) - 1, Math.max(pace.at, performance.now()))
    },
    hold(key, ms) {
      const pace = paceOf(addressOf(key))
      // One message may follow at the end; the waiting one is sent then.
      set(pace, 0, performance.now() + ms)
    },
  }
}
