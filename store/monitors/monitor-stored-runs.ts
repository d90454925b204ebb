import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { Diff } from '../../schema/run/run.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { Queryable } from '../db/client.ts'
import { rowOf } from '../db/row.ts'
import { type Batch, type NewestQuery, readNewest, since } from './newest-runs.ts'

/** A stored run that found a difference. */
const StoredChange = Type.Object({
  id: Type.String(),
  start_offset_ms: Type.Integer(),
  fired: Type.Union([Type.Boolean(), Type.Null()]),
  delivery_triggered: Type.Boolean(),
  extracted: Type.Unsafe<Values>({}),
  diff: Type.Unsafe<Diff>({}),
  /** The keys of the readable texts of a whole page. Null: there are none. */
  text_before: Type.Unsafe<Buffer | null>({}),
  text_after: Type.Unsafe<Buffer | null>({}),
  /** Bytes of the reading and of the difference. */
  bytes: Type.Integer(),
  /** The number of changes of the batch, including those that were left out because of their size. */
  found: Type.Integer(),
})
export type StoredChange = Static<typeof StoredChange>
const storedChange = rowOf(StoredChange)

/** Returns the most recent changes of a monitor inside the retention window, newest first. They are read in batches. */
export const readChanges = (store: Queryable, query: NewestQuery) =>
  readNewest(query, (batch) => readBatch(store, query, batch))

const readBatch = (store: Queryable, { teamId, monitorNo, days = null }: NewestQuery, { before, size, most }: Batch) =>
  store.any(sql.prepared('list_changes', storedChange)`
    select id, start_offset_ms, fired, delivery_triggered, extracted, diff, text_before, text_after, bytes, found
    from (
      select r.*, sum(bytes) over (order by id desc) - bytes as bytes_before, count(*) over () as found
      from (
        select id, start_offset_ms, fired, delivery_triggered, extracted, diff, text_before, text_after,
          octet_length(extracted::text) + octet_length(diff::text) as bytes
        from runs
        where monitor_no = ${monitorNo} and team_id = ${teamId}::uuid and id >= run_id_floor(${since(teamId, days)})
          and id < ${before}::uuid and diff is not null and extracted is not null
        order by id desc
        limit ${size}
      ) r
    ) sized
    where bytes_before < ${Math.max(1, most)}
    order by id desc
  `)
