import { sql } from 'slonik'
import type { Mute } from '../../schema/monitor/mute.ts'
import type { Transaction } from '../db/client.ts'
import type { KindTable } from './kinds/kind-table.ts'
import type { EveryRow } from './kinds/monitor-row.ts'

/** The mute and the level of a check from now on. */
interface MuteWanted {
  readonly no: number
  /** Null: it is not muted. */
  readonly mute: Mute | null
  readonly level: number
}

/**
 * Mutes a monitor that the transaction has locked, or ends its mute. A check in progress starts over when the level
 * rises: it may be at a process that knows no mute.
 */
export async function setMute<Row extends EveryRow>(
  tx: Transaction,
  { no, mute, level }: MuteWanted,
  { columns, row }: KindTable<unknown, Row>,
): Promise<Row> {
  return tx.one(sql.type(row)`
    with n as (select ${level}::smallint as level),
    c as (
      update checks c
      set mute = ${mute && JSON.stringify(mute)}::json, level = n.level,
        fence = c.fence + case when n.level > c.level then 1 else 0 end,
        holder = case when n.level > c.level then null else c.holder end,
        due_at = case when n.level > c.level and c.run_id is not null then clock() else c.due_at end
      from n
      where c.no = ${no}
      returning c.*
    )
    select ${columns} from c join monitors m on m.no = c.no
  `)
}
