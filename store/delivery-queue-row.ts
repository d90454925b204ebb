import { randomBytes } from 'node:crypto'
import { destinationOf, type DeliveryConfig, type DeliveryType } from '../schema/delivery-config.ts'
import type { SecretBox } from './secret-box.ts'

/** A delivery as the statement that records its run inserts it; team, monitor, run and times come from that statement. */
export interface DeliveryRow {
  /** UUIDv7, also in the payload. */
  readonly id: string
  readonly type: DeliveryType
  /** The sealed DeliveryConfig. */
  readonly target: Buffer
  /** `host:port` of the destination: the key of its concurrency cap. */
  readonly host: string
  /** The exact text that is signed and sent. */
  readonly payload: string
}

/** What `newDelivery` makes a row from. */
export interface NewDelivery {
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

/** One message to one destination, ready for the outbox: id, sealed target, host key, and its text, which never changes again. */
export function newDelivery({ secrets, teamId, config, at, place, payload }: NewDelivery): DeliveryRow {
  const id = timedId(at, place)
  return {
    id,
    type: config.type,
    target: secrets.seal({ teamId, column: 'deliveries.target' }, config),
    host: destinationHost(config),
    payload: JSON.stringify(payload(id)),
  }
}

/** The same rows, a list a column, for `unnest`. */
export function deliveryColumns(rows: readonly DeliveryRow[]) {
  return {
    id: rows.map((row) => row.id),
    type: rows.map((row) => row.type),
    target: rows.map((row) => row.target),
    host: rows.map((row) => row.host),
    payload: rows.map((row) => row.payload),
  }
}

/** All mail leaves through the one server of this installation, whoever it is for. */
const MAIL_HOST = 'smtp'

/** `host:port` of a destination, its scheme's default port included; `smtp` for mail. */
export function destinationHost(config: DeliveryConfig): string {
  if (config.type === 'email') return MAIL_HOST
  const url = new URL(destinationOf(config))
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`
}

/** A UUIDv7 of an instant. Behind the time stand twelve bits that a place fills: of one instant, ids sort by it. */
function timedId(at: number, place?: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Math.trunc(at), 0, 6)
  bytes.writeUInt16BE(0x7000 | ((place ?? bytes.readUInt16BE(6)) & 0x0fff), 6)
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
