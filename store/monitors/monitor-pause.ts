import { sql } from 'slonik'
import type { Transaction } from '../db/client.ts'
import { WAS_FAILING } from '../queue/finished-check.ts'
import type { KindTable } from './kinds/kind-table.ts'
import type { EveryRow } from './kinds/monitor-row.ts'

/** Stops a monitor's schedule. A check in progress keeps its lease, and a queued run stays queued: both still run. */
export async function stopSchedule<Row extends EveryRow>(
  tx: Transaction,
  no: number,
  { columns, row }: KindTable<unknown, Row>,
): Promise<Row> {
  return tx.one(sql.type(row)`
    with m as (update monitors set paused = true where no = ${no} returning *),
    c as (
      update checks
      set next_run_at = null,
        due_at = case when run_id is not null or queued_run_id is not null then due_at end
      where no = ${no}
      returning *
    )
    select ${columns} from m join c on c.no = m.no
  `)
}

/**
 * Starts the schedule again, of a monitor that no manifest suspends any more: with a run at once, and with the count of
 * failures at 0, so that the status is `active`.
 */
export async function startSchedule<Row extends EveryRow>(
  tx: Transaction,
  no: number,
  { columns, row }: KindTable<unknown, Row>,
): Promise<Row> {
  return tx.one(sql.type(row)`
    with t as (select clock() as at),
    m as (update monitors set paused = false, suspended = false where no = ${no} returning *),
    c as (
      update checks c
      set next_run_at = t.at, was_failing = ${WAS_FAILING}, failures = 0,
        due_at = case when c.run_id is not null then c.due_at else t.at end
      from t
      where c.no = ${no}
      returning c.*
    )
    select ${columns} from m join c on c.no = m.no
  `)
}
