import { randomUUID } from 'node:crypto'
import { sql } from 'slonik'
import { shiftSeconds } from '../../core/schedule.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import type { Labels, Manager } from '../../schema/monitor/labels.ts'
import type { Transaction } from '../db/client.ts'
import { unnest } from '../db/row.ts'
import { lockedStorage } from '../quota/team-storage.ts'
import type { SealedPlace, SecretBox } from '../secrets/secret-box.ts'
import type { KindTable } from './kinds/kind-table.ts'
import type { EveryRow } from './kinds/monitor-row.ts'
import { columnsOf, countedNames, givenTypes, givenValues, storedList } from './kinds/own-columns.ts'
import { firstSecret } from './signing-secret.ts'

interface Declared {
  readonly by: Exclude<Manager, 'api'>
  readonly suspended: boolean
}

/** A monitor to create. */
interface NewMonitor<Spec> {
  readonly teamId: string
  /** The user that the monitor belongs to: the account, or the account that created the API key. */
  readonly userId: string
  readonly spec: Spec
  /** By the manifest of a resource, which is its only writer. Default: the API's, and not suspended. */
  readonly declared?: Declared
}

/**
 * Stores monitors of a kind and their checks, which are due at once, or locked where the plan says so. The caller has
 * validated the specs. Returns them in the same order, with null for each whose team has ended, and for each that does
 * not fit any more beside those before it (`findStorage`).
 */
export async function insertMonitors<Spec extends EverySpec, Row extends EveryRow>(
  tx: Transaction,
  secrets: SecretBox,
  table: KindTable<Spec, Row>,
  monitors: readonly NewMonitor<Spec>[],
): Promise<readonly (Row | null)[]> {
  const { kind, own } = table
  const rows = monitors.map((monitor, nth) => ({ ...newRow(table, monitor, secrets), nth }))
  const teams = sql.array(
    rows.map((one) => one.team_id),
    'uuid',
  )
  const names = Object.keys(own)
  const texts = sql.fragment`array[
    i.name, ${columnsOf(countedNames(own), 'i')}, i.external_key, i.labels::jsonb::text]`
  const inserted = await tx.any(sql.prepared(`insert_${kind}_monitors`, table.row)`
    with t as (
      ${table.teams} where t.id in (select unnest(${teams})) and t.ended_at is null order by t.id for share
    ),
    own as materialized (${lockedStorage(sql.fragment`s.team_id in (select id from t)`)}),
    i as (${fitting(sql.fragment`${unnest('i', rows, { ...COLUMNS, ...givenTypes(own) })}`, texts)}),
    m as (
      insert into monitors (
        kind, locked, id, team_id, user_id, name, schedule_interval_seconds, notify_on, request_headers, deliveries,
        signing_secret, suspended, managed_by, external_key, labels, created_at, ${columnsOf(names)})
      select ${sql.literalValue(kind)}, t.locked, i.id, i.team_id, i.user_id, i.name, i.interval_seconds,
        array(select json_array_elements_text(i.notify_on::json)), nullif(i.request_headers, ''),
        nullif(i.deliveries, ''), nullif(i.signing_secret, ''), i.suspended, i.managed_by, i.external_key,
        i.labels::jsonb, t.at, ${storedList(own, names, 'i')}
      from i join t on t.id = i.team_id
      returning *
    ),
    c as (
      insert into checks (
        no, team_id, queue, cost, due_at, next_run_at, interval_seconds, shift_seconds, is_isolated, level)
      select m.no, m.team_id, i.queue::check_queue, i.cost, due.at, due.at, i.interval_seconds, i.shift_seconds,
        i.is_isolated, i.level
      from m join i using (id)
        cross join lateral (select case when not m.locked and not m.suspended then m.created_at end as at) due
      returning *
    )
    select ${table.columns} from m join c on c.no = m.no
  `)
  const byId = new Map(inserted.map((one) => [one.id, one]))
  return rows.map(({ id }) => byId.get(id) ?? null)
}

type Fragment = ReturnType<typeof sql.fragment>

/** Selects the rows `i` that fit beside what their team stores (`own`), each with those before it. */
const fitting = (rows: Fragment, texts: Fragment) => sql.fragment`
  select sized.*
  from (
    select i.*, sum(configuration_bytes(${texts}, array[i.request_headers, i.deliveries]))
      over (partition by i.team_id order by i.nth) as bytes
    from ${rows}
  ) sized join own on own.team_id = sized.team_id
  where own.most is null or own.used + sized.bytes <= own.most`

/** Parameters of the insert for every kind of monitor, in their order, with the types of Postgres. */
const COLUMNS = {
  id: 'uuid',
  team_id: 'uuid',
  user_id: 'uuid',
  name: 'text',
  interval_seconds: 'int4',
  notify_on: 'text',
  request_headers: 'bytea',
  deliveries: 'bytea',
  signing_secret: 'bytea',
  suspended: 'bool',
  managed_by: 'text',
  external_key: 'text',
  labels: 'text',
  shift_seconds: 'int2',
  queue: 'text',
  cost: 'int2',
  is_isolated: 'bool',
  level: 'int2',
  nth: 'int4',
} as const

/** Returns the values of `COLUMNS` and of the kind's own, with a new id. */
function newRow<Spec extends EverySpec>(
  { own, check }: Pick<KindTable<Spec>, 'own' | 'check'>,
  { teamId, userId, spec, declared }: NewMonitor<Spec>,
  secrets: SecretBox,
) {
  const place = { teamId, id: randomUUID() }
  const interval = spec.schedule_interval_seconds
  const sealed = sealSpec(place, spec, secrets)
  return {
    ...givenValues(own, spec),
    id: place.id,
    team_id: teamId,
    user_id: userId,
    name: spec.name,
    interval_seconds: interval,
    notify_on: JSON.stringify(spec.notify_on),
    request_headers: sealed.requestHeaders,
    deliveries: sealed.deliveries,
    signing_secret: firstSecret(place, spec, secrets),
    suspended: declared?.suspended ?? false,
    managed_by: declared?.by ?? 'api',
    external_key: spec.external_key,
    labels: labelsJson(spec.labels),
    shift_seconds: shiftSeconds(place.id, interval),
    ...check(spec),
  }
}

/** Returns the encrypted columns of a configuration; null for a value that is absent. */
export function sealSpec(
  { teamId, id }: { readonly teamId: string; readonly id: string },
  { deliveries, request_headers: headers }: Pick<EverySpec, 'deliveries' | 'request_headers'>,
  secrets: SecretBox,
) {
  const placeOf = (column: SealedPlace['column']) => ({ teamId, column, rowId: id })
  return {
    deliveries: deliveries.length > 0 ? secrets.seal(placeOf('monitors.deliveries'), deliveries) : null,
    requestHeaders: headers ? secrets.seal(placeOf('monitors.request_headers'), headers) : null,
  }
}

/** Returns JSON text for the column of labels; null stands for none. */
export const labelsJson = (labels: Labels) => (Object.keys(labels).length === 0 ? null : JSON.stringify(labels))
