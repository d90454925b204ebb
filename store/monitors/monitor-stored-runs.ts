import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { Diff } from '../../schema/run/run.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { Queryable } from '../db/client.ts'
import { rowOf } from '../db/row.ts'
import { retentionCutoff } from '../quota/pool.ts'

/** A stored run that found a difference. */
const StoredChange = Type.Object({
  id: Type.String(),
  start_offset_ms: Type.Integer(),
  fired: Type.Union([Type.Boolean(), Type.Null()]),
  delivery_triggered: Type.Boolean(),
  extracted: Type.Unsafe<Values>({}),
  diff: Type.Unsafe<Diff>({}),
  /** Bytes of the reading and of the difference. */
  bytes: Type.Integer(),
  /** The number of changes of the batch, including those that were left out because of their size. */
  found: Type.Integer(),
})
export type StoredChange = Static<typeof StoredChange>
const storedChange = rowOf(StoredChange)

/** The filter of a list of changes. */
interface ChangesQuery {
  readonly teamId: string
  readonly monitorNo: number
  /** The most changes, at least one. */
  readonly limit: number
  /** When the readings and differences so far have this many bytes, no further ones are read. */
  readonly maxBytes: number
  /** Ends the reading behind the batch under way: the list is then cut. */
  readonly signal?: AbortSignal | undefined
}

/** Changes that are read while one goes over them. */
interface Changes extends AsyncIterable<StoredChange> {
  /** There are changes that were not read. */
  readonly isCut: boolean
}

/** A statement reads at most so many, so that it takes a fraction of a second whatever their size. */
const BATCH = 25
/** Limit for the values of a batch, which are in memory together. As objects they can take thirty times as much. */
const BATCH_BYTES = 1024 * 1024

/** Returns the most recent changes of a monitor inside the retention window, newest first. They are read in batches. */
export function readChanges(store: Queryable, query: ChangesQuery): Changes {
  let isCut = true
  return {
    get isCut() {
      return isCut
    },
    async *[Symbol.asyncIterator]() {
      const { limit, maxBytes, signal } = query
      let [count, bytes, room, before] = [0, 0, BATCH, LAST_ID]
      while (!signal?.aborted) {
        const isFull = count >= limit || bytes >= maxBytes
        // One more shows whether there are older ones.
        const size = isFull ? 1 : Math.min(room, limit - count)
        const batch = await readBatch(store, query, { before, size, most: Math.min(BATCH_BYTES, maxBytes - bytes) })
        const found = batch[0]?.found ?? 0
        if (isFull) return void (isCut = found > 0)
        yield* batch
        count += batch.length
        bytes += batch.reduce((sum, change) => sum + change.bytes, 0)
        before = batch.at(-1)?.id ?? before
        if (batch.length === found && found < size) return void (isCut = false)
        // The next batch reads again the rows that this one left out.
        room = batch.length < found ? batch.length : BATCH
      }
    },
  }
}

interface Batch {
  /** The id of the change before it. */
  readonly before: string
  readonly size: number
  readonly most: number
}

const readBatch = (store: Queryable, { teamId, monitorNo }: ChangesQuery, { before, size, most }: Batch) =>
  store.any(sql.prepared('list_changes', storedChange)`
    select id, start_offset_ms, fired, delivery_triggered, extracted, diff, bytes, found
    from (
      select r.*, sum(bytes) over (order by id desc) - bytes as bytes_before, count(*) over () as found
      from (
        select id, start_offset_ms, fired, delivery_triggered, extracted, diff,
          octet_length(extracted::text) + octet_length(diff::text) as bytes
        from runs
        where monitor_no = ${monitorNo} and team_id = ${teamId}::uuid and id >= run_id_floor(${retentionCutoff(teamId)})
          and id < ${before}::uuid and diff is not null and extracted is not null
        order by id desc
        limit ${size}
      ) r
    ) sized
    where bytes_before < ${Math.max(1, most)}
    order by id desc
  `)

/** Behind the id of every run. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
