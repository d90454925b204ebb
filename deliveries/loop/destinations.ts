import { Gate } from '../../concurrency/gates/gate.ts'
import type { Job } from '../../concurrency/gates/queue.ts'
import { SLOW_MS } from '../../concurrency/gates/speed.ts'
import { sleep } from '../../concurrency/loops/sleep.ts'
import { CHAT_PACE } from '../../schema/run/delivery.ts'
import { chatOf, placeOf } from '../../store/deliveries/delivery-row.ts'
import { createPauses } from './chat-pauses.ts'
import { DigestPlaces } from './digest-places.ts'

/** A running attempt. */
export interface Flight {
  /** Its message is made. Of messages of several changes, another one may be made now. */
  isMade(): void
  /**
   * The destination asked to wait for this long. During that time others may use the slot, and no other attempt to this
   * address begins. Resolves to true with a slot again, before any new attempt gets it; to false if none was free until
   * `untilMs`, or the signal came.
   */
  rest(ms: number, untilMs: number, signal: AbortSignal): Promise<boolean>
  /** No other attempt to this address begins for this long, at most ten minutes. The attempt does not wait for it. */
  hold(ms: number): void
  /** Ends the attempt. `healthy`: the destination's response allows more attempts at a time. Call it only once. */
  end(healthy: boolean): void
}

interface DestinationOptions {
  /** Attempts at a time, to all destinations and to one host and port. */
  readonly total: number
  readonly perHost: number
  /** Called when there is more room than before. */
  readonly onRoom: () => void
}

interface Target {
  readonly key: string
  /** Attempts that run or are granted. */
  running: number
  /** Between 1 and perHost - 1, so that a destination that suddenly hangs still leaves a slot free. */
  allowed: number
  /** The last attempt succeeded. */
  proven: boolean
  /** It has deliveries due. */
  isDue: boolean
  /** The next one of them is sent in one message with others. */
  isDigest: boolean
  /** It waits in the gate for its next attempt. */
  waiting: Slot | null
  /** Slots for which a delivery is being claimed. */
  readonly granted: Slot[]
}

interface Slot extends Job {
  readonly target: Target
}

/** A destination that was forgotten begins again with one attempt at a time. */
const MAX_REMEMBERED = 10_000

/**
 * The limits on running attempts: for each target, for each host, and in total. They keep slow and dead destinations
 * from delaying others, including others at the same host and port.
 *
 * A target of a team begins with one attempt at a time. The number doubles after each success and returns to one after
 * each failure, so a dead target uses one slot and not five. An attempt of a target whose last one did not succeed is a
 * slow job of the gate: together these use all slots of a host but one, and those of one team half of them. An attempt
 * that takes long is set aside, so that even a few hundred dead targets leave room.
 *
 * Only as many deliveries are claimed as may start: slots are granted before the claim.
 */
export class Destinations {
  readonly #gate: Gate<Slot>
  /** Targets whose next message is one of several changes pass here first. */
  readonly #digests: DigestPlaces<Slot>
  readonly #mostAllowed: number
  readonly #onRoom: () => void
  readonly #known = new Map<string, Target>()
  /** Targets with deliveries due that do not wait in the gate: they have as many attempts as they may, or a pause. */
  readonly #stalled = new Set<Target>()
  /** Attempts that need a slot again, the longest waiting first. */
  readonly #returning = new Set<() => void>()
  readonly #pauses: ReturnType<typeof createPauses>

  constructor({ total, perHost, onRoom }: DestinationOptions) {
    this.#gate = new Gate({ total, perHost, perTeamAtHost: perHost, slowPerHost: Math.max(1, perHost - 1) })
    this.#digests = new DigestPlaces(this.#gate, ({ target }) => !target.proven)
    this.#mostAllowed = perHost < 3 ? perHost : perHost - 1
    this.#onRoom = onRoom
    this.#pauses = createPauses(onRoom)
  }

  /** Running attempts. */
  get active(): number {
    return this.#gate.active
  }

  /**
   * The target of this key (`destinationKey`) has deliveries due. `isDigest`: the first of them is sent in one message
   * with others.
   */
  due(key: string, isDigest = false): void {
    const target = this.#targetOf(key)
    target.isDue = true
    // A message that is due by itself does not wait behind digests.
    if (target.isDigest && !isDigest) this.#withdraw(target)
    target.isDigest = isDigest
    if (!target.waiting) this.#stalled.add(target)
  }

  /** Returns the targets whose attempts may start now, each as often as it may, and takes their slots. */
  grant(): ReadonlyMap<string, number> {
    const granted = new Map<string, number>()
    /** Each chat has one turn at a time, whichever teams have messages for it. */
    const chats = new Set<string>()
    for (const target of this.#stalled) this.#offer(target)
    for (let slot = this.#digests.next(); slot; slot = this.#digests.next()) {
      const { target } = slot
      const chat = chatOf(target.key)
      target.waiting = null
      this.#stalled.add(target)
      if (chat && chats.has(chat.address)) this.#free(slot)
      else {
        target.granted.push(slot)
        target.running++
        granted.set(target.key, (granted.get(target.key) ?? 0) + 1)
        if (chat) chats.add(chat.address)
        else this.#offer(target)
      }
    }
    this.#digests.endRound()
    return granted
  }

  /** So many deliveries were claimed of those that were granted. `hasMore`: the target may have more due. */
  claimed(key: string, count: number, hasMore: boolean): void {
    const target = this.#targetOf(key)
    const before = this.#digests.taken
    for (const slot of target.granted.splice(count)) {
      this.#free(slot)
      target.running--
    }
    target.isDue = hasMore
    if (!hasMore) this.#withdraw(target)
    this.#remember(target)
    if (this.#digests.taken < before) this.#onRoom()
  }

  /** No attempt to the chat of this key begins for this long. */
  close(key: string, ms: number): void {
    this.#pauses.close(key, ms)
  }

  /** Starts an attempt that was granted. */
  start(key: string): Flight {
    const target = this.#targetOf(key)
    const slot = target.granted.pop()
    if (!slot) throw new TypeError('an attempt starts in a slot that was granted')
    let stopWatch = this.#watch(slot)
    let hasSlot = true
    const giveBack = (): void => {
      if (!hasSlot) return
      stopWatch()
      this.#gate.drop(slot)
      hasSlot = false
    }
    return {
      isMade: () => this.#isMade(slot),
      rest: async (ms, untilMs, signal) => {
        this.#pauses.close(key, ms)
        giveBack()
        this.#madeRoom()
        await sleep(ms, signal)
        hasSlot = await this.#takeAgain(slot, untilMs, signal)
        if (hasSlot) stopWatch = this.#watch(slot)
        return hasSlot
      },
      hold: (ms) => this.#pauses.close(key, Math.min(ms, CHAT_PACE.longestHoldMs)),
      end: (healthy) => {
        giveBack()
        this.#isMade(slot)
        target.running--
        target.allowed = healthy ? Math.min(this.#mostAllowed, target.allowed * 2) : 1
        target.proven = healthy
        // Offers that wait were made before this outcome was known.
        this.#withdraw(target)
        this.#remember(target)
        this.#madeRoom()
      },
    }
  }

  #offer(target: Target): void {
    const { key, waiting, running, allowed, proven, isDigest } = target
    if (waiting || running >= allowed || !this.#pauses.isOpen(key)) return
    const { host, team } = placeOf(key)
    target.waiting = { host, team, target }
    this.#stalled.delete(target)
    if (isDigest) this.#digests.add(target.waiting)
    else this.#gate.add(target.waiting, !proven)
  }

  /** Nothing is sent in the slot, and no message is made. */
  #free(slot: Slot): void {
    this.#gate.drop(slot)
    this.#digests.leave(slot)
  }

  #isMade(slot: Slot): void {
    const before = this.#digests.taken
    this.#digests.leave(slot)
    if (this.#digests.taken < before) this.#onRoom()
  }

  #withdraw(target: Target): void {
    const { waiting } = target
    if (waiting) this.#digests.remove(waiting)
    target.waiting = null
    if (target.isDue) this.#stalled.add(target)
    else this.#stalled.delete(target)
  }

  #targetOf(key: string): Target {
    const target = this.#known.get(key) ?? {
      key,
      running: 0,
      allowed: 1,
      proven: false,
      isDue: false,
      isDigest: false,
      waiting: null,
      granted: [],
    }
    this.#known.set(key, target)
    return target
  }

  /** The most recently used targets are at the end of the map. One with an attempt or deliveries is never forgotten. */
  #remember(target: Target): void {
    if (isUsed(target)) return
    this.#known.delete(target.key)
    if (!target.proven) return
    this.#known.set(target.key, target)
    if (this.#known.size <= MAX_REMEMBERED) return
    const idle = this.#known.values().find((one) => !isUsed(one))
    if (idle) this.#known.delete(idle.key)
  }

  #madeRoom(): void {
    for (const resume of this.#returning) resume()
    this.#onRoom()
  }

  /** Sets an attempt aside when it takes long. Returns what ends that. */
  #watch(slot: Slot): () => void {
    const timer = setTimeout(() => {
      this.#gate.setAside(slot)
      this.#madeRoom()
    }, SLOW_MS.attempt)
    return () => clearTimeout(timer)
  }

  /** Resolves to true with a slot again; to false if none was free until `untilMs`, or the signal came. */
  #takeAgain(slot: Slot, untilMs: number, signal: AbortSignal): Promise<boolean> {
    const leftMs = Math.max(0, Math.floor(untilMs - performance.now()))
    const within = AbortSignal.any([signal, AbortSignal.timeout(leftMs)])
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const settle = (hasSlot: boolean): void => {
      this.#returning.delete(resume)
      resolve(hasSlot)
    }
    const resume = (): void => {
      if (this.#gate.tryStart(slot, !slot.target.proven)) settle(true)
    }
    this.#returning.add(resume)
    within.addEventListener('abort', () => settle(false), { once: true })
    if (within.aborted) settle(false)
    else resume()
    return promise
  }
}

const isUsed = ({ running, isDue }: Target): boolean => running > 0 || isDue
