import Type from 'typebox'
import { sql } from 'slonik'
import type { Queryable } from '../db/client.ts'
import type { ListedStatus } from '../../schema/monitor/monitor.ts'
import { hasStatus, MONITOR_COLUMNS, monitorRow, type MonitorRow, nameContains } from './monitor-record.ts'
import { type Page, pageStatement } from '../db/page.ts'
import { row } from '../db/row.ts'

/**
 * Returns a page monitor of the team, or null. A monitor of another team, a deleted one and an unknown one give the
 * same result.
 */
export async function findMonitor(store: Queryable, teamId: string, id: string): Promise<MonitorRow | null> {
  return store.maybeOne(sql.prepared('find_monitor', monitorRow)`
    select ${MONITOR_COLUMNS}
    from monitors m join checks c on c.no = m.no
    where m.id = ${id}::uuid and m.team_id = ${teamId}::uuid and m.kind = 'page' and m.deleted_at is null
  `)
}

/** The filter of a list of monitors, and the page. */
interface MonitorQuery extends Page {
  readonly teamId: string
  /** True: only those with the visual layer; false: only those without; undefined: all. */
  readonly visual?: boolean | undefined
  readonly status?: ListedStatus | undefined
  /** Only those whose name contains this text, whatever its case. */
  readonly name?: string | undefined
  readonly id?: string | undefined
}

const counted = row({ total: Type.Integer() })

/** Returns a page of the team's page monitors, newest first. */
export async function listMonitors(store: Queryable, query: MonitorQuery): Promise<readonly MonitorRow[]> {
  const { visual = 'all', status = 'any', name, id } = query
  const kind = `${visual}_${status}${name === undefined ? '' : '_named'}${id === undefined ? '' : '_of_one'}`
  const { typed, limit, offset } = pageStatement(`list_monitors_${kind}`, monitorRow, query)
  return store.any(typed`
    select ${MONITOR_COLUMNS}
    from (
      select * from monitors m
      where ${ofTeam(query)}
      order by m.created_at desc, m.id
      limit ${limit} offset ${offset}
    ) m
    join checks c on c.no = m.no
    order by m.created_at desc, m.id
  `)
}

/** Returns the length of the whole list. */
export async function countMonitors(store: Queryable, query: Omit<MonitorQuery, keyof Page>): Promise<number> {
  const { total } = await store.one(sql.type(counted)`select count(*) as total from monitors m where ${ofTeam(query)}`)
  return total
}

const alone = row({ is_alone: Type.Boolean() })

/** Returns whether at most one monitor of the team has this name. */
export async function isOnlyOfItsName(store: Queryable, teamId: string, name: string): Promise<boolean> {
  return store.oneFirst(sql.type(alone)`
    select count(*) < 2 as is_alone
    from (
      select from monitors m
      where m.team_id = ${teamId}::uuid and m.kind = 'page' and m.deleted_at is null and m.name = ${name}
      limit 2
    ) same
  `)
}

function ofTeam({ teamId, visual, status, name, id }: Omit<MonitorQuery, keyof Page>) {
  const conditions = [sql.fragment`m.team_id = ${teamId}::uuid and m.kind = 'page' and m.deleted_at is null`]
  if (visual !== undefined) {
    const wanted = sql.literalValue(String(visual))
    conditions.push(sql.fragment`coalesce((m.visual_config->>'enabled')::boolean, false) = ${wanted}::boolean`)
  }
  if (status !== undefined) conditions.push(hasStatus(status))
  if (name !== undefined) conditions.push(nameContains(name))
  if (id !== undefined) conditions.push(sql.fragment`m.id = ${id}::uuid`)
  return sql.join(conditions, sql.fragment` and `)
}
