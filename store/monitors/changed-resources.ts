import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'

const finishedRow = row({
  kind: Type.String(),
  namespace: Type.String(),
  name: Type.String(),
  last_run_at: Type.String(),
})

/**
 * Returns the resources of a cluster whose records had a run since this instant; null: in the last hour. Asking with
 * the newest instant of the last answer, less an overlap, misses none: runs are recorded in batches, a little after
 * they end.
 */
export async function finishedSince(store: Queryable, clusterId: string, since: string | null) {
  return store.any(sql.prepared('finished_since', finishedRow)`
    select r.kind, r.namespace, r.name, c.last_run_at
    from monitor_resources r join checks c on c.no = r.no
    where r.cluster_id = ${clusterId}
      and c.last_run_at > coalesce(${since}::timestamptz, clock() - interval '1 hour')
  `)
}

const restingRow = row({
  kind: Type.String(),
  namespace: Type.String(),
  name: Type.String(),
  why: Type.String(),
})

/** Returns the resources of a cluster that have destinations which take no messages, and since when. */
export async function failedDeliveries(store: Queryable, clusterId: string) {
  return store.any(sql.prepared('failed_deliveries', restingRow)`
    select r.kind, r.namespace, r.name, string_agg(concat(x.target_key, x.since), ' ' order by x.target_key) as why
    from dead_destinations x join monitor_resources r on r.no = x.monitor_no
    where r.cluster_id = ${clusterId}
    group by r.kind, r.namespace, r.name
  `)
}

/**
 * Returns the resources of a cluster whose records do not run for a reason that no run and no manifest shows, and the
 * reason: somebody paused them, the plan does not allow them, or the team has used its runs.
 */
export async function restingRecords(store: Queryable, clusterId: string) {
  return store.any(sql.prepared('resting_records', restingRow)`
    select r.kind, r.namespace, r.name, concat_ws(' ', m.paused, m.locked, u.is_used_up) as why
    from monitor_resources r
    join monitors m on m.no = r.no and m.deleted_at is null
    join team_usage u on u.team_id = m.team_id
    where r.cluster_id = ${clusterId} and (m.paused or m.locked or u.is_used_up)
  `)
}
