import { sql } from 'slonik'
import Type from 'typebox'
import type { Mute } from '../../schema/monitor/mute.ts'
import { MUTE_LEVEL } from '../../schema/monitor/mute.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Queryable, Transaction } from '../db/client.ts'
import { row } from '../db/row.ts'
import { type OverviewQuery, wantedMonitors, windowOfReader } from '../overview/wanted-monitors.ts'
import { Stored } from './kinds/monitor-row.ts'

const found = row({ no: Type.Integer(), id: Type.String() })

/** Returns the monitors that filters leave, in the order of their numbers, at most so many. */
export const listMatching = (store: Queryable, query: OverviewQuery, most: number) =>
  store.any(sql.type(found)`
    with w as materialized (${windowOfReader(query.reader)})
    select m.no, m.id ${wantedMonitors(query, { hasChecks: false, hasWindow: false })}
    order by m.no
    limit ${most}
  `)

const muted = row({ no: Type.Integer(), id: Type.String(), name: Type.String(), kind: Stored<MonitorKind>() })

/**
 * Does the same as `setMute` for many monitors of the team. Without a mute only those are changed that have one.
 * Returns those that were changed, in no order.
 */
export const setMutes = (
  tx: Transaction,
  { teamId, nos, mute }: { readonly teamId: string; readonly nos: readonly number[]; readonly mute: Mute | null },
) =>
  tx.any(sql.type(muted)`
    with named as materialized (
      -- As every edit, which locks the monitor before its check: so neither waits for the other.
      select m.no, m.id, m.name, m.kind from monitors m
      where m.no = any(${sql.array([...nos], 'int8')}) and m.team_id = ${teamId}::uuid and m.deleted_at is null
      order by m.no
      for update
    ),
    locked as materialized (
      select n.*, greatest(c.level, ${mute ? MUTE_LEVEL : 1}::smallint) as level
      from named n join checks c on c.no = n.no
      where (${mute !== null} or c.mute is not null)
      order by c.no
      for update of c
    )
    update checks c
    set mute = ${mute && JSON.stringify(mute)}::json, level = n.level,
      fence = c.fence + case when n.level > c.level then 1 else 0 end,
      holder = case when n.level > c.level then null else c.holder end,
      due_at = case when n.level > c.level and c.run_id is not null then clock() else c.due_at end
    from locked n
    where c.no = n.no
    returning c.no, n.id, n.name, n.kind
  `)
