import { hash, randomBytes } from 'node:crypto'
import { canonicalValue } from '../../core/diff/reading-hash.ts'
import { heldUntil, muteAt } from '../../core/hold/held-until.ts'
import { levelOf } from '../../schema/level.ts'
import { canCollect, destinationOf, DeliveryConfig, type DeliveryType } from '../../schema/monitor/delivery-config.ts'
import {
  addressOfOptions,
  isServiceName,
  paceOfOptions,
  SERVICE_TABLE,
} from '../../schema/monitor/delivery-services.ts'
import { WEEK_DAYS } from '../../schema/monitor/digest.ts'
import { type Mute, MUTE_LEVEL } from '../../schema/monitor/mute.ts'
import { CHAT_PACE } from '../../schema/run/delivery.ts'
import type { Held } from '../../schema/run/run.ts'
import type { Json } from '../../schema/shape/json.ts'
import { splitLater } from '../../schema/validation/later-keys.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { Outbox } from './delivery-lease.ts'
import { mutedDigest } from './muted-messages.ts'
import { type AddedByMonitor, type SealedTarget, sealedTarget } from './sealed-target.ts'

/**
 * A delivery, as the statement that records its run inserts it. Team, monitor, run and times come from that statement.
 */
export interface DeliveryRow {
  /** UUIDv7, also in the payload. */
  readonly id: string
  readonly type: DeliveryType
  /** Of a webhook that has one. */
  readonly service: string | null
  /** The sealed DeliveryConfig. */
  readonly target: Buffer
  /** The key of the destination (`destinationKey`). */
  readonly host: string
  /** Which destination it is (`targetKey`). */
  readonly target_key: string
  /** The exact text that is signed and sent. */
  readonly payload: string
  /** The lowest level of a process that may send it (schema/level.ts). */
  readonly level: number
  /** Why it waits. Null: it is due at once. `dropped`: it is not inserted. */
  readonly held: Held | null
  /** Until when, as an instant of ISO 8601. Null: it is due at once, or when a mute is ended. */
  readonly held_until: string | null
  /** Which digest of the team it is part of (`digestKey`). Null: it is sent by itself. */
  readonly digest: string | null
}

/** The sealed address of a mail. */
export interface MailTarget {
  readonly type: 'email'
  readonly to: string
  /** Of a mail to an account: the address that it links to, which may hold a token. */
  readonly link?: string | null
}

/** The input of `newDelivery`. */
interface NewDelivery {
  readonly secrets: SecretBox
  /** The table that it is for. Absent: deliveries. */
  readonly outbox?: Outbox
  readonly teamId: string
  readonly config: DeliveryConfig
  /** The store's time, in milliseconds since the epoch: the id sorts by it. */
  readonly at: number
  /** Its position among deliveries of the same instant. They are listed in this order. Absent: any position. */
  readonly place?: number
  /** Builds the message around the delivery's id. */
  readonly payload: (id: string) => object
  /** The level of the monitor, for keys of the destination that this version does not know. Absent: it knows all. */
  readonly monitorLevel?: number | undefined
  /** Its monitor. Absent: it has none. */
  readonly by?: AddedByMonitor | undefined
  /** It is sent at once, whatever the hour. */
  readonly isNeverHeld?: boolean
}

/**
 * Returns one message to one destination, ready for the outbox: id, sealed target, host key, and the text, which never
 * changes again.
 */
export function newDelivery({
  secrets,
  outbox = 'deliveries',
  teamId,
  config,
  at,
  place,
  payload,
  monitorLevel = 1,
  by,
  isNeverHeld = false,
}: NewDelivery): DeliveryRow {
  const id = timedId(at, place)
  const { quiet_hours: _, digest: __, ...always } = config
  const sealed = isNeverHeld
    ? sealedTarget(always, { ...by, quiet_hours: null, digest: null })
    : sealedTarget(config, by ?? {})
  const mute = isNeverHeld ? null : muteAt(by?.mute, at)
  return {
    id,
    type: config.type,
    service: (config.type === 'webhook' && config.service) || null,
    target: secrets.seal({ teamId, column: `${outbox}.target`, rowId: id }, sealed),
    host: destinationKey(teamId, config),
    target_key: targetKey(config),
    payload: JSON.stringify(payload(id)),
    level: Math.max(levelOf(DeliveryConfig, sealed), hasLaterKeys(config) ? monitorLevel : 1, mute ? MUTE_LEVEL : 1),
    ...waitOf(sealed, { secrets, outbox, teamId, at, mute }),
  }
}

interface WaitOf extends Pick<NewDelivery, 'secrets' | 'teamId' | 'at'> {
  readonly outbox: Outbox
  readonly mute: Mute | null
}

/** Returns until when a message waits, and why. Notices are never dropped, and are in no digest. */
function waitOf(sealed: SealedTarget, ports: WaitOf): Pick<DeliveryRow, 'held' | 'held_until' | 'digest'> {
  const { outbox, mute, at } = ports
  const hold = heldUntil(sealed, { mute }, at)
  if (hold === null) return { held: null, held_until: null, digest: null }
  const isDelivery = outbox === 'deliveries'
  return {
    held: mute?.drop && isDelivery ? 'dropped' : hold.reason,
    held_until: hold.untilMs === null ? null : new Date(hold.untilMs).toISOString(),
    digest: isDelivery ? digestKey(sealed, ports) : null,
  }
}

const hasLaterKeys = (config: DeliveryConfig) => splitLater(DeliveryConfig, config).later.length > 0

/**
 * Returns what tells the destinations of a monitor apart: a hash of the type and the address, of a service also of the
 * options that say where.
 */
export const targetKey = (config: DeliveryConfig): string =>
  hash('sha256', `${config.type} ${placeOfConfig(config)}${requestOf(config)}`).slice(0, 16)

/** Bodies of the service `custom` say where a message goes, as in the channel that they name. */
const requestOf = (config: DeliveryConfig): string =>
  config.type === 'webhook' && config.service === 'custom' ? ` ${config.method} ${config.body}` : ''

/**
 * Returns what deliveries have in common that are sent as one message: a mark of the destination with all its options
 * and headers, and of when it may be sent to. With a new encryption key there is another mark: deliveries that wait by
 * then are a message by themselves. Null: it is sent by itself.
 */
function digestKey(
  { digest, quiet_hours: hours, ...sealed }: SealedTarget,
  { secrets, teamId, mute }: Pick<WaitOf, 'secrets' | 'teamId' | 'mute'>,
): string | null {
  if (mute ? !canCollect(sealed) : !digest) return null
  const config = { ...sealed, message: null, named: null }
  const { daily_at, time_zone, days, every_seconds } = digest ?? {}
  // A mute ends alike for all, whenever they are sent otherwise.
  const when = !mute && [
    daily_at,
    time_zone,
    days === undefined || days.length === WEEK_DAYS.length ? [] : [...days].toSorted(),
    every_seconds,
  ]
  const quiet = hours && [hours.from, hours.until, hours.time_zone]
  const mark = secrets.mark(JSON.stringify([teamId, canonicalValue(config as Json), when, quiet]))
  return mute ? mutedDigest(mark, mute) : mark
}

/** Returns the address, and of a service the options that say where a message goes. */
function placeOfConfig(config: DeliveryConfig): string {
  const address = destinationOf(config)
  if (config.type !== 'webhook' || config.service === undefined) return address
  return `${address} ${addressOfOptions(config.service, config.options)}`
}

/** Returns the address, and of a service the options that its pace is counted by: all topics of a group have one. */
const pacedPlaceOf = (config: DeliveryConfig, name: string | null): string =>
  config.type === 'webhook' && name !== null
    ? `${destinationOf(config)} ${paceOfOptions(name, config.options)}`
    : placeOfConfig(config)

/** Returns the name under which messages to a destination are paced; null: they are not. */
function pacedName(config: DeliveryConfig): string | null {
  if (config.type !== 'webhook') return config.type
  return config.service !== undefined && everyMsOf(config.service) !== null ? config.service : null
}

function everyMsOf(name: string): number | null {
  if (name === 'slack' || name === 'discord') return CHAT_PACE.everyMs[name]
  return isServiceName(name) ? SERVICE_TABLE[name].everyMs : null
}

/** The host key of mail. All mail is sent through the one mail server of this installation. */
const MAIL_HOST = 'smtp'

/**
 * Returns `host:port team target`, the key under which deliveries wait and are claimed. Success is tracked for each
 * target of each team, while the slots of a host are shared by all teams. The target is a hash of 32 bits: too short to
 * confirm a guessed address. Two targets with the same hash share one turn. For mail, the target is the mail server
 * instead of the recipient. A target whose messages are paced has the name of its pace in front: a chat its type, a
 * service its name.
 */
export function destinationKey(teamId: string, config: DeliveryConfig): string {
  const place = `${hostOf(config)} ${teamId.slice(-12)}`
  if (config.type === 'email') return place
  const name = pacedName(config)
  const target = hash('sha256', pacedPlaceOf(config, name)).slice(0, 8)
  return `${place} ${name === null ? '' : `${name}:`}${target}`
}

/** Returns the address of a chat without the team, and the time between two messages to it. Null: it is not a chat. */
export function chatOf(key: string): { readonly address: string; readonly everyMs: number } | null {
  const [host = '', , target = ''] = key.split(' ')
  const type = target.slice(0, Math.max(0, target.indexOf(':')))
  const everyMs = everyMsOf(type)
  return everyMs === null ? null : { address: `${host} ${target}`, everyMs }
}

/** Returns `host:port` of a destination, with the default port of its scheme; `smtp` for mail. */
export function hostOf(config: DeliveryConfig): string {
  if (config.type === 'email') return MAIL_HOST
  const url = new URL(destinationOf(config))
  // A host with a final dot is the same host.
  return `${url.hostname.replace(/\.$/, '')}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
}

/** Returns the host and the team of a key. A key that an earlier release wrote contains the host only. */
export function placeOf(key: string): { readonly host: string; readonly team: string } {
  const [host = key, team = ''] = key.split(' ', 2)
  return { host, team }
}

/**
 * Returns a UUIDv7 of an instant. The twelve bits behind the time hold the position, so that ids of the same instant
 * sort by it.
 */
function timedId(at: number, place?: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Math.trunc(at), 0, 6)
  bytes.writeUInt16BE(0x7000 | ((place ?? bytes.readUInt16BE(6)) & 0x0fff), 6)
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
