import { sql } from 'slonik'
import Type from 'typebox'
import type { FetchMethod, FetchReason } from '../../schema/run/run.ts'
import type { Queryable } from '../db/client.ts'
import { row, unnest } from '../db/row.ts'
import { IS_HELD, MARK_COLUMNS, READ, RUN_COLUMNS } from './finished-check.ts'

/** A finished check whose reading equals the baseline. */
export interface UnchangedRun {
  readonly no: number
  readonly fence: number
  readonly run_id: string
  readonly fetch_method: FetchMethod
  readonly fetch_reason: FetchReason | null
  /** The page was rendered without its media. Null or absent: with them, or not at all. */
  readonly without_media?: boolean | null
  /** Milliseconds from the run id's time to the start of the fetch, and from there to the end. */
  readonly start_offset_ms: number
  readonly duration_ms: number
  /** The validator that the next conditional request sends. Null: none. */
  readonly etag: string | null
  readonly last_modified: string | null
  /** Hash of the body. It differs from the baseline's hash when only parts changed that are not extracted. */
  readonly body_hash: Buffer | null
  /** The layers that read this, as a bit for each. */
  readonly read_by: number
}

const recorded = row({ no: Type.Integer() })

const COLUMNS = { ...RUN_COLUMNS, ...MARK_COLUMNS, read_by: 'int2' } as const

/**
 * Records a batch of static checks that found nothing new, in one statement. This is the hot path. Under the fence,
 * the statement moves each check to its next due time and inserts its small run. The first unchanged run of a month
 * stores the reading again, and later runs refer to it, so that a month of runs can be dropped as a whole. Returns the
 * numbers that were recorded. A number that is missing lost its fence, and nothing of it changed.
 */
export async function recordUnchanged(store: Queryable, runs: readonly UnchangedRun[]): Promise<ReadonlySet<number>> {
  const rows = await store.any(sql.prepared('record_unchanged', recorded)`
    with t as materialized (select clock() as at, run_id_floor(date_trunc('month', clock(), 'UTC')) as month),
    input as materialized (
      select * from ${unnest('i', runs, COLUMNS)}
    ),
    moved as (
      update checks c
      set ${READ}, reading_id = case when c.reading_id < t.month then i.run_id else c.reading_id end,
        -- This layer reads what the baseline has: its next reading is compared with that.
        read_by = c.read_by | i.read_by
      from input i, t
      where ${IS_HELD}
      returning c.no, c.team_id, c.reading_id
    ),
    inserted as (
      insert into runs (
        monitor_no, id, team_id, reading_id, start_offset_ms, duration_ms, status, fetch_method, fetch_reason,
        without_media, fired, extracted)
      select i.no, i.run_id, m.team_id, nullif(m.reading_id, i.run_id), i.start_offset_ms, i.duration_ms, 'success',
        i.fetch_method, i.fetch_reason, i.without_media, false,
        case when m.reading_id = i.run_id then (select extracted from baselines b where b.no = i.no) end
      from moved m join input i on i.no = m.no
    )
    select no from moved
  `)
  return new Set(rows.map(({ no }) => no))
}
