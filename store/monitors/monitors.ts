import { sql } from 'slonik'
import Type from 'typebox'
import { keyOfIdentity } from '../../core/custom-resource/resource-name.ts'
import type { LabelSelector } from '../../schema/monitor/labels.ts'
import type { ListedStatus } from '../../schema/monitor/monitor.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Queryable, Transaction } from '../db/client.ts'
import { withBytes } from '../db/listed-bytes.ts'
import { type Page, pageStatement } from '../db/page-statement.ts'
import { nothing, row as rowWith } from '../db/row.ts'
import { isMonitor, nameContains } from './is-monitor.ts'
import type { KindTable, Listed } from './kinds/kind-table.ts'
import type { EveryRow } from './kinds/monitor-row.ts'
import { hasStatus } from './monitor-status.ts'

/**
 * Returns a monitor of the team, or null. A monitor of another team or of the other kind, a deleted one and an unknown
 * one give the same result.
 */
export async function findMonitor<Row extends EveryRow>(
  store: Queryable,
  teamId: string,
  id: string,
  { kind, columns, row }: KindTable<unknown, Row>,
): Promise<Row | null> {
  return store.maybeOne(sql.prepared(`find_${kind}_monitor`, row)`
    select ${columns}
    from monitors m join checks c on c.no = m.no
    where ${isMonitor(teamId, id, kind)}
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
  readonly externalKey?: string | undefined
  readonly labels?: LabelSelector | undefined
}

const counted = rowWith({ total: Type.Integer() })

/**
 * Returns a page of the team's monitors of a kind, newest first. Without their large columns where these are too large
 * for one answer.
 */
export async function listMonitors<Row extends EveryRow>(
  store: Queryable,
  table: KindTable<unknown, Row>,
  query: MonitorQuery,
): Promise<readonly Listed<Row>[]> {
  const { kind, list } = table
  const { visual = 'all', status = 'any', name, id, externalKey, labels } = query
  const narrowed = [
    `${visual}_${status}`,
    ...(name === undefined ? [] : ['named']),
    ...(id === undefined ? [] : ['of_one']),
    ...(externalKey === undefined ? [] : ['keyed']),
    ...(labels === undefined ? [] : ['labelled']),
  ].join('_')
  const { columns, bytes, row } = list
  const { typed, limit, offset } = pageStatement(`list_${kind}_monitors_${narrowed}`, row, query)
  return store.any(typed`
    select ${columns}
    from ${withBytes('m', {
      bytes,
      limit,
      rows: sql.fragment`
        select * from monitors m
        where ${ofTeam(table, query)}
        order by m.created_at desc, m.id
        limit ${limit} offset ${offset}`,
    })}
    join checks c on c.no = m.no
    order by m.created_at desc, m.id
  `)
}

/**
 * Returns monitors of the team by their numbers, in no order, also those that were deleted since their numbers were
 * read. Columns of `list.shownAsStored` are JSON as text.
 */
export async function readMonitorTexts<Row extends EveryRow>(
  store: Queryable,
  { list: { texts } }: KindTable<unknown, Row>,
  { teamId, numbers }: { readonly teamId: string; readonly numbers: readonly number[] },
): Promise<readonly Row[]> {
  const { columns, row } = texts
  return store.any(sql.type(row)`
    select ${columns}
    from monitors m join checks c on c.no = m.no
    where m.no = any(${sql.array([...numbers], 'int8')}) and m.team_id = ${teamId}::uuid
  `)
}

/** Returns the length of the whole list. */
export const countMonitors = (
  store: Queryable,
  table: OfKind,
  query: Omit<MonitorQuery, keyof Page>,
): Promise<number> =>
  store.oneFirst(sql.type(counted)`select count(*) as total from monitors m where ${ofTeam(table, query)}`)

type OfKind = Pick<KindTable, 'kind' | 'runs'>

const alone = rowWith({ is_alone: Type.Boolean() })

/** Returns whether at most one monitor of the team and the kind has this name or is of a manifest of this name. */
export async function isOnlyOfItsName(
  store: Queryable,
  teamId: string,
  name: string,
  kind: MonitorKind,
): Promise<boolean> {
  return store.oneFirst(sql.type(alone)`
    select count(*) < 2 as is_alone
    from (
      select from monitors m
      where m.team_id = ${teamId}::uuid and m.kind = ${kind} and m.deleted_at is null
        and (m.name = ${name} or m.external_key = ${keyOfIdentity({ name })})
      limit 2
    ) same
  `)
}

function ofTeam({ kind, runs }: OfKind, wanted: Omit<MonitorQuery, keyof Page>) {
  const { teamId, visual, status, name, id, externalKey, labels } = wanted
  const conditions = [
    sql.fragment`m.team_id = ${teamId}::uuid and m.kind = ${sql.literalValue(kind)} and m.deleted_at is null`,
  ]
  if (visual !== undefined) {
    const wanted = sql.literalValue(String(visual))
    conditions.push(sql.fragment`coalesce((m.visual_config->>'enabled')::boolean, false) = ${wanted}::boolean`)
  }
  if (status !== undefined) conditions.push(hasStatus(runs, status))
  if (name !== undefined) conditions.push(nameContains(name))
  if (id !== undefined) conditions.push(sql.fragment`m.id = ${id}::uuid`)
  if (externalKey !== undefined) conditions.push(sql.fragment`m.external_key = ${externalKey}`)
  if (labels !== undefined) conditions.push(hasLabels(labels))
  return sql.join(conditions, sql.fragment` and `)
}

/** Returns the condition of `monitors m` that its labels are as asked. Its text is the same for every selector. */
export function hasLabels({ equal, unequal, present, absent }: LabelSelector) {
  const labels = sql.fragment`coalesce(m.labels, '{}')`
  return sql.fragment`(
    ${labels} @> all(${pairsOf(equal)}) and not ${labels} @> any(${pairsOf(unequal)})
    and ${labels} ?& ${sql.array([...present], 'text')} and not ${labels} ?| ${sql.array([...absent], 'text')}
  )`
}

/** Returns an object for each pair: a selector may ask for two values of one key. */
const pairsOf = (pairs: LabelSelector['equal']) =>
  sql.fragment`${sql.array(
    pairs.map(({ key, value }) => JSON.stringify({ [key]: value })),
    'text',
  )}::jsonb[]`

const holderRow = rowWith({ id: Type.String(), name: Type.String() })

/**
 * Returns the record of the team and the kind that has an external key, or null. Serializes those who ask for the same
 * key until the end of the transaction: a record that does not exist yet cannot be locked.
 */
export async function lockExternalKey(
  tx: Transaction,
  teamId: string,
  kind: MonitorKind,
  externalKey: string,
): Promise<{ readonly id: string; readonly name: string } | null> {
  const text = `tidemark external key ${teamId}/${kind}/${externalKey}`
  await tx.query(sql.type(nothing)`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`)
  return tx.maybeOne(sql.type(holderRow)`
    select id, name from monitors
    where team_id = ${teamId}::uuid and kind = ${kind} and external_key = ${externalKey} and deleted_at is null
  `)
}
