import { randomUUID } from 'node:crypto'
import { sql } from 'slonik'
import { shiftSeconds } from '../../core/schedule.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { Transaction } from '../db/client.ts'
import { bytes } from '../db/row.ts'
import { monitorQueue } from '../../core/check-queue.ts'
import { MONITOR_COLUMNS, monitorRow, type MonitorRow } from './monitor-record.ts'
import type { SealedPlace, SecretBox } from '../secrets/secret-box.ts'
import { firstSecret } from './signing-secret.ts'

/** A monitor to create. */
interface NewMonitor {
  readonly teamId: string
  /** The user that the monitor belongs to: the account, or the account that created the API key. */
  readonly userId: string
  readonly spec: MonitorSpec
}

/**
 * Stores a monitor and its check, which is due at once, or locked where the trial is over. The caller has validated the
 * spec.
 */
export async function insertMonitor(tx: Transaction, secrets: SecretBox, monitor: NewMonitor): Promise<MonitorRow> {
  const { teamId, userId, spec } = monitor
  const id = randomUUID()
  const sealed = sealSpec({ teamId, id }, spec, secrets)
  const interval = spec.schedule_interval_seconds
  return tx.one(sql.type(monitorRow)`
    with t as (select clock() as at, trial_over from teams where id = ${teamId}::uuid for share),
    m as (
      insert into monitors (
        locked, id, team_id, user_id, name, url, schedule_interval_seconds, extract_config, diff_predicate, fetch_mode,
          request_config, visual_config,
        template_slug, notify_on, request_headers, deliveries, signing_secret, created_at)
      select t.trial_over, ${id}::uuid, ${teamId}::uuid, ${userId}::uuid, ${spec.name}, ${spec.url}, ${interval}::int,
        ${JSON.stringify(spec.extract_config)}::json,
        ${JSON.stringify(spec.diff_predicate)}::json, ${spec.fetch_mode}, ${json(spec.request_config)}::json,
          ${json(spec.visual_config)}::json,
        ${spec.template_slug}, ${sql.array([...spec.notify_on], 'text')},
          ${bytes(sealed.requestHeaders)}, ${bytes(sealed.deliveries)},
          ${bytes(firstSecret({ teamId, id }, spec, secrets))}, t.at
      from t
      returning *
    ),
    c as (
      insert into checks (no, team_id, queue, due_at, next_run_at, interval_seconds, shift_seconds)
      select m.no, m.team_id, ${monitorQueue(spec)}::check_queue, due.at, due.at, ${interval}::int,
        ${shiftSeconds(id, interval)}::smallint
      from m cross join lateral (select case when not m.locked then m.created_at end as at) due
      returning *
    )
    select ${MONITOR_COLUMNS} from m join c on c.no = m.no
  `)
}

/** Returns the encrypted columns of a configuration; null for a value that is absent. */
export function sealSpec(
  { teamId, id }: { readonly teamId: string; readonly id: string },
  spec: Pick<MonitorSpec, 'deliveries' | 'request_headers'>,
  secrets: SecretBox,
) {
  const { deliveries, request_headers: headers } = spec
  const placeOf = (column: SealedPlace['column']) => ({ teamId, column, rowId: id })
  return {
    deliveries: deliveries.length > 0 ? secrets.seal(placeOf('monitors.deliveries'), deliveries) : null,
    requestHeaders: headers ? secrets.seal(placeOf('monitors.request_headers'), headers) : null,
  }
}

/** Returns JSON text for a json column; null stays SQL's null. */
export const json = (value: object | null) => (value === null ? null : JSON.stringify(value))
