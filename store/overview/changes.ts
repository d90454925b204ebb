import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { RunChange } from '../../core/overview/run-change.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Held } from '../../schema/run/run.ts'
import type { Queryable } from '../db/client.ts'
import { rowOf } from '../db/row.ts'
import { Stored } from '../monitors/kinds/monitor-row.ts'
import { type OverviewQuery, wantedMonitors, windowOfReader } from './wanted-monitors.ts'

const Count = Type.Integer()
const NumberOrNull = Type.Union([Type.Number(), Type.Null()])

const StoredTeamChange = Type.Object({
  id: Type.String(),
  start_offset_ms: Type.Integer(),
  duration_ms: Type.Integer(),
  monitor_id: Type.String(),
  kind: Stored<MonitorKind>(),
  name: Type.String(),
  /** Null: an earlier version recorded the run. */
  change: Stored<RunChange | null>(),
  /** The names of its fields then, where they are cheap to read. */
  old_fields: Stored<readonly string[] | null>(),
  fired: Type.Union([Type.Boolean(), Type.Null()]),
  delivery_triggered: Type.Boolean(),
  held: Stored<Held | null>(),
  visual_change_pct: NumberOrNull,
  pending: Count,
  success: Count,
  failed: Count,
  dead: Count,
  seen: Type.Boolean(),
})
/** A run of any monitor of a team that found a difference. */
export type StoredTeamChange = Static<typeof StoredTeamChange>
const storedTeamChange = rowOf(StoredTeamChange)

const CHANGED = sql.fragment`
  join runs r on r.monitor_no = m.no and r.team_id = m.team_id and r.id >= w.floor_id`

const IS_SEEN = sql.fragment`(r.id <= coalesce(s.seen_id, w.seen_id))`
/**
 * The names of fields are read out of a difference that is stored in at most so many bytes. One with an escape is left:
 * Postgres refuses to read NUL and halves of surrogate pairs, which old ones may have.
 */
const MOST_OF_OLD = sql.literalValue('32768')

interface ChangesQuery extends OverviewQuery {
  readonly limit: number
  /** Only runs before this one. */
  readonly before?: string | undefined
  readonly monitorId?: string | undefined
  readonly fired?: boolean | undefined
  /** True: only those with deliveries; false: only the others. */
  readonly sent?: boolean | undefined
}

/**
 * Returns the most recent changes of the wanted monitors inside the plan's window, newest first. One statement. It goes
 * along the index of changes, and reads no difference.
 */
export async function listTeamChanges(store: Queryable, query: ChangesQuery): Promise<readonly StoredTeamChange[]> {
  const { reader, limit, before, monitorId, fired, sent, wanted } = query
  const { unseen, changedSince, ...ofMonitors } = wanted
  const conditions = [
    sql.fragment`(r.change is not null or r.diff is not null)`,
    ...(before === undefined ? [] : [sql.fragment`r.id < ${before}::uuid`]),
    ...(monitorId === undefined
      ? []
      : [
          sql.fragment`m.id = ${monitorId}::uuid
            and r.monitor_no = (select o.no from monitors o where o.id = ${monitorId}::uuid)`,
        ]),
    ...(unseen === undefined ? [] : [sql.fragment`(not ${IS_SEEN}) = ${unseen}`]),
    ...(changedSince === undefined ? [] : [sql.fragment`r.id >= run_id_floor(${changedSince}::timestamptz)`]),
    ...(fired === undefined ? [] : [sql.fragment`(r.delivery_triggered or r.fired) is not distinct from ${fired}`]),
    ...(sent === undefined ? [] : [sql.fragment`exists (select from deliveries o where o.run_id = r.id) = ${sent}`]),
  ]
  const monitors = wantedMonitors(
    { ...query, wanted: ofMonitors },
    { hasChecks: true, hasWindow: true, joined: CHANGED },
  )
  return store.any(sql.type(storedTeamChange)`
    with w as materialized (${windowOfReader(reader)}),
    page as materialized (
      select r.id, r.start_offset_ms, r.duration_ms, r.change, r.fired, r.delivery_triggered, r.held, m.no,
        m.id as monitor_id, m.kind, m.name, ${IS_SEEN} as seen,
        case when r.change is null and pg_column_size(r.diff) < ${MOST_OF_OLD}::int and strpos(r.diff::text, '\\u') = 0
          then r.diff -> 'fields_changed' end as old_fields
      ${monitors} and ${sql.join(conditions, sql.fragment` and `)}
      order by r.id desc
      limit ${limit}
    )
    select page.*, v.change_pct as visual_change_pct, d.*
    from page
    left join run_images v on v.monitor_no = page.no and v.run_id = page.id
    cross join lateral (
      select count(*) filter (where o.status = 'pending')::int as pending,
        count(*) filter (where o.status = 'success')::int as success,
        count(*) filter (where o.status = 'failed')::int as failed,
        count(*) filter (where o.status = 'dead')::int as dead
      from deliveries o where o.run_id = page.id
    ) d
    order by page.id desc
  `)
}
