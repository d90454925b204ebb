import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'
import { retentionCutoff } from '../quota/pool.ts'
import { isAny, isKeptOf, storedRuns } from '../runs/stored-runs.ts'

/** Which stored runs are read. */
export interface NewestQuery {
  readonly teamId: string
  readonly monitorNo: number
  /** Only those of the last so many days. Absent or null: all that are kept. */
  readonly days?: number | null
  /** The most runs, at least one. */
  readonly limit: number
  /** When the values so far have this many bytes, no further ones are read. */
  readonly maxBytes: number
  /** Ends the reading behind the batch under way: the list is then cut. */
  readonly signal?: AbortSignal | undefined
}

/** A run that is read in a batch. */
interface Sized {
  readonly id: string
  /** Bytes of its values. */
  readonly bytes: number
  /** The number of runs of the batch, including those that were left out because of their size. */
  readonly found: number
}

/** Runs that are read while one goes over them. */
interface Newest<Run> extends AsyncIterable<Run> {
  /** There are runs that were not read. */
  readonly isCut: boolean
}

/** The runs that one statement reads. */
export interface Batch {
  /** The id of the run before it. */
  readonly before: string
  readonly size: number
  /** The most bytes of values, but for the first run. */
  readonly most: number
}

/** A statement reads at most so many, so that it takes a fraction of a second whatever their size. */
const BATCH = 25
/** Limit for the values of a batch, which are in memory together. As objects they can take thirty times as much. */
const BATCH_BYTES = 1024 * 1024

/** Reads runs in batches, newest first. */
export function readNewest<Run extends Sized>(
  { limit, maxBytes, signal }: NewestQuery,
  readBatch: (batch: Batch) => Promise<readonly Run[]>,
): Newest<Run> {
  let isCut = true
  return {
    get isCut() {
      return isCut
    },
    async *[Symbol.asyncIterator]() {
      let [count, bytes, room, before] = [0, 0, BATCH, LAST_ID]
      while (!signal?.aborted) {
        const isFull = count >= limit || bytes >= maxBytes
        // One more shows whether there are older ones.
        const size = isFull ? 1 : Math.min(room, limit - count)
        const batch = await readBatch({ before, size, most: Math.min(BATCH_BYTES, maxBytes - bytes) })
        const found = batch[0]?.found ?? 0
        if (isFull) return void (isCut = found > 0)
        yield* batch
        count += batch.length
        bytes += batch.reduce((sum, run) => sum + run.bytes, 0)
        before = batch.at(-1)?.id ?? before
        if (batch.length === found && found < size) return void (isCut = false)
        // The next batch reads again the rows that this one left out.
        room = batch.length < found ? batch.length : BATCH
      }
    },
  }
}

/** Behind the id of every run. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Returns the instant from which on runs are read. */
export const since = (teamId: string, days: number | null) =>
  sql.fragment`greatest(${retentionCutoff(teamId)}, clock() - make_interval(days => ${days}::int))`

const kept = row({
  from_at: Type.String(),
  /** When the oldest run was claimed, and how much later it began. Null: there is none. */
  oldest_id: Type.Union([Type.String(), Type.Null()]),
  oldest_offset_ms: Type.Union([Type.Integer(), Type.Null()]),
})

/** Returns from when on runs are read, and the oldest run of the monitor that is kept. */
export const findKept = (
  store: Queryable,
  { teamId, monitorNo, days = null }: Pick<NewestQuery, 'teamId' | 'monitorNo' | 'days'>,
) =>
  store.one(sql.prepared('kept_runs', kept)`
    select ${since(teamId, days)} as from_at, oldest.id as oldest_id, oldest.start_offset_ms as oldest_offset_ms
    from (select) always
    left join lateral (
      ${storedRuns({
        no: sql.fragment`${monitorNo}::bigint`,
        isAbove: isKeptOf(teamId),
        isBelow: isAny,
        direction: 'asc',
        limit: sql.fragment`1`,
      })}
    ) oldest on true
  `)
