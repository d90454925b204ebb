import { sql } from 'slonik'
import Type from 'typebox'
import type { Static } from 'typebox'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import type { Labels, Manager } from '../../../schema/monitor/labels.ts'
import type { Mute } from '../../../schema/monitor/mute.ts'
import type { MonitorKind } from '../../../schema/resource-kind.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'

const Null = Type.Null()
/** Encrypted bytes. */
export const Sealed = Type.Unsafe<Uint8Array | null>({})
/** A value that was checked when it was written, and is not checked again at each read. */
export const Stored = <T>() => Type.Unsafe<T>({})
export const TextOrNull = Type.Union([Type.String(), Null])

/** Columns of every kind of monitor. */
export const EVERY_ROW = {
  id: Type.String(),
  no: Type.Integer(),
  kind: Stored<MonitorKind>(),
  team_id: Type.String(),
  user_id: Type.String(),
  name: Type.String(),
  schedule_interval_seconds: Type.Integer(),
  deliveries: Sealed,
  paused: Type.Boolean(),
  suspended: Type.Boolean(),
  locked: Type.Boolean(),
  managed_by: Stored<Manager>(),
  declared_in: TextOrNull,
  external_key: TextOrNull,
  labels: Stored<Labels | null>(),
  /** Keys of its configuration that a later version has written. Null: there are none. */
  more: Stored<Readonly<Record<string, unknown>> | null>(),
  /** The lowest level of a process that may do its checks (schema/level.ts). */
  level: Type.Integer(),
  created_at: Type.String(),
  failures: Type.Integer(),
  last_run_at: TextOrNull,
  next_run_at: TextOrNull,
  /** Null: it is not muted. */
  mute: Stored<Mute | null>(),
}
const EveryRow = Type.Object(EVERY_ROW)

/** A stored monitor of any kind, with the state of its check. */
export type EveryRow = Static<typeof EveryRow>

/** Columns of `monitors m join checks c` of every kind that are always small. */
export const EVERY_COLUMN = sql.fragment`
  m.id, m.no, m.kind, m.team_id, m.user_id, m.name, m.schedule_interval_seconds, m.notify_on,
  m.paused, m.suspended, m.locked, m.managed_by, m.declared_in, m.external_key, m.created_at,
  c.failures, c.level, c.last_run_at,
  case when (c.mute ->> 'until')::timestamptz <= clock() then null else c.mute end as mute`

/** Returns what names a configuration for a client. */
export const identityOf = ({ external_key, labels }: Pick<EveryRow, 'external_key' | 'labels'>) => ({
  external_key,
  labels: labels ?? {},
})

/** Returns the destinations of a stored monitor. */
export function openDeliveries(
  { team_id: teamId, id, deliveries }: Pick<EveryRow, 'team_id' | 'id' | 'deliveries'>,
  secrets: SecretBox,
): DeliveryConfig[] {
  if (deliveries === null) return []
  const place = { teamId, column: 'monitors.deliveries', rowId: id } as const
  return (secrets.open(place, deliveries) as DeliveryConfig[] | null) ?? []
}

/** Returns the state of a monitor in the form of the API, without its status. */
export const stateOf = (stored: EveryRow) => ({
  consecutive_failures: stored.failures,
  last_run_at: stored.last_run_at,
  next_run_at: stored.next_run_at,
  created_at: stored.created_at,
  managed_by: stored.managed_by,
  ...(stored.declared_in !== null && { declared_in: stored.declared_in }),
  ...(stored.mute && { mute: stored.mute }),
})
