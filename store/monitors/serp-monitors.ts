import { sql } from 'slonik'
import Type from 'typebox'
import type { SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import type { Queryable, Transaction } from '../db/client.ts'
import { bytes, row as rowWith, unnest } from '../db/row.ts'
import { WAS_FAILING } from '../queue/finished-check.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { type Declared, labelsJson, newRecord, RECORD_COLUMNS, sealSpec } from './monitor-create.ts'
import { scheduleSets } from './monitor-edit.ts'
import { selected, type SerpMonitorRow } from './monitor-record.ts'
import { firstSecret } from './signing-secret.ts'

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

/** Stores a monitor of a search and its check, as `insertSerpMonitors` does. Returns null when the team has ended. */
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
 * Returns them in the same order, without those whose team has ended.
 */
export async function insertSerpMonitors(
  tx: Transaction,
  secrets: SecretBox,
  monitors: readonly NewSerpMonitor[],
): Promise<readonly SerpMonitorRow[]> {
  const rows = monitors.map((monitor) => newRow(monitor, secrets))
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
    i as (select * from ${unnest('i', rows, COLUMNS)}),
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
  return rows.flatMap(({ id }) => byId.get(id) ?? [])
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
 * the pages that it was paid with: another number of pages counts from the next one.
 */
export async function saveSerpMonitor(
  tx: Transaction,
  secrets: SecretBox,
  { stored, spec, changed, resetsBaseline }: SerpMonitorEdit,
): Promise<SerpMonitorRow> {
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
  return tx.one(sql.type(row)`
    with t as (select clock() as at),
    m as (
      update monitors
      set name = ${spec.name}, schedule_interval_seconds = ${spec.schedule_interval_seconds},
        keyword = ${spec.keyword}, engine = ${spec.engine}, mode = ${spec.mode}, pages = ${spec.pages}::smallint,
        location_code = ${spec.location_code}, language_code = ${spec.language_code}, device = ${spec.device},
        target_domain = ${spec.target_domain}, rank_change_threshold = ${spec.rank_change_threshold}::int,
        notify_on = ${sql.array([...spec.notify_on], 'text')}, deliveries = ${bytes(sealed.deliveries)},
        external_key = ${spec.external_key}, labels = ${labelsJson(spec.labels)}::jsonb,
        signing_secret = coalesce(signing_secret, ${bytes(firstSecret(own, spec, secrets))})
      where no = ${stored.no}
      returning *
    ),
    c as (
      update checks c set ${sql.join(sets, sql.fragment`, `)} from t where c.no = ${stored.no} returning c.*
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
