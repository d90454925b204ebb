import Type from 'typebox'
import { sql } from 'slonik'
import { runIdMonitor } from '../../core/run-id.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Queryable } from '../db/client.ts'
import { isMonitor } from '../monitors/monitor-record.ts'
import { retentionCutoff } from '../quota/pool.ts'
import { type Page, pageStatement } from '../db/page-statement.ts'
import { row } from '../db/row.ts'
import { runRow, type RunRow } from './run-record.ts'

/** Columns of `monitors m join lateral (…) r`, with the reading that an unchanged run refers to. */
const RUN_COLUMNS = sql.fragment`
  r.id, m.id as monitor_id, m.name as monitor_name, m.user_id, r.status, r.start_offset_ms, r.duration_ms,
  r.fetch_method, r.fetch_reason, r.delivery_triggered,
  case when r.reading_id is null then r.extracted
    else (select s.extracted from runs s where s.monitor_no = m.no and s.id = r.reading_id) end as extracted,
  r.diff, r.error_code, r.error_message, r.warnings, m.kind, m.mode,
  case when r.reading_id is null then r.organic_results
    else (select s.organic_results from runs s where s.monitor_no = m.no and s.id = r.reading_id)
    end as organic_results,
  r.target_rank, r.rank_delta, r.ai_overview_present, r.featured_snippet_present, r.serp_check,
  (select v.change_pct from run_images v where v.monitor_no = m.no and v.run_id = r.id) as visual_change_pct`

const STORED = sql.fragment`
  s.id, s.status::text as status, s.start_offset_ms, s.duration_ms, s.fetch_method::text as fetch_method,
  s.fetch_reason::text as fetch_reason, s.delivery_triggered, s.reading_id, s.extracted, s.diff, s.error_code,
  s.error_message, s.warnings, s.organic_results, s.target_rank, s.rank_delta, s.ai_overview_present,
  s.featured_snippet_present, s.serp_check`

/**
 * Selects a run that is claimed or queued. It has no row yet, so it is read from its check (`no` is the monitor's
 * number).
 */
const waiting = (no: ReturnType<typeof sql.fragment>) => sql.fragment`
  select w.id, 'running' as status, 0 as start_offset_ms, 0 as duration_ms, null::text as fetch_method,
    null::text as fetch_reason, false as delivery_triggered,
    null::uuid as reading_id, null::json as extracted, null::json as diff, null::text as error_code,
      null::text as error_message,
    null::json as warnings, null::json as organic_results, null::int as target_rank, null::int as rank_delta,
    null::boolean as ai_overview_present, null::boolean as featured_snippet_present, null::json as serp_check
  from checks c cross join lateral unnest(array[c.run_id, c.queued_run_id]) w(id)
  where c.no = ${no} and w.id is not null`

/** Returns a run of the team inside its retention window, or null. Runs of deleted monitors stay readable. */
export async function findRun(store: Queryable, teamId: string, id: string): Promise<RunRow | null> {
  const no = runIdMonitor(id)
  return store.maybeOne(sql.prepared('find_run', runRow)`
    select ${RUN_COLUMNS}
    from monitors m
    cross join lateral (
      select ${STORED} from runs s where s.monitor_no = m.no and s.id = ${id}::uuid
      union all
      (${waiting(sql.fragment`m.no`)} and w.id = ${id}::uuid)
      limit 1
    ) r
    where m.no = ${no} and m.team_id = ${teamId}::uuid and r.id >= run_id_floor(${retentionCutoff(teamId)})
  `)
}

/** The filter of a list of runs, and the page. */
interface RunQuery extends Page {
  readonly teamId: string
  readonly monitorId: string
  /** The kind of the monitor. Default: page. */
  readonly kind?: MonitorKind
}

/**
 * Returns a page of a monitor's runs, newest first, including those in progress. The list is also empty when there is
 * no such monitor; `countRuns` distinguishes the two.
 */
export async function listRuns(store: Queryable, query: RunQuery): Promise<readonly RunRow[]> {
  const { teamId, monitorId, kind = 'page' } = query
  const { typed, limit, offset, reach } = pageStatement('list_runs', runRow, query)
  return store.any(typed`
    with m as materialized (
      select m.no, m.id, m.name, m.user_id, m.kind, m.mode from monitors m
      where ${isMonitor(teamId, monitorId, kind)}
    )
    select ${RUN_COLUMNS}
    from m
    cross join lateral (
      select * from (
        (${waiting(sql.fragment`m.no`)})
        union all
        (select ${STORED} from runs s
          where s.monitor_no = m.no and s.id >= run_id_floor(${retentionCutoff(teamId)})
          order by s.id desc limit ${reach})
      ) both_kinds
      order by id desc
      limit ${limit} offset ${offset}
    ) r
    order by r.id desc
  `)
}

const counted = row({ total: Type.Integer() })

/**
 * Returns the length of a monitor's list of runs; null when there is no such monitor. The check has a counter, and so
 * has retention. Only runs that are hidden and not deleted yet are counted here, so that no list counts a million rows.
 */
export async function countRuns(
  store: Queryable,
  teamId: string,
  monitorId: string,
  kind: MonitorKind = 'page',
): Promise<number | null> {
  return store.maybeOneFirst(sql.prepared('count_runs', counted)`
    select greatest(c.runs_total - coalesce((select f.count from forgotten_runs f where f.no = c.no), 0) - (
        select count(*) from runs s where s.monitor_no = m.no and s.id < run_id_floor(${retentionCutoff(teamId)})
      ), 0) + (c.run_id is not null)::int + (c.queued_run_id is not null)::int as total
    from monitors m join checks c on c.no = m.no
    where ${isMonitor(teamId, monitorId, kind)}
  `)
}
