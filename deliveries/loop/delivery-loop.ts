import type { Lease } from '../../concurrency/leases/lease-keeper.ts'
import { Running, createWakeableLoop } from '../../concurrency/loops/wakeable-loop.ts'
import type { Tracer } from '../../core/tracer.ts'
import type { Store } from '../../store/db/client.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import { holdChat } from '../../store/deliveries/chat-paces.ts'
import { storeFault } from '../../store/deliveries/delivery-fault.ts'
import { type Outbox, releaseDeliveries } from '../../store/deliveries/delivery-lease.ts'
import type { ClaimedDelivery } from '../../store/deliveries/delivery-queue.ts'
import { chatOf } from '../../store/deliveries/delivery-row.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Channels } from '../channels/channel.ts'
import type { Links } from '../messages/links.ts'
import { createAttemptRecorder, finished, isHealthy } from './attempt-recorder.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import { attempt, createClaimRound, createHeldDeliveries, logAttempt, withDigest } from './delivery-round.ts'
import { Destinations, type Flight } from './destinations.ts'
import { PayloadBytes } from './payload-bytes.ts'

/** The options and ports of a delivery loop. */
export interface DeliveryLoopOptions {
  readonly store: Store
  /** The table whose messages are sent. Default: deliveries. */
  readonly outbox?: Outbox
  readonly secrets: SecretBox
  readonly channels: Channels
  readonly links: Links
  readonly log: DeliveryLog
  readonly metrics: DeliveryMetrics
  readonly tracer?: Tracer | undefined
  /**
   * How long the lease of a claimed delivery lasts without a heartbeat; at least 30 seconds, because an attempt may
   * take 15.
   */
  readonly leaseSeconds: number
  /** The most running attempts to all destinations; default 256. */
  readonly concurrency?: number
  /** The most running attempts to one host and port (`TIDEMARK_DESTINATION_CONCURRENCY`). */
  readonly perHost: number
  /** How often an idle loop looks for due deliveries, in milliseconds. Default 500. */
  readonly idleMs?: number
}

export interface DeliveryLoop {
  start(): void
  /** Looks for due deliveries now, because a run has fired or somebody replayed a delivery. */
  wake(): void
  /**
   * Claims no more, lets attempts finish, records them, and gives the rest back, all within this many milliseconds.
   * Never rejects.
   */
  drain(graceMs: number): Promise<void>
}

const SHORTEST_LEASE_SECONDS = 30
/** One claim fills all room that becomes free within 3 ms. */
const PAUSES = { gatherMs: 3, faultPauses: { firstMs: 100, longestMs: 1_000 } }

/**
 * The outbox loop: claim, send, record. Claims are short statements. Sending happens outside of any transaction.
 * Results are written in batches under the fence of the claim. Delivery is at least once: if a process dies between
 * sending and recording, the delivery is sent again when its lease ends, with the same id and bytes. Without such a
 * fault each attempt is sent once.
 *
 * The loop is in one of five states: idle (it looks after each `idleMs`, or at a wake), busy (it claims as soon as a
 * destination with due deliveries has room), without its store (it retries with growing pauses of at most a second),
 * draining, or stopped.
 */
export function createDeliveryLoop(options: DeliveryLoopOptions): DeliveryLoop {
  const { store, outbox = 'deliveries', log, metrics, perHost, concurrency = 256, idleMs = 500 } = options
  const leaseSeconds = Math.max(SHORTEST_LEASE_SECONDS, options.leaseSeconds)
  const notAnswered = onFaultOfClaims(options)
  const claims = createWakeableLoop({ ...PAUSES, work: claim, onFault: notAnswered })
  const destinations = new Destinations({ total: concurrency, perHost, onRoom: () => claims.wake() })
  const payloads = new PayloadBytes(() => wake())
  const round = createClaimRound({ store, destinations, payloads, leaseSeconds, outbox })
  const held = createHeldDeliveries({ ...options, outbox, leaseSeconds })
  const recorder = createAttemptRecorder({ ...options, outbox })
  const running = new Running()
  let [drained, nextLook]: [Promise<void> | null, number] = [null, 0]

  async function claim(): Promise<number> {
    if (performance.now() >= nextLook) {
      nextLook = performance.now() + idleMs
      if (await round.look()) nextLook = 0
    }
    const claimed = await round.claim()
    // A claim that ends after a drain has begun gives its deliveries back unsent.
    if (claims.isStopped && claimed.length > 0) await releaseDeliveries(store, claimed, outbox)
    else for (const one of claimed) running.add(deliver(held.hold(one)).finally(payloads.hold(one)))
    return Math.max(0, nextLook - performance.now())
  }

  async function deliver(lease: Lease<ClaimedDelivery>): Promise<void> {
    const { item: claimed } = lease
    metrics.claimed(claimed.late_ms)
    const flight = destinations.start(claimed.host)
    metrics.active(destinations.active)
    const startedAt = performance.now()
    lease.lost = new AbortController()
    const { signal } = lease.lost
    const holdEverywhere = (ms: number) => running.add(holdFor(store, claimed, ms).catch(notAnswered))
    const waits = waitsOf(flight, holdEverywhere, signal)
    const whole = await withDigest(claimed, options).catch(notAnswered)
    flight.isMade()
    if (!whole) {
      flight.end(true)
      return held.drop(lease)
    }
    const { outcome, quietHours } = await attempt(whole, options, { signal, log, ...waits })
    metrics.attempted(claimed.type, outcome, performance.now() - startedAt)
    flight.end(isHealthy(outcome))
    metrics.active(destinations.active)
    // The delivery keeps its lease until it is given back.
    if (outcome.kind === 'aborted') return
    lease.lost = undefined
    const attempted = finished(claimed, outcome, { quietHours, tookMs: performance.now() - startedAt })
    logAttempt(claimed, attempted, { log, metrics, tracer: options.tracer, startedAt })
    await recorder.add(attempted).catch(() => {})
    held.drop(lease)
  }

  function wake(): void {
    nextLook = 0
    claims.wake()
  }

  async function drain(graceMs: number): Promise<void> {
    const ended = claims.stop().then(() => running.settled())
    await held.drain({ ended }, graceMs)
    recorder.close()
  }

  return {
    start() {
      held.start()
      claims.start()
    },
    wake,
    drain: (graceMs) => (drained ??= drain(graceMs)),
  }
}

/** Reports that the store did not answer. */
const onFaultOfClaims =
  ({ log, metrics }: Pick<DeliveryLoopOptions, 'log' | 'metrics'>) =>
  (error: unknown): void => {
    metrics.storeFault()
    if (storeOutage(log).covers(error, 'claims of deliveries')) return
    log.warn({ reason: storeFault(error) }, 'the store did not answer a claim of deliveries; trying again')
  }

/** A chat that asks to wait is left alone by the other processes too. */
async function holdFor(store: Store, { host }: ClaimedDelivery, ms: number): Promise<void> {
  const chat = chatOf(host)
  if (chat) await holdChat(store, chat, ms)
}

/** Returns what an attempt does where its destination asks to wait. */
function waitsOf(flight: Flight, holdEverywhere: (ms: number) => void, signal: AbortSignal) {
  return {
    rest(ms: number, untilMs: number) {
      holdEverywhere(ms)
      return flight.rest(ms, untilMs, signal)
    },
    hold(ms: number) {
      holdEverywhere(ms)
      flight.hold(ms)
    },
  }
}
