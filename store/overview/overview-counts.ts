import { sql } from 'slonik'
import Type from 'typebox'
import { MAX_COUNTED_LABELS, type OverviewCounts } from '../../schema/overview/overview.ts'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'
import { statusOf } from '../monitors/monitor-status.ts'
import {
  IS_FAILING,
  IS_UNSEEN,
  LAST_RUN,
  type OverviewQuery,
  wantedMonitors,
  windowOfReader,
} from './wanted-monitors.ts'

const counted = row({ counts: Type.Unsafe<OverviewCounts>({}) })

/** Returns how many monitors each filter would leave. One statement. */
export function countFilters(store: Queryable, query: OverviewQuery): Promise<OverviewCounts> {
  const most = sql.literalValue(String(MAX_COUNTED_LABELS))
  return store.oneFirst(sql.type(counted)`
    with w as materialized (${windowOfReader(query.reader)}),
    listed as materialized (
      select m.no, m.kind, m.managed_by, m.labels, ${statusOf(query.kinds)} as status, ${IS_FAILING} as is_failing,
        ${IS_UNSEEN} as is_unseen
      ${wantedMonitors(query, { hasChecks: true, hasWindow: true })}
    ),
    summed as (
      select count(*) as total, count(*) filter (where is_unseen) as unseen,
        count(*) filter (where is_failing) as failing, count(*) filter (where managed_by <> 'api') as locked
      from listed
    ),
    by_error as (
      select r.error_code, count(*) as count
      from w cross join listed m ${LAST_RUN}
      where m.is_failing and r.error_code is not null
      group by r.error_code
    ),
    by_label as (
      select l.key, l.value, count(*) as count
      from listed cross join lateral jsonb_each_text(labels) l
      group by l.key, l.value
      order by count desc, l.key, l.value
      limit ${most}
    )
    select json_build_object(
      'total', total, 'unseen', unseen, 'failing', failing, 'locked', locked,
      'by_status', coalesce((
        select json_agg(json_build_object('status', status, 'count', count) order by count desc, status)
        from (select status, count(*) as count from listed group by status) s), '[]'),
      'by_kind', coalesce((
        select json_agg(json_build_object('kind', kind, 'count', count) order by count desc, kind)
        from (select kind, count(*) as count from listed group by kind) k), '[]'),
      'by_error', coalesce((
        select json_agg(json_build_object('error_code', error_code, 'count', count) order by count desc, error_code)
        from by_error), '[]'),
      'labels', coalesce((
        select json_agg(json_build_object('key', key, 'value', value, 'count', count) order by count desc, key, value)
        from by_label), '[]')) as counts
    from summed
  `)
}
