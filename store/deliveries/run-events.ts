import { sql } from 'slonik'
import type { RunNotice } from '../../core/run-notices.ts'
import { FAILURES_UNTIL_ERROR, FAILURES_UNTIL_PAUSED, READINGS_UNTIL_NOTICE } from '../../core/schedule.ts'
import type { Queryable, Store, Transaction } from '../db/client.ts'
import { nothing, unnest } from '../db/row.ts'

/** A finished check, and the notices that it causes: in nearly all cases none. */
export interface Noticed {
  readonly no: number
  readonly run_id: string
  readonly notices: readonly RunNotice[]
}

/**
 * Records a batch. When a run in it causes a notice, the event is written in the same transaction. A crash therefore
 * loses no notice, and a record that is retried because its outcome was unknown creates no second one. A batch without
 * notices costs nothing extra. Returns true when an event may have been written.
 */
export async function recordWithNotices<T extends Noticed>(
  store: Store,
  runs: readonly T[],
  record: (on: Queryable, runs: readonly T[]) => Promise<{ has(no: number): boolean }>,
): Promise<boolean> {
  const withNotice = runs.filter(({ notices }) => notices.length > 0)
  if (withNotice.length === 0) {
    await record(store, runs)
    return false
  }
  await store.transaction(async (tx) => {
    const recorded = await record(tx, runs)
    const recordedWithNotice = withNotice.filter(({ no }) => recorded.has(no))
    if (recordedWithNotice.length > 0) await insertRunEvents(tx, recordedWithNotice)
  })
  return true
}

/** Is true for an event about the health of a monitor. Trouble is reported once, and its end only after it. */
export const isHealth = (event: 'e' | 'later') => {
  const [kind, detail] = [sql.identifier([event, 'kind']), sql.identifier([event, 'detail'])]
  return sql.fragment`(
  ${kind} in ('failing', 'recovered') or ${kind} = 'field_missing' and ${detail}->'fields' is null)`
}

/** Is true after the run of a search `i` that paused its monitor. The caller gives no other failing run to a search. */
const HAS_PAUSED_ITSELF = sql.fragment`
  (m.kind = 'serp' and i.kind = 'failing' and c.next_run_at is null and c.failures >= ${FAILURES_UNTIL_PAUSED})`

/**
 * Inserts events only when somebody wants them and the monitor is scheduled: a monitor that a user paused causes no
 * notices. A recovery is reported only when the trouble before it was, and when a field has a value. Empty fields are
 * reported only once until then. Trouble is written down for the recovery alone too, and then nobody is notified of it.
 *
 * A search that has just paused itself causes another notice. It is for the destinations: the owner has another mail
 * about the pause.
 */
export async function insertRunEvents(
  tx: Transaction,
  runs: readonly Pick<Noticed, 'no' | 'run_id' | 'notices'>[],
): Promise<void> {
  const events = runs.flatMap(({ no, run_id, notices }) =>
    notices.map(({ kind, fields }) => ({ no, run_id, kind, fields: fields && JSON.stringify(fields) })),
  )
  await tx.query(sql.type(nothing)`
    with t as (select clock() as at)
    insert into notice_events (id, team_id, monitor_no, run_id, kind, detail, key, due_at, created_at)
    select uuid_v7(t.at), c.team_id, c.no, i.run_id, i.kind, jsonb_strip_nulls(jsonb_build_object(
        'fields', i.fields, 'consecutive_failures', case when i.kind = 'failing' then c.failures end)),
      concat_ws(' ', i.kind, i.run_id, case when i.fields is not null then 'fields' end), t.at, t.at
    from t, ${unnest('i', events, { no: 'int8', run_id: 'uuid', kind: 'text', fields: 'json' })}
    join checks c on c.no = i.no
    join monitors m on m.no = c.no
    join teams team on team.id = c.team_id
    left join lateral (
      select e.kind from notice_events e where e.monitor_no = c.no and ${isHealth('e')} order by e.run_id desc limit 1
    ) last on true
    where (c.next_run_at is not null or ${HAS_PAUSED_ITSELF})
      and (i.kind = any(m.notify_on)
        or i.fields is null and not ${HAS_PAUSED_ITSELF}
          and (team.error_notifications or 'recovered' = any(m.notify_on)))
      and case
        when i.kind = 'failing' then c.failures = ${FAILURES_UNTIL_ERROR} or ${HAS_PAUSED_ITSELF}
        when i.kind = 'recovered' then last.kind in ('failing', 'field_missing')
          and not exists (select from baselines b where b.no = c.no and b.empty = ${READINGS_UNTIL_NOTICE})
        else i.fields is not null or last.kind is distinct from 'field_missing'
      end
    on conflict (key) do nothing
  `)
}
