import { createLeaseKeeper, type LeaseKeeper } from '../../concurrency/leases/lease-keeper.ts'
import type { Tracer } from '../../core/tracer.ts'
import type { QuietHours } from '../../schema/monitor/quiet-hours.ts'
import type { Store } from '../../store/db/client.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import { giveBackTurns, takeTurns } from '../../store/deliveries/chat-paces.ts'
import { storeFault } from '../../store/deliveries/delivery-fault.ts'
import { heartbeatDeliveries, type Outbox, releaseDeliveries } from '../../store/deliveries/delivery-lease.ts'
import { claimDeliveries, type ClaimedDelivery, dueHosts } from '../../store/deliveries/delivery-queue.ts'
import { chatOf, placeOf } from '../../store/deliveries/delivery-row.ts'
import { leadDigest } from '../../store/deliveries/digests.ts'
import type { SealedTarget } from '../../store/deliveries/sealed-target.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { AttemptOutcome, Channels, SendContext } from '../channels/channel.ts'
import { onChannel } from '../channels/on-channel.ts'
import { digestOf } from '../digest-of.ts'
import type { DigestMessage } from '../messages/digest-story.ts'
import type { Links } from '../messages/links.ts'
import type { FinishedAttempt } from './attempt-recorder.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import type { Destinations } from './destinations.ts'
import type { PayloadBytes } from './payload-bytes.ts'

/** Goes round the destinations that have deliveries due. */
interface ClaimRound {
  /** Reads the next page of them from the store. Returns whether the round has more pages. */
  look(): Promise<boolean>
  /**
   * Claims deliveries for the destinations that have room, as many as may start now. Returns an empty list if none has
   * room.
   */
  claim(): Promise<readonly ClaimedDelivery[]>
}

/** The options and ports of a round. */
interface ClaimRoundOptions {
  readonly store: Store
  readonly destinations: Destinations
  readonly payloads: Pick<PayloadBytes, 'room'>
  readonly leaseSeconds: number
  readonly outbox: Outbox
}

/**
 * A destination stays in the round until a claim finds fewer deliveries than requested. Each time it is served it moves
 * to the end.
 */
export function createClaimRound({
  store,
  destinations,
  payloads,
  leaseSeconds,
  outbox,
}: ClaimRoundOptions): ClaimRound {
  let cursor = ''

  /** Leaves out the chats that have no turn now. Where there is no chat, the store is not asked. */
  async function withTurns(granted: ReadonlyMap<string, number>): Promise<{ host: string; room: number }[]> {
    const rooms = Array.from(granted, ([host, room]) => ({ host, room }))
    const chats = rooms.map(({ host }) => chatOf(host)).filter((chat) => chat !== null)
    if (chats.length === 0) return rooms
    const turns = await takeTurns(store, chats)
    return rooms.filter(({ host }) => {
      const turn = turns.get(chatOf(host)?.address ?? '')
      if (turn?.isTaken !== false) return true
      destinations.close(host, turn.waitMs)
      destinations.claimed(host, 0, true)
      return false
    })
  }

  async function claimed(granted: ReadonlyMap<string, number>): Promise<readonly ClaimedDelivery[]> {
    const rooms = await withTurns(granted)
    if (rooms.length === 0) return []
    const limit = rooms.reduce((sum, { room }) => sum + room, 0)
    const deliveries = await claimDeliveries(store, { rooms, limit, leaseSeconds, payloads: payloads.room() }, outbox)
    const counts = Map.groupBy(deliveries, ({ host }) => host)
    for (const { host, room } of rooms) {
      const count = counts.get(host)?.length ?? 0
      destinations.claimed(host, count, count === room)
    }
    const unused = rooms.flatMap(({ host }) => (counts.has(host) ? [] : (chatOf(host) ?? [])))
    if (unused.length > 0) await giveBackTurns(store, unused)
    return deliveries
  }

  return {
    async look() {
      const page = await dueHosts(store, cursor, outbox)
      const digests = new Set(page.digests)
      for (const host of page.hosts) destinations.due(host, digests.has(host))
      cursor = page.next
      return cursor !== ''
    },
    async claim() {
      const granted = destinations.grant()
      try {
        return await claimed(granted)
      } catch (error) {
        for (const key of granted.keys()) destinations.claimed(key, 0, true)
        throw error
      }
    },
  }
}

/** The options and ports of the lease keeper. */
interface HeldDeliveriesPorts {
  readonly store: Store
  readonly outbox: Outbox
  readonly leaseSeconds: number
  readonly log: DeliveryLog
  readonly metrics: DeliveryMetrics
}

/** The deliveries that this process has claimed and has neither recorded nor given back. */
export function createHeldDeliveries(ports: HeldDeliveriesPorts): LeaseKeeper<ClaimedDelivery> {
  const { store, outbox, leaseSeconds, log, metrics } = ports
  return createLeaseKeeper({
    leaseMs: leaseSeconds * 1000,
    keyOf: ({ id }: ClaimedDelivery) => id,
    extend: (held) => heartbeatDeliveries(store, held, leaseSeconds, outbox),
    release: (held) => releaseDeliveries(store, held, outbox),
    onFault(error, doing) {
      metrics.storeFault()
      if (storeOutage(log).covers(error, DOING[doing])) return
      const text = { extend: 'the store did not extend the leases of', release: 'the store did not take back' }[doing]
      log.warn({ reason: storeFault(error) }, `${text} deliveries`)
    },
  })
}

const DOING = { extend: 'heartbeats of deliveries', release: 'releases of deliveries' }

interface AttemptPorts {
  readonly secrets: SecretBox
  readonly channels: Channels
}

/** A claimed delivery, and its message where that tells of several changes. */
type Claimed = ClaimedDelivery & { readonly digest?: DigestMessage | undefined }

/**
 * Returns a claimed delivery with its message, where that tells of several changes. Null: another one has taken it into
 * its message, or it is one of so many that it waits for the next. One that nobody has taken is due again when its
 * lease ends.
 */
export async function withDigest(
  claimed: ClaimedDelivery,
  ports: { readonly store: Store; readonly secrets: SecretBox; readonly links: Links },
): Promise<Claimed | null> {
  if (!claimed.is_digest) return claimed
  if (!(await leadDigest(ports.store, claimed))) return null
  const digest = await digestOf(ports, claimed)
  return digest ? { ...claimed, digest } : claimed
}

/** The outcome of an attempt, and the hours in which no other one may be made. */
interface Attempted {
  readonly outcome: AttemptOutcome
  readonly quietHours?: QuietHours | undefined
}

/**
 * Opens the sealed destination and sends on the channel of its type. Never rejects: an error is logged, and the
 * delivery is retried by the schedule.
 */
export async function attempt(claimed: Claimed, ports: AttemptPorts, ctx: SendContext): Promise<Attempted> {
  let config: SealedTarget
  let secrets: string[]
  try {
    config = ports.secrets.open(
      {
        teamId: claimed.team_id,
        column: claimed.notice === null ? 'deliveries.target' : 'notices.target',
        rowId: claimed.id,
      },
      claimed.target,
    ) as SealedTarget
    secrets = signingSecrets(claimed, ports.secrets)
  } catch (err) {
    ctx.log.error(
      { err, delivery_id: claimed.id },
      'the destination or the signing secret of a delivery cannot be opened',
    )
    return { outcome: { kind: 'no_answer', message: SEALED } }
  }
  try {
    const { id, team_id: team, payload, notice } = claimed
    const message = { id, team, payload, secrets, notice, named: config.named, digest: claimed.digest }
    const send = onChannel(ports.channels, config, (channel, own) => channel.send({ ...message, config: own }, ctx))
    return { outcome: await send, quietHours: config.quiet_hours }
  } catch (err) {
    ctx.log.error({ err, delivery_id: claimed.id }, 'a delivery channel threw')
    return { outcome: { kind: 'no_answer', message: THREW }, quietHours: config.quiet_hours }
  }
}

/**
 * Writes the line of an attempt, and its span. Of a destination they have the host only: an address may hold a key.
 */
export function logAttempt(
  { id, monitor_id, run_id, type, host, notice }: ClaimedDelivery,
  { status, attempts, response_status, retry_after_seconds }: FinishedAttempt,
  { log, metrics, tracer, startedAt }: AttemptLog,
): void {
  const to = placeOf(host).host
  const fields = {
    delivery_id: id,
    ...(notice !== null && { kind: notice }),
    run_id,
    monitor_id,
    type,
    host: to,
    attempt: attempts,
    ms: Math.round(performance.now() - startedAt),
    status,
  }
  log.info({ ...fields, response_status, retry_after_seconds }, notice === null ? 'delivery' : 'notice')
  if (status !== 'success' && retry_after_seconds === null) {
    metrics.gaveUp(notice ?? 'change')
    if (notice !== null) log.warn({ ...fields, response_status }, 'a notice was given up')
  }
  if (run_id !== null)
    tracer?.delivery({
      runId: run_id,
      deliveryId: id,
      type,
      host: to,
      attempt: attempts,
      status,
      responseStatus: response_status,
      startedAt,
    })
}

interface AttemptLog {
  readonly log: DeliveryLog
  readonly metrics: Pick<DeliveryMetrics, 'gaveUp'>
  readonly tracer: Tracer | undefined
  /** As `performance.now()`. */
  readonly startedAt: number
}

const SEALED =
  'The destination or the signing secret cannot be read: the encryption key of this installation is not the one ' +
  'they were stored with.'
const THREW = 'The attempt failed through an internal error. The log has the details under the id of the delivery.'

function signingSecrets(claimed: ClaimedDelivery, box: SecretBox): string[] {
  const { team_id: teamId, monitor_id: rowId, signing_secret: now, old_signing_secret: before } = claimed
  if (rowId === null) return []
  const opened: string[] = []
  if (now !== null) opened.push(box.open({ teamId, column: 'monitors.signing_secret', rowId }, now) as string)
  if (before !== null) opened.push(box.open({ teamId, column: 'monitors.old_signing_secret', rowId }, before) as string)
  return opened
}
