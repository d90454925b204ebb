import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { Diff } from '../../schema/run/run.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { Queryable } from '../db/client.ts'
import { rowOf } from '../db/row.ts'
import { poolOf, RUNS_RESET_AT } from '../quota/pool.ts'
import type { KindTable } from './kinds/kind-table.ts'

interface FailedTarget {
  readonly target_key: string
  readonly since: string
  /** The answer to the newest delivery that was given up. Null: there was none. */
  readonly response_status: number | null
}

const Null = Type.Null()
const ResultsRow = Type.Object({
  no: Type.Integer(),
  kind: Type.String(),
  failures: Type.Integer(),
  locked: Type.Boolean(),
  paused: Type.Boolean(),
  last_run_at: Type.Union([Type.String(), Null]),
  next_run_at: Type.Union([Type.String(), Null]),
  /** The team has no runs left until then. */
  no_runs_until: Type.Union([Type.String(), Null]),
  values: Type.Unsafe<Values | null>({}),
  /** Readings in a row in which every field was empty, up to three. Three: its owner was told. */
  empty_readings: Type.Union([Type.Integer(), Null]),
  change_run_id: Type.Union([Type.String(), Null]),
  changed_at: Type.Union([Type.String(), Null]),
  diff: Type.Unsafe<Diff | null>({}),
  team_id: Type.String(),
  monitor_id: Type.String(),
  /** The destinations that take no messages: one was given up, and none was taken since. Null: all take them. */
  failed: Type.Unsafe<readonly FailedTarget[] | null>({}),
  /** The sealed destinations; read only where some take no messages. */
  deliveries: Type.Unsafe<Buffer | null>({}),
  last_error: Type.Union([Type.String(), Null]),
})
/** The results of the checks of a declared record. */
export type ResultsRow = Static<typeof ResultsRow>
const resultsRow = rowOf(ResultsRow)

/** Returns the results of records of a kind by their numbers; of those that exist. */
export async function resultsOf(
  store: Queryable,
  { kind, results }: Pick<KindTable, 'kind' | 'results'>,
  all: readonly number[],
): Promise<ReadonlyMap<number, ResultsRow>> {
  if (all.length === 0) return new Map()
  const found = await store.any(sql.prepared(`results_of_${kind}`, resultsRow)`
    select c.no, c.failures, m.locked, m.paused, c.last_run_at,
      m.kind, ${results.values} as values, b.empty as empty_readings,
      case when c.next_run_at is not null then greatest(c.next_run_at, used_up.until) end as next_run_at,
      used_up.until as no_runs_until,
      m.team_id, m.id as monitor_id, failed.targets as failed,
      case when failed.targets is not null then m.deliveries end as deliveries, d.id as change_run_id,
      l.error_message as last_error,
      case when d.id is not null then ${results.change} end as diff,
      run_id_time(d.id) + make_interval(secs => (d.start_offset_ms + d.duration_ms) / 1000.0) as changed_at
    from checks c
    join monitors m on m.no = c.no and m.kind = ${kind} and m.deleted_at is null
    left join baselines b on b.no = c.no and c.reading_id is not null
    left join lateral (
      select ${RUNS_RESET_AT} as until
      from team_usage u join teams t on t.id = u.team_id ${poolOf(sql.fragment`c.queue`)}
      where u.team_id = m.team_id and c.cost > pool.remaining
    ) used_up on true
    left join lateral (
      select r.* from runs r where r.monitor_no = c.no and ${results.isChange} order by r.id desc limit 1
    ) d on true
    left join lateral (
      select json_agg(json_build_object(
        'target_key', x.target_key, 'since', x.since, 'response_status',
        -- The delivery is deleted after a while, and the destination may still take nothing then.
        case when gone.id is null then x.response_status else gone.response_status end)) as targets
      from dead_destinations x
      left join lateral (
        select v.id, v.response_status from deliveries v
        where v.monitor_no = x.monitor_no and v.target_key = x.target_key
          and v.status in ('failed', 'dead') and v.next_attempt_at is null
        order by v.created_at desc, v.id
        limit 1
      ) gone on true
      where x.monitor_no = c.no
    ) failed on true
    left join lateral (
      select error_message from runs where monitor_no = c.no and c.failures > 0 order by id desc limit 1
    ) l on true
    where c.no = any(${sql.array([...all], 'int8')})
  `)
  return new Map(found.map((one) => [one.no, one]))
}
