import { type FragmentSqlToken as Fragment, sql } from 'slonik'
import Type from 'typebox'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'
import { isMonitor } from '../monitors/monitor-record.ts'
import { retentionCutoff } from '../quota/pool.ts'

/**
 * Conditions of the runs `s` of the monitor `m` that found a difference: of a field, for which there is an index; of
 * the pictures alone; of the results of a search, where the first ones count as a difference.
 */
const FIELDS_DIFFER = sql.fragment`s.diff is not null`
const PICTURES_DIFFER = sql.fragment`s.diff is null and v.has_changes`
const RESULTS_DIFFER = sql.fragment`m.kind = 'serp' and s.diff is null and s.organic_results is not null`

const PICTURED = sql.fragment`run_images v join runs s on s.monitor_no = v.monitor_no and s.id = v.run_id`

/** Returns the statement of stored runs of `m` that found a difference, in no order: at least the newest `reach`. */
export const changedRuns = (columns: Fragment, teamId: string, reach: ReturnType<typeof sql.literalValue>) => {
  const isKept = sql.fragment`s.monitor_no = m.no and s.id >= run_id_floor(${retentionCutoff(teamId)})`
  const newest = sql.fragment`order by s.id desc limit ${reach}`
  return sql.fragment`
    (select ${columns} from runs s where ${isKept} and ${FIELDS_DIFFER} ${newest})
    union all
    (select ${columns} from ${PICTURED} where ${isKept} and ${PICTURES_DIFFER} ${newest})
    union all
    (select ${columns} from runs s where ${isKept} and ${RESULTS_DIFFER} ${newest})`
}

const counted = row({ total: Type.Integer() })

/** Returns how many runs of a monitor found a difference; null when there is no such monitor. */
export async function countChangedRuns(
  store: Queryable,
  teamId: string,
  monitorId: string,
  kind: MonitorKind = 'page',
): Promise<number | null> {
  const isKept = sql.fragment`s.monitor_no = m.no and s.id >= run_id_floor(${retentionCutoff(teamId)})`
  return store.maybeOneFirst(sql.prepared('count_changed_runs', counted)`
    select (
      (select count(*) from runs s where ${isKept} and ${FIELDS_DIFFER})
      + (select count(*) from ${PICTURED} where ${isKept} and ${PICTURES_DIFFER})
      + (select count(*) from runs s where ${isKept} and ${RESULTS_DIFFER})
    )::int as total
    from monitors m
    where ${isMonitor(teamId, monitorId, kind)}
  `)
}
