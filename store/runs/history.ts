import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import { type HistoryQuery, MAX_HISTORY } from '../../schema/run/history.ts'
import type { RunFaultCode } from '../../schema/run/run-fault.ts'
import type { Queryable } from '../db/client.ts'
import { jsonBytes } from '../db/listed-bytes.ts'
import { row, rowOf } from '../db/row.ts'
import { isMonitor } from '../monitors/is-monitor.ts'
import { retentionCutoff } from '../quota/pool.ts'
import type { SeriesTable } from './series-table.ts'

/** Rows of one statement, and the bytes of values with which it ends before. */
const BATCH = 500
const BATCH_BYTES = 4_000_000

const historyHead = row({ no: Type.Integer(), first_id: Type.String(), end_id: Type.String() })

const StoredHistory = Type.Object({
  id: Type.String(),
  ended_ms: Type.Integer(),
  status: Type.Unsafe<'success' | 'error' | 'skipped'>({ type: 'string' }),
  fired: Type.Union([Type.Boolean(), Type.Null()]),
  error_code: Type.Unsafe<RunFaultCode | null>({}),
  /** The values as the text of JSON. Null: the run has none. */
  values: Type.Union([Type.String(), Type.Null()]),
})
/** A run that did not find the same values again. */
export type StoredHistory = Static<typeof StoredHistory>
const storedHistory = rowOf(StoredHistory)

interface HistoryOf extends HistoryQuery {
  readonly teamId: string
  readonly monitorId: string
  readonly kind: MonitorKind
}

/** Returns where the history of a monitor lies, within the plan's window. Null: there is no such monitor. */
export async function findHistory(store: Queryable, { teamId, monitorId, kind, from, to }: HistoryOf) {
  return store.maybeOne(sql.type(historyHead)`
    select m.no, run_id_floor(greatest(${from ?? null}::timestamptz, ${retentionCutoff(teamId)})) as first_id,
      run_id_floor(greatest(least(${to ?? null}::timestamptz, clock() + interval '1 s'), 'epoch')) as end_id
    from monitors m where ${isMonitor(teamId, monitorId, kind)}
  `)
}

/** Returns the runs that did not find the same values again, the newest first, in batches of bounded size. */
export async function* readHistory(
  store: Queryable,
  { no, first_id, end_id }: NonNullable<Awaited<ReturnType<typeof findHistory>>>,
  table: Pick<SeriesTable, 'history'>,
): AsyncGenerator<readonly StoredHistory[], void, void> {
  let before = end_id
  for (let left = MAX_HISTORY; left > 0;) {
    const batch = await store.any(sql.type(storedHistory)`
      select s.id, s.start_offset_ms + s.duration_ms as ended_ms, s.status::text as status,
        coalesce(s.delivery_triggered or s.fired, s.fired) as fired,
        case when s.status = 'error' then coalesce(s.error_code, 'internal') end as error_code,
        case when s.status = 'success' then ${table.history}::text end as values
      from (
        select s.*, sum(${jsonBytes(sql.fragment`s.extracted`)} + ${jsonBytes(sql.fragment`s.organic_results`)})
          over (order by s.id desc) as bytes, row_number() over (order by s.id desc) as nth
        from (
          select s.* from runs s
          where s.monitor_no = ${no} and s.id >= ${first_id}::uuid and s.id < ${before}::uuid and s.reading_id is null
          order by s.id desc limit ${Math.min(left, BATCH)}
        ) s
      ) s
      where s.bytes <= ${BATCH_BYTES} or s.nth = 1
      order by s.id desc
    `)
    const last = batch.at(-1)
    if (!last) return
    yield batch
    left -= batch.length
    before = last.id
  }
}
