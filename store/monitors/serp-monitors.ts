import { sql } from 'slonik'
import Type from 'typebox'
import type { SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import type { Queryable, Transaction } from '../db/client.ts'
import { bytes, row as rowWith, unnest } from '../db/row.ts'
import { WAS_FAILING } from '../queue/finished-check.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { type Declared, fitting, labelsJson, newRecord, RECORD_COLUMNS, sealSpec } from './monitor-create.ts'
import { scheduleSets } from './monitor-edit.ts'
import { selected, type SerpMonitorRow } from './monitor-record.ts'
import { withoutReplaced } from '../deliveries/replaced-destinations.ts'
import { firstSecret } from './signing-secret.ts'
import { hasRoom, lockedStorage } from '../quota/team-storage.ts'

const { columns, row } = selected('serp')

/** A monitor of a search to create. */
interface NewSerpMonitor {
  readonly teamId: string
  /** The user that the monitor belongs to: the account, or the account that created the API key. */
  readonly userId: string
  readonly spec: SerpMonitorSpec
  /** By the manifest of a resource, which is its only writer. Default: the API's, and not suspended. */
  readonly declared?: Declared
}

/** Stores a monitor of a search and its check, as `insertSerpMonitors` does. Returns null where that does. */
export async function insertSerpMonitor(
  tx: Transaction,
  secrets: SecretBox,
  monitor: NewSerpMonitor,
): Promise<SerpMonitorRow | null> {
  const [inserted = null] = await insertSerpMonitors(tx, secrets, [monitor])
  return inserted
}

/**
 * Stores monitors of searches and their checks, which are due at once. They are locked where the trial is over, and
 * where the plan has no SERP and no credits are left (core/machine/plan.ts). The caller has validated the specs.
 * Returns them in the same order, with null for each whose team has ended or has no room for it.
 */
export async function insertSerpMonitors(
  tx: Transaction,
  secrets: SecretBox,
  monitors: readonly NewSerpMonitor[],
): Promise<readonly (SerpMonitorRow | null)[]> {
  const rows = monitors.map((monitor, nth) => ({ ...newRow(monitor, secrets), nth }))
  const teams = sql.array(
    rows.map((one) => one.team_id),
    'uuid',
  )
  const inserted = await tx.any(sql.prepared('insert_serp_monitors', row)`
    with t as (
      select clock() as at, t.id, t.trial_over or t.serp = 'none' and u.credits = 0 as locked
      from teams t join team_usage u on u.team_id = t.id
      where t.id in (select unnest(${teams})) and t.ended_at is null order by t.id
      for share
    ),
    own as materialized (${lockedStorage(sql.fragment`s.team_id in (select id from t)`)}),
    i as (${fitting(
      sql.fragment`${unnest('i', rows, COLUMNS)}`,
      sql.fragment`array[i.name, i.keyword, i.target_domain, i.external_key, i.labels::jsonb::text]`,
    )}),
    m as (
      insert into monitors (
        kind, locked, id, team_id, user_id, name, schedule_interval_seconds, keyword, engine, mode, pages,
        location_code, language_code, device, target_domain, rank_change_threshold, notify_on, deliveries,
        signing_secret, suspended, managed_by, external_key, labels, created_at)
      select 'serp', t.locked, i.id, i.team_id, i.user_id, i.name, i.interval_seconds, i.keyword, i.engine, i.mode,
        i.pages, i.location_code, i.language_code, i.device, i.target_domain, i.rank_change_threshold,
        array(select json_array_elements_text(i.notify_on::json)), nullif(i.deliveries, ''),
        nullif(i.signing_secret, ''), i.suspended, i.managed_by, i.external_key, i.labels::jsonb, t.at
      from i join t on t.id = i.team_id
      returning *
    ),
    c as (
      insert into checks (no, team_id, queue, cost, due_at, next_run_at, interval_seconds, shift_seconds)
      select m.no, m.team_id, 'serp', m.pages, due.at, due.at, i.interval_seconds, i.shift_seconds
      from m join i using (id)
        cross join lateral (select case when not m.locked and not m.suspended then m.created_at end as at) due
      returning *
    )
    select ${columns} from m join c on c.no = m.no
  `)
  const byId = new Map(inserted.map((one) => [one.id, one]))
  return rows.map(({ id }) => byId.get(id) ?? null)
}

const COLUMNS = {
  ...RECORD_COLUMNS,
  keyword: 'text',
  engine: 'text',
  mode: 'text',
  pages: 'int2',
  location_code: 'text',
  language_code: 'text',
  device: 'text',
  target_domain: 'text',
  rank_change_threshold: 'int4',
} as const

const newRow = (monitor: NewSerpMonitor, secrets: SecretBox) => ({
  ...monitor.spec,
  ...newRecord(monitor, null, secrets),
})

/** An edit of a monitor that the transaction has locked. */
interface SerpMonitorEdit {
  readonly stored: Pick<SerpMonitorRow, 'id' | 'no' | 'team_id'>
  readonly spec: SerpMonitorSpec
  readonly changed: readonly string[]
  /** The baseline is reset: the next run has nothing to compare with. A check in progress starts over. */
  readonly resetsBaseline: boolean
}

/**
 * Stores an edited configuration and its consequences for the check. A run that is paid for asks for
 * the pages that it was paid with: another number of pages counts from the next one. Returns null, and changes
 * nothing, when the configuration grows and the team has no room for it.
 */
export async function saveSerpMonitor(
  tx: Transaction,
  secrets: SecretBox,
  { stored, spec, changed, resetsBaseline }: SerpMonitorEdit,
): Promise<SerpMonitorRow | null> {
  const own = { teamId: stored.team_id, id: stored.id }
  const sealed = sealSpec(own, { ...spec, request_headers: null }, secrets)
  const sets = scheduleSets({ stored, spec, changed, startsOver: resetsBaseline })
  if (changed.includes('pages'))
    sets.push(sql.fragment`
      cost = case when c.queued_run_id is null and (c.run_id is null or c.is_unpaid) then ${spec.pages}::smallint
        else c.cost end`)
  if (resetsBaseline)
    sets.push(sql.fragment`
      was_failing = ${WAS_FAILING}, failures = 0, reading_id = null, reading_hash = null, body_hash = null`)
  return tx.maybeOne(sql.type(row)`
    with t as (select clock() as at),
    own as materialized (${lockedStorage(sql.fragment`s.team_id = ${stored.team_id}::uuid`)}),
    n as (
      select v.*, configuration_bytes(
        array[v.name, v.keyword, v.target_domain, v.external_key, v.labels::text], array[v.deliveries]) as bytes
      from (values (
        ${spec.name}, ${spec.keyword}, ${spec.target_domain}::text, ${spec.external_key}::text,
        ${labelsJson(spec.labels)}::jsonb, ${bytes(sealed.deliveries)}::bytea
      )) v (name, keyword, target_domain, external_key, labels, deliveries)
    ),
    m as (
      update monitors m
      set name = n.name, schedule_interval_seconds = ${spec.schedule_interval_seconds},
        keyword = n.keyword, engine = ${spec.engine}, mode = ${spec.mode}, pages = ${spec.pages}::smallint,
        location_code = ${spec.location_code}, language_code = ${spec.language_code}, device = ${spec.device},
        target_domain = n.target_domain, rank_change_threshold = ${spec.rank_change_threshold}::int,
        notify_on = ${sql.array([...spec.notify_on], 'text')}, deliveries = n.deliveries,
        external_key = n.external_key, labels = n.labels,
        signing_secret = coalesce(signing_secret, ${bytes(firstSecret(own, spec, secrets))})
      from n, own
      where m.no = ${stored.no} and ${hasRoom(sql.fragment`n.bytes`)}
      returning m.*
    ),
    ${withoutReplaced(spec.deliveries)},
    c as (
      update checks c set ${sql.join(sets, sql.fragment`, `)} from t, m where c.no = m.no returning c.*
    )
    select ${columns} from m join c on c.no = m.no
  `)
}

const load = rowWith({
  searches: Type.Unsafe<
    readonly { readonly pages: number; readonly intervalSeconds: number; readonly count: number }[]
  >({}),
  exits: Type.Integer(),
})

/** Returns the scheduled searches at an engine, of all teams, and the number of exits that do them. */
export async function scheduledSearches(store: Queryable, engine: SerpMonitorSpec['engine']) {
  return store.one(sql.prepared('scheduled_searches', load)`
    select
      coalesce((
        select json_agg(json_build_object('pages', pages, 'intervalSeconds', interval_seconds, 'count', count))
        from (
          select m.pages, c.interval_seconds, count(*)
          from monitors m join checks c on c.no = m.no
          where m.kind = 'serp' and m.engine = ${engine} and not m.locked and m.deleted_at is null
            and c.next_run_at is not null
          group by m.pages, c.interval_seconds
        ) grouped
      ), '[]') as searches,
      greatest((
        select count(*) from serp_exits where engine = ${engine} and next_at > clock() - interval '1 hour'
      ), 1) as exits
  `)
}
