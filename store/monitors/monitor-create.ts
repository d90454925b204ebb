import { randomUUID } from 'node:crypto'
import { sql } from 'slonik'
import { shiftSeconds } from '../../core/schedule.ts'
import type { Labels, Manager } from '../../schema/monitor/labels.ts'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { Transaction } from '../db/client.ts'
import { unnest } from '../db/row.ts'
import { monitorQueue } from '../../core/check-queue.ts'
import { MONITOR_COLUMNS, monitorRow, type MonitorRow } from './monitor-record.ts'
import type { SealedPlace, SecretBox } from '../secrets/secret-box.ts'
import { firstSecret } from './signing-secret.ts'
import { lockedStorage } from '../quota/team-storage.ts'

/** What the manifest of a new record says of it. */
export interface Declared {
  readonly by: Exclude<Manager, 'api'>
  readonly suspended: boolean
}

/** A monitor to create. */
interface NewMonitor {
  readonly teamId: string
  /** The user that the monitor belongs to: the account, or the account that created the API key. */
  readonly userId: string
  readonly spec: MonitorSpec
  /** By the manifest of a resource, which is its only writer. Default: the API's, and not suspended. */
  readonly declared?: Declared
}

/**
 * Stores a monitor and its check, which is due at once, or locked where the trial is over. The caller has validated the
 * spec. Returns null when the team has ended or has no room for it.
 */
export async function insertMonitor(
  tx: Transaction,
  secrets: SecretBox,
  monitor: NewMonitor,
): Promise<MonitorRow | null> {
  const [inserted = null] = await insertMonitors(tx, secrets, [monitor])
  return inserted
}

/**
 * Stores several monitors. Returns them in the same order, with null for each whose team has ended, and for each that
 * does not fit any more beside those before it (`findStorage`).
 */
export async function insertMonitors(
  tx: Transaction,
  secrets: SecretBox,
  monitors: readonly NewMonitor[],
): Promise<readonly (MonitorRow | null)[]> {
  const rows = monitors.map((monitor, nth) => ({ ...newRow(monitor, secrets), nth }))
  const inserted = await tx.any(sql.prepared('insert_monitors', monitorRow)`
    with t as (
      select clock() as at, id, trial_over from teams
      where id in (select unnest(${sql.array(
        rows.map((one) => one.team_id),
        'uuid',
      )})) and ended_at is null order by id for share
    ),
    own as materialized (${lockedStorage(sql.fragment`s.team_id in (select id from t)`)}),
    i as (${fitting(
      sql.fragment`${unnest('i', rows, COLUMNS)}`,
      sql.fragment`array[i.name, i.url, i.extract_config, i.diff_predicate, i.request_config, i.visual_config,
        i.external_key, i.labels::jsonb::text]`,
    )}),
    m as (
      insert into monitors (
        locked, id, team_id, user_id, name, url, schedule_interval_seconds, extract_config, diff_predicate, fetch_mode,
        request_config, visual_config, template_slug, notify_on, isolation, request_headers, deliveries, signing_secret,
        suspended, managed_by, external_key, labels, created_at)
      select t.trial_over, i.id, i.team_id, i.user_id, i.name, i.url, i.interval_seconds, i.extract_config::json,
        i.diff_predicate::json, i.fetch_mode, i.request_config::json, i.visual_config::json, i.template_slug,
        array(select json_array_elements_text(i.notify_on::json)), i.isolation, nullif(i.request_headers, ''),
        nullif(i.deliveries, ''), nullif(i.signing_secret, ''), i.suspended, i.managed_by,
        i.external_key, i.labels::jsonb, t.at
      from i join t on t.id = i.team_id
      returning *
    ),
    c as (
      insert into checks (no, team_id, queue, due_at, next_run_at, interval_seconds, shift_seconds, is_isolated)
      select m.no, m.team_id, i.queue::check_queue, due.at, due.at, i.interval_seconds, i.shift_seconds,
        i.isolation = 'pod'
      from m join i using (id)
        cross join lateral (select case when not m.locked and not m.suspended then m.created_at end as at) due
      returning *
    )
    select ${MONITOR_COLUMNS} from m join c on c.no = m.no
  `)
  const byId = new Map(inserted.map((one) => [one.id, one]))
  return rows.map(({ id }) => byId.get(id) ?? null)
}

/**
 * Selects the rows `i` that fit beside what their team stores (`own`), each with those before it. `texts` are the texts
 * of a configuration, as 000020-configuration-bytes.sql lists them.
 */
export const fitting = (rows: Fragment, texts: Fragment) => sql.fragment`
  select sized.*
  from (
    select i.*, sum(configuration_bytes(${texts}, array[i.request_headers, i.deliveries]))
      over (partition by i.team_id order by i.nth) as bytes
    from ${rows}
  ) sized join own on own.team_id = sized.team_id
  where own.most is null or own.used + sized.bytes <= own.most`

type Fragment = ReturnType<typeof sql.fragment>

/** The columns of a new monitor of any kind. */
export const RECORD_COLUMNS = {
  id: 'uuid',
  team_id: 'uuid',
  user_id: 'uuid',
  name: 'text',
  interval_seconds: 'int4',
  notify_on: 'text',
  deliveries: 'bytea',
  signing_secret: 'bytea',
  suspended: 'bool',
  managed_by: 'text',
  external_key: 'text',
  labels: 'text',
  shift_seconds: 'int2',
  request_headers: 'bytea',
  nth: 'int4',
} as const

const COLUMNS = {
  ...RECORD_COLUMNS,
  url: 'text',
  extract_config: 'text',
  diff_predicate: 'text',
  fetch_mode: 'text',
  request_config: 'text',
  visual_config: 'text',
  template_slug: 'text',
  isolation: 'text',
  queue: 'text',
} as const

type SharedSpec = Pick<
  MonitorSpec,
  'name' | 'schedule_interval_seconds' | 'notify_on' | 'deliveries' | 'external_key' | 'labels'
>

/** Returns the values of `RECORD_COLUMNS`, with a new id, and the encrypted headers of a request. */
export function newRecord(
  { teamId, userId, spec, declared }: Omit<NewMonitor, 'spec'> & { readonly spec: SharedSpec },
  headers: MonitorSpec['request_headers'],
  secrets: SecretBox,
) {
  const own = { teamId, id: randomUUID() }
  const interval = spec.schedule_interval_seconds
  const sealed = sealSpec(own, { deliveries: spec.deliveries, request_headers: headers }, secrets)
  return {
    id: own.id,
    team_id: teamId,
    user_id: userId,
    name: spec.name,
    interval_seconds: interval,
    notify_on: JSON.stringify(spec.notify_on),
    request_headers: sealed.requestHeaders,
    deliveries: sealed.deliveries,
    signing_secret: firstSecret(own, spec, secrets),
    suspended: declared?.suspended ?? false,
    managed_by: declared?.by ?? 'api',
    external_key: spec.external_key,
    labels: labelsJson(spec.labels),
    shift_seconds: shiftSeconds(own.id, interval),
  }
}

function newRow(monitor: NewMonitor, secrets: SecretBox) {
  const { spec } = monitor
  return {
    ...newRecord(monitor, spec.request_headers, secrets),
    url: spec.url,
    extract_config: JSON.stringify(spec.extract_config),
    diff_predicate: JSON.stringify(spec.diff_predicate),
    fetch_mode: spec.fetch_mode,
    request_config: json(spec.request_config),
    visual_config: json(spec.visual_config),
    template_slug: spec.template_slug,
    isolation: spec.isolation,
    queue: monitorQueue(spec),
  }
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

/** Returns JSON text for the column of labels; null stands for none. */
export const labelsJson = (labels: Labels) => (Object.keys(labels).length === 0 ? null : JSON.stringify(labels))

/** Returns JSON text for a json column; null stays SQL's null. */
export const json = (value: object | null) => (value === null ? null : JSON.stringify(value))
