import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { SerpCheck } from '../../schema/serp/serp-check.ts'
import type { SerpResult } from '../../schema/serp/serp-result.ts'
import type { Queryable } from '../db/client.ts'
import { rowOf } from '../db/row.ts'
import { retentionCutoff } from '../quota/pool.ts'
import { type Batch, type NewestQuery, readNewest } from './newest-runs.ts'

/** A stored run with its results: they differ from those before, or are the first ones of a month. */
const StoredResults = Type.Object({
  id: Type.String(),
  start_offset_ms: Type.Integer(),
  fired: Type.Union([Type.Boolean(), Type.Null()]),
  delivery_triggered: Type.Boolean(),
  /** The results could be compared, and differed in what lists show. */
  is_change: Type.Boolean(),
  results: Type.Unsafe<readonly SerpResult[]>({}),
  serp_check: Type.Unsafe<SerpCheck | null>({}),
  bytes: Type.Integer(),
  found: Type.Integer(),
})
export type StoredResults = Static<typeof StoredResults>
const storedResults = rowOf(StoredResults)

/** Returns the most recent runs of a search that stored results, inside the retention window, newest first. */
export const readResults = (store: Queryable, query: Omit<NewestQuery, 'days'>) =>
  readNewest(query, (batch) => readBatch(store, query, batch))

const readBatch = (store: Queryable, { teamId, monitorNo }: Omit<NewestQuery, 'days'>, { before, size, most }: Batch) =>
  store.any(sql.prepared('list_results', storedResults)`
    select id, start_offset_ms, fired, delivery_triggered, is_change, results, serp_check, bytes, found
    from (
      select r.*, sum(bytes) over (order by id desc) - bytes as bytes_before, count(*) over () as found
      from (
        select id, start_offset_ms, fired, delivery_triggered, change is not null as is_change,
          organic_results as results, serp_check, octet_length(organic_results::text) as bytes
        from runs
        where monitor_no = ${monitorNo} and team_id = ${teamId}::uuid and id >= run_id_floor(${retentionCutoff(teamId)})
          and id < ${before}::uuid and organic_results is not null and status = 'success'
        order by id desc
        limit ${size}
      ) r
    ) sized
    where bytes_before < ${Math.max(1, most)}
    order by id desc
  `)
