import { hash, randomBytes } from 'node:crypto'
import { destinationOf, type DeliveryConfig, type DeliveryType } from '../../schema/monitor/delivery-config.ts'
import type { SecretBox } from '../secrets/secret-box.ts'

/**
 * A delivery as the statement that records its run inserts it; team, monitor, run and times come from that statement.
 */
export interface DeliveryRow {
  /** UUIDv7, also in the payload. */
  readonly id: string
  readonly type: DeliveryType
  /** The sealed DeliveryConfig. */
  readonly target: Buffer
  /** The key of the destination (`destinationKey`). */
  readonly host: string
  /** The exact text that is signed and sent. */
  readonly payload: string
}

/** What `newDelivery` makes a row from. */
interface NewDelivery {
  readonly secrets: SecretBox
  readonly teamId: string
  readonly config: DeliveryConfig
  /** The store's time, in milliseconds since the epoch: the id sorts by it. */
  readonly at: number
  /** Its place among those of the same instant, which are listed in this order; absent: any. */
  readonly place?: number
  /** Builds the message around the delivery's id. */
  readonly payload: (id: string) => object
}

/**
 * One message to one destination, ready for the outbox: id, sealed target, host key, and its text, which never changes
 * again.
 */
export function newDelivery({ secrets, teamId, config, at, place, payload }: NewDelivery): DeliveryRow {
  const id = timedId(at, place)
  return {
    id,
    type: config.type,
    target: secrets.seal({ teamId, column: 'deliveries.target' }, config),
    host: destinationKey(teamId, config),
    payload: JSON.stringify(payload(id)),
  }
}

/** All mail leaves through the one server of this installation, whoever it is for. */
const MAIL_HOST = 'smtp'

/**
 * `host:port team target`, under which deliveries wait and are claimed: one target of a team is healthy or not for
 * itself, while places at a host are one for all who send there. The target is a hash of 32 bits, too short to tell a
 * guessed address by; two that share it share their turn. Of mail the target is the server, whoever it is for.
 */
export function destinationKey(teamId: string, config: DeliveryConfig): string {
  const place = `${hostOf(config)} ${teamId.slice(-12)}`
  return config.type === 'email' ? place : `${place} ${hash('sha256', destinationOf(config)).slice(0, 8)}`
}

/** `host:port` of a destination, its scheme's default port included; `smtp` for mail. */
function hostOf(config: DeliveryConfig): string {
  if (config.type === 'email') return MAIL_HOST
  const url = new URL(destinationOf(config))
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
}

/** The host and the team of a key. One that an earlier release wrote is a host alone. */
export function placeOf(key: string): { readonly host: string; readonly team: string } {
  const [host = key, team = ''] = key.split(' ', 2)
  return { host, team }
}

/** A UUIDv7 of an instant. Behind the time stand twelve bits that a place fills: of one instant, ids sort by it. */
function timedId(at: number, place?: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Math.trunc(at), 0, 6)
  bytes.writeUInt16BE(0x7000 | ((place ?? bytes.readUInt16BE(6)) & 0x0fff), 6)
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
