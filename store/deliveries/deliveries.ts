import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { DeliveryCounts } from '../../schema/run/delivery-list.ts'
import { DELIVERY_STATUSES } from '../../schema/run/delivery.ts'
import type { Queryable } from '../db/client.ts'
import { listedBytes, valuesOfPage, withBytes } from '../db/listed-bytes.ts'
import { type Page, pageStatement } from '../db/page-statement.ts'
import { row, rowOf } from '../db/row.ts'
import { RETENTION_COLUMNS, retentionCutoff, retentionProperties } from '../quota/pool.ts'
import { type DeliveryFilter, IS_HELD, isWanted, nameOfFilter } from './delivery-filter.ts'
import { GIVEN_UP, MISSED } from './given-up.ts'
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

/** The same with an empty payload. */
const LEAN_COLUMNS = sql.fragment`
  ${DELIVERY_HEAD}, d.bytes, d.page_bytes, '{}' as payload, ${valuesOfPage('d', ['target', 'response_body'])}`
const LEAN_BYTES = sql.fragment`octet_length(d.target) + coalesce(octet_length(d.response_body), 0)`

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
interface DeliveryQuery extends DeliveryFilter, Page {
  /** Each row has an empty payload. */
  readonly isLean?: boolean
}

const listed = rowOf(Type.Object({ ...ListedDelivery.properties, ...retentionProperties }))

/**
 * Returns a page of the team's deliveries inside its retention window, newest first. Each row includes that window.
 * Without values where they are too large for one answer.
 */
export async function listDeliveries(store: Queryable, query: DeliveryQuery) {
  const { isLean = false } = query
  const name = isLean ? null : nameOfFilter(query)
  const { typed, limit, offset } = pageStatement(name === null ? null : `list_deliveries_${name}`, listed, query)
  return store.any(typed`
    select ${isLean ? LEAN_COLUMNS : LISTED_COLUMNS}, ${RETENTION_COLUMNS}
    from ${withBytes('d', {
      bytes: isLean ? LEAN_BYTES : BYTES,
      limit,
      rows: sql.fragment`
        select * from deliveries d where ${isWanted(query)}
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
export async function sumDeliveries(store: Queryable, query: DeliveryFilter) {
  const count = (of: DeliveryFilter) => sql.fragment`(select count(*) from deliveries d where ${isWanted(of)})`
  // Those that are missed are few, or joined to their monitors at once: all without them are counted sooner than each.
  const total =
    query.missed === false
      ? sql.fragment`${count({ ...query, missed: undefined })} - ${count({ ...query, missed: true })}`
      : count(query)
  return store.one(sql.type(summed)`
    select ${RETENTION_COLUMNS}, ${total} as total
    from team_limits(${query.teamId}::uuid) l
  `)
}

const Count = Type.Integer()
const counted = row({
  total: Count,
  pending: Count,
  success: Count,
  failed: Count,
  dead: Count,
  given_up: Count,
  missed: Count,
  held: Count,
})

/** Counts the deliveries that a filter leaves, by their state. One statement, which reads each of them once. */
export const countDeliveries = (store: Queryable, filter: DeliveryFilter): Promise<DeliveryCounts> =>
  store.one(sql.type(counted)`
    select count(*)::int as total,
      ${sql.join(
        DELIVERY_STATUSES.map(
          (status) =>
            sql.fragment`
              count(*) filter (where d.status = ${sql.literalValue(status)})::int as ${sql.identifier([status])}`,
        ),
        sql.fragment`, `,
      )},
      count(*) filter (where ${GIVEN_UP})::int as given_up, count(*) filter (where ${MISSED.is})::int as missed,
      count(*) filter (where ${IS_HELD})::int as held
    from deliveries d ${MISSED.joined} where ${isWanted(filter)}
  `)
