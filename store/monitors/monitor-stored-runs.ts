import Type, { type Static } from 'typebox'
import { sql } from 'slonik'
import type { Values } from '../../schema/shape/json.ts'
import type { Diff } from '../../schema/run/run.ts'
import type { Queryable } from '../db/client.ts'
import { retentionCutoff } from '../quota/pool.ts'
import { rowOf } from '../db/row.ts'

/** A stored run that found a difference. */
const StoredChange = Type.Object({
  id: Type.String(),
  start_offset_ms: Type.Integer(),
  delivery_triggered: Type.Boolean(),
  extracted: Type.Unsafe<Values>({}),
  diff: Type.Unsafe<Diff>({}),
  /** The number of changes up to the limit, including those that were left out because of their size. */
  found: Type.Integer(),
})
export type StoredChange = Static<typeof StoredChange>
const storedChange = rowOf(StoredChange)

/** The filter of a list of changes. */
interface ChangesQuery {
  readonly teamId: string
  readonly monitorNo: number
  readonly limit: number
  /** Limit for all readings together. The first one is returned even when it is larger. */
  readonly maxBytes: number
}

/** Returns the most recent changes of a monitor inside the retention window, newest first. */
export async function listChanges(store: Queryable, query: ChangesQuery): Promise<readonly StoredChange[]> {
  const { teamId, monitorNo, limit, maxBytes } = query
  return store.any(sql.prepared('list_changes', storedChange)`
    select id, start_offset_ms, delivery_triggered, extracted, diff, found
    from (
      select r.*, sum(octet_length(extracted::text)) over (order by id desc) - octet_length(extracted::text) as
        bytes_before,
        count(*) over () as found
      from (
        select id, start_offset_ms, delivery_triggered, extracted, diff
        from runs
        where monitor_no = ${monitorNo} and team_id = ${teamId}::uuid and id >= run_id_floor(${retentionCutoff(teamId)})
          and diff is not null and extracted is not null
        order by id desc
        limit ${limit}
      ) r
    ) sized
    where bytes_before < ${maxBytes}
    order by id desc
  `)
}
