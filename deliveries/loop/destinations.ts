import { SLOW_MS } from '../../concurrency/gates/speed.ts'
import { sleep } from '../../concurrency/loops/sleep.ts'
import { CHAT_PACE } from '../../schema/run/delivery.ts'
import { chatOf, placeOf } from '../../store/deliveries/delivery-row.ts'
import { type DueTarget, createHostSlots, type HostSlots, type Requester } from './due-targets.ts'

/** A running attempt. */
export interface Flight {
  /**
   * The destination asked to wait for this long. Others may use the slot meanwhile, and no other attempt to this
   * address begins. Resolves to true with a slot again, before any new attempt gets it; to false if none was free until
   * `untilMs`, or the signal came.
   */
  rest(ms: number, untilMs: number, signal: AbortSignal): Promise<boolean>
  /** No other attempt to this address begins for this long, at most ten minutes. The attempt does not wait for it. */
  hold(ms: number): void
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
  /** `key`: of the destination (`destinationKey`). */
  start(key: string): Flight
  /** No attempt to the chat of this key begins for this long: it has no turn before (`takeTurns`). */
  close(key: string, ms: number): void
}

/** A plan of slots. Each grant reduces what later grants can get, but takes no slot yet. */
interface Plan {
  /** Attempts that may still be granted. */
  readonly free: number
  hasRoomAt(host: string): boolean
  /** Returns the number of attempts to this target that may start now: of a chat at most one. */
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
 * A slow attempt does not count against the total, so another may start. Slow attempts are limited too: sockets and
 * memory are finite.
 */
const SLOW_FACTOR = 8
/**
 * The most destinations that are remembered. A destination that was forgotten begins again with one attempt at a time.
 */
const MOST_REMEMBERED = 10_000

/**
 * Limits keep slow and dead destinations from delaying others, including others at the same host and port. A target of
 * a team begins with one attempt at a time. The number doubles after each success and returns to one after each
 * failure, so a dead target uses one slot and not five. The slots of a host that such targets use together are limited
 * (`createHostSlots`). An attempt that is slow no longer counts against the total (up to eight times the
 * total), so that even a few hundred dead targets leave room.
 *
 * It is separate from the gates in concurrency/gates, which admit what was already claimed. Only as many deliveries are
 * claimed as may start, so slots are planned before the claim.
 */
export function createDestinations({ total, perHost, onRoom }: DestinationOptions): Destinations {
  const hostSlots = createHostSlots(perHost)
  const known = new Map<string, Target>()
  const mostAllowed = perHost < 3 ? perHost : perHost - 1
  const slots = createSlots(total, hostSlots, madeRoom)
  const pauses = createPauses(onRoom)

  function end(key: string, target: Target, healthy: boolean): void {
    target.running--
    target.allowed = healthy ? Math.min(mostAllowed, target.allowed * 2) : 1
    target.proven = healthy
    if (target.running === 0) known.delete(key)
    if (target.running === 0 && target.proven) remember(key, target)
    madeRoom()
  }

  function madeRoom(): void {
    slots.serve()
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
      return slots.free
    },
    get active() {
      return slots.active
    },
    plan: () =>
      planOf({
        hostSlots: hostSlots.planned(),
        free: slots.free,
        targetOf: (key) => known.get(key) ?? UNKNOWN,
        pauses,
      }),
    close: (key, ms) => pauses.close(key, ms),
    start(key) {
      const target = known.get(key) ?? { ...UNKNOWN }
      known.set(key, target)
      const requester = { ...placeOf(key), proven: target.proven }
      target.running++
      const slot = slots.take(requester)
      return {
        async rest(ms, untilMs, signal) {
          pauses.close(key, ms)
          slot.giveBack()
          madeRoom()
          await sleep(ms, signal)
          return slot.takeAgain(untilMs, signal)
        },
        hold(ms) {
          pauses.close(key, Math.min(ms, CHAT_PACE.longestHoldMs))
        },
        end(healthy) {
          slot.giveBack()
          end(key, target, healthy)
        },
      }
    },
  }
}

/** The slots of running attempts, in total and at each host. */
interface Slots {
  /** Slots that are free in total. */
  readonly free: number
  readonly active: number
  take(requester: Requester): Slot
  /** Gives slots to attempts that have waited. Call it when there is more room than before. */
  serve(): void
}

/** The slot of one attempt. */
interface Slot {
  /** Does nothing when it was given back already. */
  giveBack(): void
  /** Resolves to true with a slot again; to false if none was free until `untilMs`, or the signal came. */
  takeAgain(untilMs: number, signal: AbortSignal): Promise<boolean>
}

function createSlots(total: number, hostSlots: HostSlots, onRoom: () => void): Slots {
  const slow = createSlow(onRoom)
  /** Attempts that need a slot again, the longest waiting first. */
  const returning = new Set<{ readonly host: string; readonly resume: () => void }>()
  let active = 0
  const free = () => Math.max(0, Math.min(total - (active - slow.count), total * SLOW_FACTOR - active))

  function serve(): void {
    for (const { host, resume } of returning) if (free() > 0 && hostSlots.roomAt(host) > 0) resume()
  }

  return {
    get free() {
      return free()
    },
    get active() {
      return active
    },
    serve,
    take(requester) {
      let ended: (() => void) | null = null
      const begin = () => {
        ended = slow.begin()
        hostSlots.take(requester, 1)
        active++
      }
      begin()
      return {
        giveBack() {
          if (!ended) return
          ended()
          ended = null
          hostSlots.giveBack(requester)
          active--
        },
        takeAgain(untilMs, signal) {
          const leftMs = Math.max(0, Math.floor(untilMs - performance.now()))
          const within = AbortSignal.any([signal, AbortSignal.timeout(leftMs)])
          const { promise, resolve } = Promise.withResolvers<boolean>()
          const settle = (hasSlot: boolean) => {
            if (!returning.delete(one)) return
            if (hasSlot) begin()
            resolve(hasSlot)
          }
          const one = { host: requester.host, resume: () => settle(true) }
          returning.add(one)
          within.addEventListener('abort', () => settle(false))
          if (within.aborted) settle(false)
          else serve()
          return promise
        },
      }
    },
  }
}

interface PlanParts {
  readonly hostSlots: HostSlots
  readonly free: number
  readonly targetOf: (key: string) => Target
  readonly pauses: Pauses
}

function planOf({ hostSlots, free, targetOf, pauses }: PlanParts): Plan {
  let left = free
  /** Each chat has one turn in a plan, whichever teams have messages for it. */
  const chats = new Set<string>()
  function roomOfChat(key: string): number {
    const chat = chatOf(key)
    if (chat === null) return Infinity
    return chats.has(chat.address) || !pauses.isOpen(key) ? 0 : 1
  }
  return {
    get free() {
      return left
    },
    hasRoomAt: (host) => hostSlots.roomAt(host) > 0,
    grant({ key, host, team }) {
      const { allowed, running, proven } = targetOf(key)
      const requester = { host, team, proven }
      const granted = Math.max(0, Math.min(left, allowed - running, hostSlots.room(requester), roomOfChat(key)))
      if (granted === 0) return 0
      hostSlots.take(requester, granted)
      const chat = chatOf(key)
      if (chat) chats.add(chat.address)
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
      }, SLOW_MS.attempt)
      return () => {
        clearTimeout(timer)
        if (isSlow) count--
      }
    },
  }
}

/** Chats that get no message for a while. */
interface Pauses {
  isOpen(key: string): boolean
  /** Lets nothing to the chat of this key begin for this long, and does not shorten a longer wait. */
  close(key: string, ms: number): void
}

/** Pauses are kept for each chat, whichever team sends to it. A destination that is no chat has none. */
function createPauses(onRoom: () => void): Pauses {
  const untils = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>()
  const isPast = (at: number) => at <= performance.now()

  function open(address: string): void {
    clearTimeout(untils.get(address)?.timer)
    untils.delete(address)
  }

  return {
    isOpen(key) {
      const chat = chatOf(key)
      return chat === null || isPast(untils.get(chat.address)?.at ?? 0)
    },
    close(key, ms) {
      const chat = chatOf(key)
      const at = performance.now() + ms
      if (chat === null || at <= (untils.get(chat.address)?.at ?? 0)) return
      open(chat.address)
      const ended = () => {
        open(chat.address)
        onRoom()
      }
      untils.set(chat.address, { at, timer: setTimeout(ended, Math.ceil(ms) + 1).unref() })
      // The store knows the pace of one that is forgotten.
      const oldest = untils.size > MOST_REMEMBERED ? untils.keys().next().value : undefined
      if (oldest !== undefined) open(oldest)
    },
  }
}
