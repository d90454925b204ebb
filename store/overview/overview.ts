import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { MonitorSummary } from '../../core/overview/monitor-summary.ts'
import type { Labels, Manager } from '../../schema/monitor/labels.ts'
import type { ListedStatus } from '../../schema/monitor/monitor.ts'
import type { Mute } from '../../schema/monitor/mute.ts'
import { MAX_SHOWN_TARGET } from '../../schema/overview/overview-limits.ts'
import type { OverviewOrder, OverviewRow } from '../../schema/overview/overview.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { RunFaultCode } from '../../schema/run/run-fault.ts'
import type { RunStatus } from '../../schema/run/run.ts'
import type { Queryable } from '../db/client.ts'
import { type Page, pageStatement } from '../db/page-statement.ts'
import { row, rowOf } from '../db/row.ts'
import { Stored, TextOrNull } from '../monitors/kinds/monitor-row.ts'
import { statusOf } from '../monitors/monitor-status.ts'
import { joinMarks } from './seen-until.ts'
import {
  IS_MUTED,
  IS_UNSEEN,
  isFiltered,
  LAST_RUN,
  nextRunOf,
  searchOf,
  type OverviewQuery,
  targetOf,
  wantedMonitors,
  windowOfReader,
} from './wanted-monitors.ts'

const MOST_OF_TARGET = sql.literalValue(String(MAX_SHOWN_TARGET))
const IntegerOrNull = Type.Union([Type.Integer(), Type.Null()])

const StoredOverview = Type.Object({
  id: Type.String(),
  kind: Stored<MonitorKind>(),
  name: Type.String(),
  target: TextOrNull,
  search: Stored<OverviewRow['search']>(),
  status: Stored<ListedStatus>(),
  labels: Stored<Labels | null>(),
  managed_by: Stored<Manager>(),
  /** Null: it is not muted now. */
  mute: Stored<Pick<Mute, 'until' | 'drop'> | null>(),
  schedule_interval_seconds: Type.Integer(),
  failures: Type.Integer(),
  last_run_at: TextOrNull,
  next_run_at: TextOrNull,
  /** The last run. Null: it is not stored any more, or outside of the plan's window. */
  run_id: TextOrNull,
  run_status: Stored<RunStatus | null>(),
  error_code: Stored<RunFaultCode | null>(),
  start_offset_ms: IntegerOrNull,
  duration_ms: IntegerOrNull,
  has_baseline: Type.Boolean(),
  summary: Stored<MonitorSummary | null>(),
  last_change_id: TextOrNull,
  /** The last change is inside of the plan's window. */
  is_change_shown: Type.Boolean(),
  unseen: Type.Boolean(),
  /** The length of the whole list, where filters are asked for. Null: it is counted by `countOverview`. */
  total: IntegerOrNull,
})
/** A monitor of any kind, as the overview reads it. Nothing encrypted is among it. */
export type StoredOverview = Static<typeof StoredOverview>
const storedOverview = rowOf(StoredOverview)
const counted = row({ total: Type.Integer() })

/** The columns of `monitors m` and `checks c` by which the list is ordered. */
const KEYS = {
  name: { key: sql.fragment`m.name collate natural_names`, isOfCheck: false },
  last_change: { key: sql.fragment`c.last_change_id`, isOfCheck: true },
  last_run: { key: sql.fragment`c.last_run_at`, isOfCheck: true },
  failures: { key: sql.fragment`c.failures`, isOfCheck: true },
  created: { key: sql.fragment`m.created_at`, isOfCheck: false },
  // Keywords that differ in their case alone are not mixed.
  keyword: { key: sql.fragment`m.keyword collate natural_names, m.keyword`, isOfCheck: false },
} as const

/** Returns the order of rows, and whether it is by a column of `checks`. */
function orderOf(order: OverviewOrder) {
  const isReverse = order.startsWith('-')
  const { key, isOfCheck } = KEYS[(isReverse ? order.slice(1) : order) as keyof typeof KEYS]
  const direction = isReverse ? sql.fragment`desc` : sql.fragment`asc`
  // Columns of monitors are never null, and their index is read both ways. A monitor without a check is last.
  const by = isOfCheck
    ? sql.fragment`${key} ${direction} nulls last, m.no`
    : sql.fragment`${key} ${direction}, m.no ${direction}`
  return { by, isOfCheck }
}

/**
 * Returns a page of the reader's monitors of all kinds. One statement: it orders the team's monitors by one narrow key,
 * and reads what is shown of the rows of the page alone. It counts what a filter leaves. Without a filter, an index may
 * give the page without the rest of the list, and another one the count.
 */
export async function listOverview(
  store: Queryable,
  query: OverviewQuery & Page & { readonly order: OverviewOrder },
): Promise<readonly StoredOverview[]> {
  const { reader, kinds, order, wanted } = query
  const { limit, offset } = pageStatement('overview', storedOverview, query)
  const { by, isOfCheck } = orderOf(order)
  const total = isFiltered(wanted) ? sql.fragment`(count(*) over ())::int` : sql.fragment`null::int`
  return store.any(sql.type(storedOverview)`
    with w as materialized (${windowOfReader(reader)}),
    page as materialized (
      select m.no, ${total} as total ${wantedMonitors(query, { hasChecks: isOfCheck, hasWindow: false })}
      order by ${by}
      limit ${limit} offset ${offset}
    )
    select m.id, m.kind, m.name, left(${targetOf(kinds)}, ${MOST_OF_TARGET}::int) as target,
      ${searchOf(kinds)} as search,
      ${statusOf(kinds)} as status, m.labels, m.managed_by,
      case when ${IS_MUTED} then c.mute end as mute,
      m.schedule_interval_seconds, c.failures, c.last_run_at, ${nextRunOf(kinds)} as next_run_at,
      r.id as run_id, r.status::text as run_status, r.error_code, r.start_offset_ms, r.duration_ms,
      c.reading_id is not null as has_baseline, b.summary, c.last_change_id,
      coalesce(c.last_change_id >= w.floor_id, false) as is_change_shown, ${IS_UNSEEN} as unseen,
      page.total
    from w cross join page join monitors m on m.no = page.no join checks c on c.no = m.no
    ${joinMarks(reader)}
    left join baselines b on b.no = m.no
    ${LAST_RUN}
    order by ${by}
  `)
}

/** Returns the length of the whole list. */
export const countOverview = (store: Queryable, query: OverviewQuery): Promise<number> =>
  store.oneFirst(sql.type(counted)`
    with w as materialized (${windowOfReader(query.reader)})
    select count(*)::int as total ${wantedMonitors(query, { hasChecks: false, hasWindow: false })}
  `)
