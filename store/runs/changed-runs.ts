import { type FragmentSqlToken as Fragment, sql } from 'slonik'
import Type from 'typebox'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'
import { isMonitor } from '../monitors/is-monitor.ts'
import { retentionCutoff } from '../quota/pool.ts'

/**
 * Returns the sources of the stored runs `s` of the monitor `m` that found a difference: of a field, for which there is
 * an index; of the pictures alone; of the results of a search, where the first ones count as a difference.
 */
export function changedSources(teamId: string): readonly Fragment[] {
  const isKept = sql.fragment`s.monitor_no = m.no and s.id >= run_id_floor(${retentionCutoff(teamId)})`
  return [
    sql.fragment`runs s where ${isKept} and s.diff is not null`,
    sql.fragment`run_images v join runs s on s.monitor_no = v.monitor_no and s.id = v.run_id
      where ${isKept} and s.diff is null and v.has_changes`,
    sql.fragment`runs s where ${isKept} and m.kind = 'serp' and s.diff is null and s.organic_results is not null`,
  ]
}

/** Returns the statement of stored runs of `m` that found a difference, in no order: at least the newest `reach`. */
export const changedRuns = (columns: Fragment, teamId: string, reach: ReturnType<typeof sql.literalValue>) =>
  sql.fragment`${sql.join(
    changedSources(teamId).map(
      (from) => sql.fragment`(select ${columns} from ${from} order by s.id desc limit ${reach})`,
    ),
    sql.fragment` union all `,
  )}`

const counted = row({ total: Type.Integer() })

/** Returns how many runs of a monitor found a difference; null when there is no such monitor. */
export async function countChangedRuns(
  store: Queryable,
  teamId: string,
  monitorId: string,
  kind: MonitorKind,
): Promise<number | null> {
  const counts = changedSources(teamId).map((from) => sql.fragment`(select count(*) from ${from})`)
  return store.maybeOneFirst(sql.prepared('count_changed_runs', counted)`
    select (${sql.join(counts, sql.fragment` + `)})::int as total
    from monitors m
    where ${isMonitor(teamId, monitorId, kind)}
  `)
}
