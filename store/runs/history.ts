import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import { type HistoryQuery, MAX_HISTORY } from '../../schema/run/history.ts'
import type { RunFaultCode } from '../../schema/run/run-fault.ts'
import type { Queryable } from '../db/client.ts'
import { row, rowOf } from '../db/row.ts'
import { isMonitor } from '../monitors/is-monitor.ts'
import type { SeriesTable } from './series-table.ts'
import { seriesWindow } from './series-window.ts'

/** Rows of the first statement, and of the largest one. */
const [FIRST_ROWS, MOST_ROWS] = [50, 500]
/** Bytes of values with which a batch ends before. */
const BATCH_BYTES = 4_000_000

const historyHead = row({
  no: Type.Integer(),
  first_id: Type.String(),
  end_id: Type.String(),
  /** The values of the newest run that has some, as the text of JSON. Null: there is none. */
  newest: Type.Union([Type.String(), Type.Null()]),
})

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

type HistoryTable = Pick<SeriesTable, 'history'>

/** Returns where the history of a monitor lies, within the plan's window. Null: there is no such monitor. */
export async function findHistory(
  store: Queryable,
  { teamId, monitorId, kind, from, to }: HistoryOf,
  { history }: HistoryTable,
) {
  return store.maybeOne(sql.type(historyHead)`
    with m as materialized (
      select m.no, ${seriesWindow({ teamId, from, to })}
      from monitors m where ${isMonitor(teamId, monitorId, kind)}
    )
    select m.no, m.first_id, m.end_id, (
      select ${history.values}::text from runs s
      where s.monitor_no = m.no and s.id >= m.first_id and s.id < m.end_id and s.reading_id is null
        and s.status = 'success'
      order by s.id desc limit 1
    ) as newest
    from m
  `)
}

/** Returns the runs that did not find the same values again, the newest first, in batches of bounded size. */
export async function* readHistory(
  store: Queryable,
  { no, first_id, end_id }: NonNullable<Awaited<ReturnType<typeof findHistory>>>,
  { history }: HistoryTable,
): AsyncGenerator<readonly StoredHistory[], void, void> {
  let [before, limit] = [end_id, FIRST_ROWS]
  for (let left = MAX_HISTORY; left > 0;) {
    const batch = await store.any(sql.type(storedHistory)`
      select s.id, s.start_offset_ms + s.duration_ms as ended_ms, s.status::text as status,
        coalesce(s.delivery_triggered or s.fired, s.fired) as fired,
        case when s.status = 'error' then coalesce(s.error_code, 'internal') end as error_code,
        case when s.status = 'success' then ${history.values}::text end as values
      from (
        select s.*, sum(${history.bytes}) over (order by s.id desc) as bytes,
          row_number() over (order by s.id desc) as nth
        from (
          select s.* from runs s
          where s.monitor_no = ${no} and s.id >= ${first_id}::uuid and s.id < ${before}::uuid and ${history.isRow}
          order by s.id desc limit ${Math.min(left, limit)}
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
    // Rows beyond the bytes of a batch are measured in vain: where values are large, the next one asks for fewer.
    limit = Math.min(MOST_ROWS, 2 * batch.length)
  }
}
