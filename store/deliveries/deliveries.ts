import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { DeliveryStatus } from '../../schema/run/delivery.ts'
import type { Queryable } from '../db/client.ts'
import { listedBytes, valuesOfPage, withBytes } from '../db/listed-bytes.ts'
import { type Page, pageStatement } from '../db/page-statement.ts'
import { row, rowOf } from '../db/row.ts'
import { nameContains } from '../monitors/is-monitor.ts'
import { RETENTION_COLUMNS, retentionCutoff, retentionProperties } from '../quota/pool.ts'
import { GIVEN_UP } from './given-up.ts'
import { DELIVERY_COLUMNS, DELIVERY_HEAD, deliveryRow, StoredDelivery } from './stored-delivery.ts'

/** Returns these deliveries of the team, in no order. One that retention has deleted is missing. */
export async function readDeliveries(
  store: Queryable,
  teamId: string,
  ids: readonly string[],
): Promise<readonly StoredDelivery[]> {
  return store.any(sql.type(deliveryRow)`
    select ${DELIVERY_COLUMNS}
    from deliveries d join monitors m on m.no = d.monitor_no
    where d.id = any(${sql.array([...ids], 'uuid')}) and d.team_id = ${teamId}::uuid
  `)
}

const ListedDelivery = Type.Object({
  ...StoredDelivery.properties,
  // Null where they are too large for one answer (`hasValues`).
  payload: Type.Unsafe<string>({}),
  target: Type.Unsafe<Uint8Array>({}),
  response_body: Type.Union([Type.String(), Type.Null()]),
  ...listedBytes,
})
export type ListedDelivery = Static<typeof ListedDelivery>
const listedDelivery = rowOf(ListedDelivery)

/** The most destinations of a monitor, which the deliveries of a run go to. */
const DESTINATIONS = 25

/** Columns of `monitors m` and `d`, which has `page_bytes`. */
const LISTED_COLUMNS = sql.fragment`
  ${DELIVERY_HEAD}, d.bytes, d.page_bytes, ${valuesOfPage('d', ['payload', 'target', 'response_body'])}`

/** The bytes of `d`. */
const BYTES = sql.fragment`
  octet_length(d.payload) + octet_length(d.target) + coalesce(octet_length(d.response_body), 0)`

/**
 * Returns a delivery of the team inside its retention window, or null. Without values where they are too large for one
 * answer.
 */
export async function findDelivery(store: Queryable, teamId: string, id: string): Promise<ListedDelivery | null> {
  return store.maybeOne(sql.prepared('find_delivery', listedDelivery)`
    select ${LISTED_COLUMNS}
    from ${withBytes('d', {
      rows: sql.fragment`
        select * from deliveries d
        where d.id = ${id}::uuid and d.team_id = ${teamId}::uuid and d.created_at >= ${retentionCutoff(teamId)}`,
      bytes: BYTES,
      limit: 1,
    })}
    join monitors m on m.no = d.monitor_no
  `)
}

/**
 * Returns the deliveries of one run, in the order of their creation. Without values where they are too large for one
 * answer.
 */
export async function listRunDeliveries(
  store: Queryable,
  teamId: string,
  runId: string,
): Promise<readonly ListedDelivery[]> {
  return store.any(sql.type(listedDelivery)`
    select ${LISTED_COLUMNS}
    from ${withBytes('d', {
      rows: sql.fragment`select * from deliveries where run_id = ${runId}::uuid and team_id = ${teamId}::uuid`,
      bytes: BYTES,
      limit: DESTINATIONS,
    })}
    join monitors m on m.no = d.monitor_no
    order by d.created_at, d.id
  `)
}

/** The filter of a list of deliveries, and the page. */
interface DeliveryQuery extends Page {
  readonly teamId: string
  readonly status?: DeliveryStatus | undefined
  /** Only those of monitors whose name contains this text, whatever its case. */
  readonly name?: string | undefined
  readonly monitorId?: string | undefined
  /** Only those that were given up; false: only the others. */
  readonly givenUp?: boolean | undefined
}

const listed = rowOf(Type.Object({ ...ListedDelivery.properties, ...retentionProperties }))

/**
 * Returns a page of the team's deliveries inside its retention window, newest first. Each row includes that window.
 * Without values where they are too large for one answer.
 */
export async function listDeliveries(store: Queryable, query: DeliveryQuery) {
  const { status = 'all', name, monitorId, givenUp } = query
  const ended = givenUp === undefined ? '' : givenUp ? '_given_up' : '_not_given_up'
  const kind = `${status}${name === undefined ? '' : '_named'}${monitorId === undefined ? '' : '_of_one'}${ended}`
  const { typed, limit, offset } = pageStatement(`list_deliveries_${kind}`, listed, query)
  return store.any(typed`
    select ${LISTED_COLUMNS}, ${RETENTION_COLUMNS}
    from ${withBytes('d', {
      bytes: BYTES,
      limit,
      rows: sql.fragment`
        select * from deliveries d where ${visible(query)}
        order by d.created_at desc, d.id
        limit ${limit} offset ${offset}`,
    })}
    join monitors m on m.no = d.monitor_no
    cross join lateral team_limits(d.team_id) l
    order by d.created_at desc, d.id
  `)
}

const summed = row({ ...retentionProperties, total: Type.Integer() })

/** Returns the length of the whole list, and the team's retention window. */
export async function sumDeliveries(store: Queryable, query: Omit<DeliveryQuery, keyof Page>) {
  return store.one(sql.type(summed)`
    select ${RETENTION_COLUMNS}, (select count(*) from deliveries d where ${visible(query)}) as total
    from team_limits(${query.teamId}::uuid) l
  `)
}

function visible({ teamId, status, name, monitorId, givenUp }: Omit<DeliveryQuery, keyof Page>) {
  const conditions = [sql.fragment`d.team_id = ${teamId}::uuid and d.created_at >= ${retentionCutoff(teamId)}`]
  if (status !== undefined) conditions.push(sql.fragment`d.status = ${sql.literalValue(status)}`)
  if (givenUp !== undefined) conditions.push(givenUp ? GIVEN_UP : sql.fragment`not ${GIVEN_UP}`)
  if (name !== undefined)
    conditions.push(sql.fragment`d.monitor_no in (
      select m.no from monitors m where m.team_id = ${teamId}::uuid and ${nameContains(name)})`)
  if (monitorId !== undefined)
    conditions.push(sql.fragment`d.monitor_no = (select m.no from monitors m where m.id = ${monitorId}::uuid)`)
  return sql.join(conditions, sql.fragment` and `)
}
