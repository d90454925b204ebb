import { sql } from 'slonik'
import Type from 'typebox'
import type { FetchMethod, FetchReason } from '../../schema/run/run.ts'
import type { Queryable, Store } from '../db/client.ts'
import { row, unnest, nothing } from '../db/row.ts'
import type { DeliveryRow } from '../deliveries/delivery-row.ts'
import { keepPageTexts, type PageText } from '../runs/page-texts.ts'
import { heldOf, insertDeliveries, IS_HELD, isSent, MARK_COLUMNS, READ, RUN_COLUMNS } from './finished-check.ts'
import { andColumns, type OwnValues, PLAIN_RUNS, type RunsOfKind } from './runs-of-kind.ts'

/**
 * A finished check whose reading is compared and stored: the first one, one that differs, or one with warnings or other
 * information.
 */
export interface ReadingRun {
  readonly no: number
  readonly fence: number
  readonly run_id: string
  readonly start_offset_ms: number
  readonly duration_ms: number
  readonly fetch_method: FetchMethod | null
  readonly fetch_reason: FetchReason | null
  /** The page was rendered without its media. Null or absent: with them, or not at all. */
  readonly without_media?: boolean | null
  readonly etag: string | null
  readonly last_modified: string | null
  readonly body_hash: Buffer | null
  /** Null: the next reading is compared with this one in any case, even when it is equal. */
  readonly reading_hash: Buffer | null
  /** JSON text of the values. Null: the kind has its own columns for what is read. */
  readonly extracted: string | null
  /** JSON text of the fields that are missing (worker/record/judge.ts). Null: none. */
  readonly missing: string | null
  /** JSON text of the items of lists that are empty since a moment. Null: none. */
  readonly lists: string | null
  /** How many readings in a row, this one included, had only empty fields. Null: this one has a value. */
  readonly empty: number | null
  /** The layers whose last reading equals this one, as bits. */
  readonly read_by: number
  /** JSON text of what the other layers last read otherwise (worker/record/by-layer.ts). Null: nothing. */
  readonly layers: string | null
  /** JSON text of what the baseline keeps in place of `extracted`. Absent or null: `extracted`, where it has one. */
  readonly kept?: string | null
  /** The run that has the same values, which this one refers to. Absent or null: it has its own. */
  readonly reading_id?: string | null
  /** This run stores the values of the next baseline. Absent: it does. */
  readonly is_reading?: boolean
  readonly own?: OwnValues
  /** JSON text of the diff; null when nothing was compared or nothing differs. */
  readonly diff: string | null
  /** JSON text of what lists show of the difference (core/overview/run-change.ts). Absent or null: nothing differs. */
  readonly change?: string | null
  /** JSON text of what lists show of the monitor from now on. Absent or null: what they show already. */
  readonly summary?: string | null
  readonly warnings: string | null
  /** It fired, whether or not there is a destination. */
  readonly fired: boolean
  /** The readable text of a whole page; absent or null: there is none. */
  readonly text?: PageText | null
  /** Its deliveries: rows of the outbox, written in the same statement. */
  readonly deliveries: readonly DeliveryRow[]
}

const recorded = row({ no: Type.Integer() })

const COLUMNS = {
  ...RUN_COLUMNS,
  ...MARK_COLUMNS,
  reading_hash: 'bytea',
  extracted: 'json',
  missing: 'json',
  lists: 'json',
  empty: 'int2',
  read_by: 'int2',
  layers: 'json',
  kept: 'json',
  reading_id: 'uuid',
  is_reading: 'bool',
  diff: 'json',
  change: 'json',
  summary: 'json',
  warnings: 'json',
  fired: 'bool',
  triggered: 'bool',
  held: 'text',
  text_key: 'bytea',
  text_before: 'bytea',
} as const

/**
 * Records readings: check, baseline, run and outbox in one statement under the fence. A change is therefore stored
 * completely, with its deliveries, or not at all. Returns the numbers that were recorded.
 */
export async function recordReadings(
  store: Queryable,
  runs: readonly ReadingRun[],
  of: RunsOfKind = PLAIN_RUNS,
): Promise<ReadonlySet<number>> {
  const readings = runs.map(({ text, own, ...run }) => {
    const texts = { text_key: text?.key ?? null, text_before: text?.before ?? null }
    return {
      is_reading: true,
      ...run,
      ...texts,
      ...own,
      triggered: run.deliveries.some(isSent),
      held: heldOf(run.deliveries),
    }
  })
  if (runs.some(({ text }) => text)) await keepPageTexts(store, runs)
  const rows = await store.any(sql.prepared(`record_readings${of.name}`, recorded)`
    with t as materialized (select clock() as at),
    input as materialized (
      select * from ${unnest('i', readings, { ...COLUMNS, ...of.columns })}
    ),
    moved as (
      update checks c
      set ${READ}, reading_id = case when i.is_reading then i.run_id else c.reading_id end,
        last_change_id = case when i.change is not null then i.run_id else c.last_change_id end,
        reading_hash = nullif(i.reading_hash, ''), read_by = i.read_by${of.ended}
      from input i, t
      where ${IS_HELD}
      returning c.no, c.team_id, i.run_id
    ),
    kept as (
      insert into baselines (no, team_id, extracted, missing, lists, empty, text_key, layers, summary)
      select m.no, m.team_id, coalesce(i.kept, i.extracted), i.missing, i.lists, i.empty,
        nullif(i.text_key, ''), i.layers, i.summary
      from moved m join input i on i.no = m.no
      where i.kept is not null or i.extracted is not null
      on conflict (no) do update
      set extracted = excluded.extracted, missing = excluded.missing, lists = excluded.lists, empty = excluded.empty,
        text_key = excluded.text_key, layers = excluded.layers,
        summary = coalesce(excluded.summary, baselines.summary)
    ),
    inserted as (
      insert into runs (
        monitor_no, id, team_id, start_offset_ms, duration_ms, status, fetch_method, fetch_reason,
        without_media, fired, delivery_triggered, held, reading_id, extracted, diff, change, warnings,
        text_before, text_after${andColumns(of)})
      select i.no, i.run_id, m.team_id, i.start_offset_ms, i.duration_ms, 'success', i.fetch_method, i.fetch_reason,
        i.without_media, i.fired, i.triggered, i.held, i.reading_id, i.extracted, i.diff, i.change, i.warnings,
        case when i.diff is not null and i.text_key <> '' then nullif(i.text_before, '') end,
        case when i.diff is not null and i.text_before <> '' then nullif(i.text_key, '') end${andColumns(of, 'i')}
      from moved m join input i on i.no = m.no
    ),
    sent as (
      ${insertDeliveries(runs)}
    )
    select no from moved
  `)
  return new Set(rows.map(({ no }) => no))
}

/** Creates the partitions of `runs` for the current month and for the month three days ahead. Cheap when they exist. */
export async function ensureRunPartitions(store: Store): Promise<void> {
  await store.query(
    sql.type(nothing)`select ensure_run_partition(clock()), ensure_run_partition(clock() + interval '3 days')`,
  )
}

/**
 * Creates the partitions for the months of these runs. After a jump of the clock, a run may belong to a month that
 * maintenance has not prepared.
 */
export async function ensurePartitionsOf(store: Store, runIds: readonly string[]): Promise<void> {
  await store.query(sql.type(nothing)`
    select ensure_run_partition(month)
    from (
      select distinct date_trunc('month', run_id_time(id), 'UTC') as month
      from unnest(${sql.array([...runIds], 'uuid')}) as r (id)
      order by month
    ) months`)
}

/**
 * SQLSTATE of an insert for which no partition exists. A failed check constraint has the same SQLSTATE; creating
 * partitions does no harm then.
 */
export const NO_PARTITION = '23514'
