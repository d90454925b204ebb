import { sql } from 'slonik'
import { shiftSeconds } from '../../core/schedule.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Transaction } from '../db/client.ts'
import { bytes } from '../db/row.ts'
import { WAS_FAILING } from '../queue/finished-check.ts'
import { monitorQueue } from '../../core/check-queue.ts'
import { isMonitor, MONITOR_COLUMNS, monitorRow, type MonitorRow, type RowOfKind, selected } from './monitor-record.ts'
import { json, labelsJson, sealSpec } from './monitor-create.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { withoutReplaced } from '../deliveries/replaced-destinations.ts'
import { firstSecret } from './signing-secret.ts'
import { hasRoom, lockedStorage } from '../quota/team-storage.ts'

/** Reads a monitor of the team and locks it against other edits. Returns null when there is no such monitor. */
export async function lockMonitor<K extends MonitorKind = 'page'>(
  tx: Transaction,
  teamId: string,
  id: string,
  kind: K = 'page' as K,
): Promise<RowOfKind[K] | null> {
  const { columns, row } = selected(kind)
  return tx.maybeOne(sql.type(row)`
    select ${columns}
    from monitors m join checks c on c.no = m.no
    where ${isMonitor(teamId, id, kind)}
    for update of m
  `)
}

/** An edit of a monitor that the transaction has locked. */
interface MonitorEdit {
  readonly stored: Pick<MonitorRow, 'id' | 'no' | 'team_id'>
  readonly spec: MonitorSpec
  readonly changed: readonly string[]
  /** The baseline is reset: the next run has nothing to compare with. */
  readonly resetsBaseline: boolean
  /** A check in progress starts over. True where the baseline is reset. */
  readonly startsOver: boolean
}

/**
 * Stores an edited configuration and its consequences for the check. With its first webhook, a monitor gets its
 * signing secret. Returns null, and changes nothing, when the configuration grows and the team has no room for it.
 */
export async function saveMonitor(tx: Transaction, secrets: SecretBox, edit: MonitorEdit): Promise<MonitorRow | null> {
  const { stored, spec } = edit
  const own = { teamId: stored.team_id, id: stored.id }
  const sealed = sealSpec(own, spec, secrets)
  return tx.maybeOne(sql.type(monitorRow)`
    with t as (select clock() as at),
    own as materialized (${lockedStorage(sql.fragment`s.team_id = ${stored.team_id}::uuid`)}),
    n as (
      select v.*, configuration_bytes(array[v.name, v.url, v.extract_config, v.diff_predicate, v.request_config,
        v.visual_config, v.external_key, v.labels::text], array[v.request_headers, v.deliveries]) as bytes
      from (values (
        ${spec.name}, ${spec.url}, ${JSON.stringify(spec.extract_config)}, ${JSON.stringify(spec.diff_predicate)},
        ${json(spec.request_config)}::text, ${json(spec.visual_config)}::text, ${spec.external_key}::text,
        ${labelsJson(spec.labels)}::jsonb, ${bytes(sealed.requestHeaders)}::bytea, ${bytes(sealed.deliveries)}::bytea
      )) v (name, url, extract_config, diff_predicate, request_config, visual_config, external_key, labels,
        request_headers, deliveries)
    ),
    m as (
      update monitors m
      set name = n.name, url = n.url, schedule_interval_seconds = ${spec.schedule_interval_seconds},
        extract_config = n.extract_config::json, diff_predicate = n.diff_predicate::json,
        fetch_mode = ${spec.fetch_mode}, request_config = n.request_config::json,
        visual_config = n.visual_config::json,
        notify_on = ${sql.array([...spec.notify_on], 'text')}, isolation = ${spec.isolation},
        external_key = n.external_key, labels = n.labels,
        request_headers = n.request_headers, deliveries = n.deliveries,
        signing_secret = coalesce(signing_secret, ${bytes(firstSecret(own, spec, secrets))})
      from n, own
      where m.no = ${stored.no} and ${hasRoom(sql.fragment`n.bytes`)}
      returning m.*
    ),
    ${withoutReplaced(spec.deliveries)},
    c as (
      update checks c set ${checkSets(edit)} from t, m where c.no = m.no returning c.*
    )
    select ${MONITOR_COLUMNS} from m join c on c.no = m.no
  `)
}

function checkSets({ stored, spec, changed, resetsBaseline: resets, startsOver }: MonitorEdit) {
  const sets = scheduleSets({ stored, spec, changed, startsOver })
  sets.push(sql.fragment`is_isolated = ${spec.isolation === 'pod'}`)
  // When the meaning of a run changes, the remembered layer is reset as well.
  if (resets)
    sets.push(sql.fragment`
      queue = ${monitorQueue(spec)}::check_queue, static_again_at = null, layer_reason = null,
      missing_rendered_at = null,
      was_failing = ${WAS_FAILING}, failures = 0,
      reading_id = null, reading_hash = null, body_hash = null, etag = null, last_modified = null, read_by = 0`)
  return sql.join(sets, sql.fragment`, `)
}

/** What an edit of a monitor of either kind changes in its schedule. */
interface ScheduleEdit {
  readonly stored: { readonly id: string }
  readonly spec: { readonly schedule_interval_seconds: number }
  readonly changed: readonly string[]
  readonly startsOver: boolean
}

/** Returns the assignments to `checks c` that an edit makes at `t.at`. */
export function scheduleSets({ stored, spec, changed, startsOver }: ScheduleEdit) {
  const interval = spec.schedule_interval_seconds
  const isRescheduled = changed.includes('schedule_interval_seconds')
  const sooner = sql.fragment`case when c.next_run_at is null then null
    else least(c.next_run_at, t.at + make_interval(secs => ${interval})) end`
  // A check in progress is due when its lease ends, and a queued one at once: neither waits for the schedule. A check
  // in progress under the old configuration starts again with the same run id.
  const sets = [
    sql.fragment`
    due_at = case
      when c.run_id is not null then ${startsOver ? sql.fragment`t.at` : sql.fragment`c.due_at`}
      when c.queued_run_id is not null then c.due_at
      else ${isRescheduled ? sooner : sql.fragment`c.due_at`} end`,
  ]
  if (isRescheduled)
    sets.push(sql.fragment`
      interval_seconds = ${interval}, shift_seconds = ${shiftSeconds(stored.id, interval)}, next_run_at = ${sooner}`)
  if (startsOver) sets.push(sql.fragment`fence = c.fence + 1, holder = null`)
  return sets
}
