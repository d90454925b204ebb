import { sql } from 'slonik'
import Type from 'typebox'
import { idBefore, runIdMonitor } from '../../core/run-id.ts'
import type { Queryable } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { storedRun } from '../runs/stored-runs.ts'
import { isOf, type Reader, seenOfAll } from './seen-until.ts'

const found = row({ no: Type.Integer() })

/** Returns the number of the monitor of a stored run of the team. Null: there is no such run. */
const monitorOfRun = (store: Queryable, teamId: string, runId: string): Promise<number | null> =>
  store.maybeOneFirst(sql.type(found)`
    select m.no from monitors m
    where m.no = ${runIdMonitor(runId)} and m.team_id = ${teamId}::uuid and m.deleted_at is null
      and exists (${storedRun(sql.fragment`m.no`, sql.fragment`${runId}::uuid`)})
  `)

/** Returns whether there is a stored run of the team with this id. */
export const isRunOf = async (store: Queryable, teamId: string, runId: string): Promise<boolean> =>
  (await monitorOfRun(store, teamId, runId)) !== null

/** Marks the changes of every monitor of the team up to a run as seen. Returns false when there is no such run. */
export async function markAllSeen(store: Queryable, reader: Reader, until: string): Promise<boolean> {
  const { teamId, userId } = reader
  if ((await monitorOfRun(store, teamId, until)) === null) return false
  await store.query(sql.type(nothing)`
    with marked as (
      insert into seen_marks (team_id, user_id, monitor_no, seen_id)
      values (${teamId}, ${userId}::uuid, null, greatest(${until}::uuid, ${seenOfAll(reader)}))
      on conflict (team_id, user_id, monitor_no) do update
      set seen_id = greatest(seen_marks.seen_id, excluded.seen_id)
    ),
    older as (
      select ctid from seen_marks
      where team_id = ${teamId}::uuid and ${isOf(sql.fragment`user_id`, userId)} and monitor_no is not null
        and seen_id <= ${until}::uuid
      -- In the order in which marks are set for many.
      order by monitor_no
      for update
    )
    delete from seen_marks where ctid = any(array(select ctid from older))
  `)
  return true
}

/**
 * Marks the changes of these monitors up to a run as seen. Returns what there is not, or null: nothing is marked
 * unless there is all of it.
 */
export async function markSeen(
  store: Queryable,
  reader: Reader,
  { until, monitorIds }: { readonly until: string; readonly monitorIds: readonly string[] },
): Promise<'run' | 'monitor' | null> {
  const { teamId, userId } = reader
  if ((await monitorOfRun(store, teamId, until)) === null) return 'run'
  const ids = [...new Set(monitorIds.map((id) => id.toLowerCase()))]
  const marked = await store.any(sql.type(found)`
    with wanted as materialized (
      select m.no from monitors m
      where m.id = any(${sql.array(ids, 'uuid')}) and m.team_id = ${teamId}::uuid and m.deleted_at is null
    )
    insert into seen_marks (team_id, user_id, monitor_no, seen_id)
    select ${teamId}::uuid, ${userId}::uuid, no, greatest(${until}::uuid, ${seenOfAll(reader)})
    from wanted
    where (select count(*) from wanted) = ${ids.length}
    order by no
    on conflict (team_id, user_id, monitor_no) do update
    set seen_id = greatest(seen_marks.seen_id, excluded.seen_id)
    returning monitor_no as no
  `)
  return marked.length === ids.length ? null : 'monitor'
}

/** Sets the mark of a run's monitor before that run. Returns false when there is no such run. */
export async function markUnseen(store: Queryable, { teamId, userId }: Reader, runId: string): Promise<boolean> {
  const no = await monitorOfRun(store, teamId, runId)
  if (no === null) return false
  await store.query(sql.type(nothing)`
    insert into seen_marks (team_id, user_id, monitor_no, seen_id)
    values (${teamId}, ${userId}::uuid, ${no}, ${idBefore(runId)})
    on conflict (team_id, user_id, monitor_no) do update
    set seen_id = least(seen_marks.seen_id, excluded.seen_id)
  `)
  return true
}
