import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import { type DeliveryConfig, destinationOf, type DeliveryType } from '../../schema/monitor/delivery-config.ts'
import type { HoldReason } from '../../schema/monitor/quiet-hours.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Delivery, DeliveryStatus } from '../../schema/run/delivery.ts'
import { rowOf } from '../db/row.ts'
import { Stored } from '../monitors/kinds/monitor-row.ts'
import type { SecretBox } from '../secrets/secret-box.ts'

const Null = Type.Null()
const Instant = Type.Union([Type.String(), Null])

/** A delivery with its monitor, as `DELIVERY_COLUMNS` selects it. */
export const StoredDelivery = Type.Object({
  id: Type.String(),
  team_id: Type.String(),
  monitor_id: Type.String(),
  monitor_name: Type.String(),
  monitor_kind: Stored<MonitorKind>(),
  user_id: Type.String(),
  run_id: Type.String(),
  type: Type.Unsafe<DeliveryType>({}),
  target: Type.Unsafe<Uint8Array>({}),
  /** Which destination it is (`targetKey`). Empty: the delivery is older than these marks. */
  target_key: Type.String(),
  /** Its monitor does not have the destination any more. */
  is_removed: Type.Boolean(),
  payload: Type.String(),
  status: Type.Unsafe<DeliveryStatus>({}),
  attempts: Type.Integer(),
  held: Type.Unsafe<HoldReason | null>({}),
  is_digest: Type.Boolean(),
  /** The delivery whose message it is part of. Null: that is not decided, or it is sent by itself. */
  digest_of: Type.Union([Type.String(), Null]),
  last_attempt_at: Instant,
  next_attempt_at: Instant,
  response_status: Type.Union([Type.Integer(), Null]),
  response_body: Type.Union([Type.String(), Null]),
  created_at: Type.String(),
})
export type StoredDelivery = Static<typeof StoredDelivery>
export const deliveryRow = rowOf(StoredDelivery)

/** Columns of `deliveries d join monitors m` that are always small. */
export const DELIVERY_HEAD = sql.fragment`
  d.id, d.team_id, m.id as monitor_id, m.name as monitor_name, m.kind as monitor_kind,
  m.user_id, d.run_id, d.type, d.target_key,
  m.deleted_at is not null or d.target_key <> '' and coalesce(d.target_key <> all(m.destination_keys), false)
    as is_removed,
  d.status, d.attempts,
  d.held, d.digest is not null as is_digest, d.digest_of, d.last_attempt_at, d.next_attempt_at,
  d.response_status, d.created_at`

/** All columns of a delivery. */
export const DELIVERY_COLUMNS = sql.fragment`${DELIVERY_HEAD}, d.target, d.payload, d.response_body`

/** Shown instead of an address that a tolerant box cannot open. */
export const UNREADABLE = 'cannot be read'

/** Returns the delivery in the form of the API. */
export const toDelivery = (stored: StoredDelivery, secrets: SecretBox): Delivery => ({
  ...toDeliveryHead(stored, secrets),
  payload: JSON.parse(stored.payload) as Delivery['payload'],
})

/** A delivery waits for its hour until its first attempt. */
const isHeld = (stored: StoredDelivery): stored is StoredDelivery & { readonly held: HoldReason } =>
  stored.held !== null && stored.status === 'pending' && stored.attempts === 0

/** Returns the same with an empty payload. */
export function toDeliveryHead(stored: StoredDelivery, secrets: SecretBox): Delivery {
  const place = { teamId: stored.team_id, column: 'deliveries.target', rowId: stored.id } as const
  const config = secrets.open(place, stored.target) as DeliveryConfig | null
  return {
    id: stored.id,
    monitor_id: stored.monitor_id,
    user_id: stored.user_id,
    run_id: stored.run_id,
    monitor: { kind: stored.monitor_kind, name: stored.monitor_name },
    delivery_type: stored.type,
    ...(config?.type === 'webhook' && config.service !== undefined && { service: config.service }),
    destination: config === null ? UNREADABLE : destinationOf(config),
    ...(stored.target_key !== '' && { destination_key: stored.target_key }),
    ...(stored.is_removed && { destination_removed: true }),
    payload: {},
    status: stored.status,
    attempts: stored.attempts,
    last_attempt_at: stored.last_attempt_at,
    next_attempt_at: stored.next_attempt_at,
    ...(isHeld(stored) && { held: stored.held }),
    ...(stored.digest_of !== null && { digest_id: stored.digest_of }),
    response_status: stored.response_status,
    response_body: stored.response_body,
    created_at: stored.created_at,
  }
}
