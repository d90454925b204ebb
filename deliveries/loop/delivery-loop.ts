import { setTimeout as pause } from 'node:timers/promises'
import type { Store } from '../../store/db/client.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { createBell } from '../../concurrency/wake-signal.ts'
import type { Channels } from '../channels/channel.ts'
import { createClaimRound } from './delivery-round.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import { createDestinations } from './destinations.ts'
import { createUnderWay } from './under-way.ts'
import { storeFault } from '../../store/deliveries/delivery-fault.ts'

/** The world of a delivery loop. */
interface DeliveryLoopOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly channels: Channels
  readonly log: DeliveryLog
  readonly metrics: DeliveryMetrics
  /**
   * How long a claimed delivery is this process's own without a heartbeat; 30 at least, because an attempt may take 15
   * seconds.
   */
  readonly leaseSeconds: number
  /** Attempts under way to all destinations; default 256. */
  readonly concurrency?: number
  /** Attempts under way to one host and port (`TIDEMARK_DESTINATION_CONCURRENCY`). */
  readonly perHost: number
  /** How often an idle loop looks for due deliveries, in milliseconds. Default 500. */
  readonly idleMs?: number
}

export interface DeliveryLoop {
  start(): void
  /** Look for due deliveries now: a run has fired, or somebody replayed one. */
  poke(): void
  /**
   * Claims no more, lets attempts finish, records them, gives the rest back; all within this many milliseconds. Never
   * rejects.
   */
  drain(graceMs: number): Promise<void>
}

const SHORTEST_LEASE_SECONDS = 30
/** Room that comes free within this time is filled by one claim. */
const GATHER_MS = 3
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 1_000
/** Part of a drain's grace that is kept for writing down what happened. */
const MOST_WRITING_MS = 2_000

/**
 * The outbox loop: claim, send, record. Claims are short statements, sending happens outside of any transaction,
 * results are written in groups under the fence of the claim. At least once: a process that dies between sending and
 * recording leaves a delivery that is sent again, with the same id and bytes, when its lease ends; without such a fault
 * each attempt is sent once.
 *
 * It is idle (looks each `idleMs`, or at a poke), busy (claims as soon as a destination with something due has room),
 * without its store (tries again with growing pauses of at most a second), draining, or stopped.
 */
export function createDeliveryLoop(options: DeliveryLoopOptions): DeliveryLoop {
  const { store, log, metrics, perHost, concurrency = 256, idleMs = 500 } = options
  const leaseSeconds = Math.max(SHORTEST_LEASE_SECONDS, options.leaseSeconds)
  const bell = createBell()
  const draining = new AbortController()
  const destinations = createDestinations({ total: concurrency, perHost, onRoom: () => bell.ring() })
  const round = createClaimRound({ store, destinations, leaseSeconds })
  const underWay = createUnderWay({ ...options, destinations, leaseSeconds })
  let claiming: Promise<void> | null = null
  let drained: Promise<void> | null = null
  let nextLook = 0

  async function claimUntilDrained(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS
    while (!draining.signal.aborted) {
      try {
        await claimOnce()
        pauseMs = FIRST_PAUSE_MS
        await bell.wait(Math.max(0, nextLook - performance.now()))
        await pause(GATHER_MS)
      } catch (err) {
        metrics.storeFault()
        log.warn({ reason: storeFault(err) }, 'the store did not answer a claim of deliveries; trying again')
        await pause(pauseMs, undefined, { signal: draining.signal }).catch(() => {})
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
      }
    }
  }

  async function claimOnce(): Promise<void> {
    if (performance.now() >= nextLook) {
      nextLook = performance.now() + idleMs
      if (await round.look()) nextLook = 0
    }
    for (const claimed of await round.claim()) {
      underWay.hold(claimed)
      // What a claim brings when a drain has begun is given back by it, unsent.
      if (!draining.signal.aborted) underWay.begin(claimed)
    }
  }

  async function drain(graceMs: number): Promise<void> {
    draining.abort()
    bell.ring()
    const settled = async () => void (await Promise.all([claiming, underWay.settled()]))
    const writingMs = Math.min(MOST_WRITING_MS, graceMs / 5)
    await within(graceMs - writingMs, settled())
    underWay.cutOff()
    await within(
      writingMs,
      settled().then(() => underWay.giveBack()),
    )
    underWay.close()
  }

  return {
    start() {
      underWay.start()
      claiming ??= claimUntilDrained()
    },
    poke() {
      nextLook = 0
      bell.ring()
    },
    drain: (graceMs) => (drained ??= drain(graceMs)),
  }
}

/** Resolves when the work is done, has failed, or has taken this long. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController()
  const late = pause(ms, undefined, { signal: timer.signal }).catch(() => {})
  await Promise.race([work.catch(() => {}), late])
  timer.abort()
}
