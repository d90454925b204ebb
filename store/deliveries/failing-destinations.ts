import { sql } from 'slonik'
import Type from 'typebox'
import { type DeliveryConfig, destinationOf, type DeliveryType } from '../../schema/monitor/delivery-config.ts'
import type { ServiceName } from '../../schema/monitor/delivery-services.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import { DESTINATION_LIMITS, type FailingDestination } from '../../schema/run/delivery-list.ts'
import type { Queryable } from '../db/client.ts'
import { row, rowOf } from '../db/row.ts'
import { Stored } from '../monitors/kinds/monitor-row.ts'
import { retentionCutoff } from '../quota/pool.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { GIVEN_UP, MISSED } from './given-up.ts'
import { UNREADABLE } from './stored-delivery.ts'

const Null = Type.Null()
const Count = Type.Integer()

const StoredDestination = Type.Object({
  key: Type.String(),
  since: Type.String(),
  monitor_count: Count,
  monitors: Stored<readonly { readonly id: string; readonly kind: MonitorKind; readonly name: string }[]>(),
  given_up: Count,
  /** The last delivery that was given up, else the last one. Null: none is stored any more. */
  id: Type.Union([Type.String(), Null]),
  type: Stored<DeliveryType>(),
  target: Stored<Uint8Array | null>(),
  response_status: Type.Union([Count, Null]),
  response_body: Type.Union([Type.String(), Null]),
  total: Count,
})
const storedDestination = rowOf(StoredDestination)

const whole = (value: number) => sql.literalValue(String(value))

/**
 * Returns the destinations that take no deliveries of monitors of the team, those of the most monitors first, and how
 * many there are. One statement. It reads the deliveries to them once.
 */
export async function listFailingDestinations(
  store: Queryable,
  teamId: string,
  secrets: SecretBox,
): Promise<{ readonly data: readonly FailingDestination[]; readonly total: number }> {
  const rows = await store.any(sql.type(storedDestination)`
    with failing as materialized (
      select x.target_key as key, min(x.since) as since, count(*)::int as monitor_count,
        min(x.response_status) as status,
        (array_agg(m.no order by m.name collate natural_names, m.no))[1:${whole(DESTINATION_LIMITS.monitors)}] as nos
      from dead_destinations x join monitors m on m.no = x.monitor_no
      where m.team_id = ${teamId}::uuid and m.deleted_at is null
      group by x.target_key
    ),
    shown as materialized (
      select *, count(*) over ()::int as total from failing
      order by monitor_count desc, since desc, key
      limit ${whole(DESTINATION_LIMITS.destinations)}
    ),
    given as materialized (
      select d.target_key as key, (count(*) filter (where ${MISSED.is}))::int as count,
        (array_agg(d.id order by ${GIVEN_UP} desc, d.created_at desc, d.id))[1] as last
      from deliveries d ${MISSED.joined}
      where d.team_id = ${teamId}::uuid and d.created_at >= ${retentionCutoff(teamId)}
        and d.target_key in (select key from shown)
      group by d.target_key
    )
    select s.key, s.since, s.monitor_count, s.total, coalesce(g.count, 0) as given_up,
      d.id, coalesce(d.type, 'webhook') as type, d.target, coalesce(d.response_status, s.status) as response_status,
      d.response_body,
      (select json_agg(json_build_object('id', m.id, 'kind', m.kind, 'name', m.name)
          order by m.name collate natural_names, m.no)
        from monitors m where m.no = any(s.nos)) as monitors
    from shown s
    left join given g on g.key = s.key
    left join deliveries d on d.id = g.last
    order by s.monitor_count desc, s.since desc, s.key
  `)
  const data = rows.map(({ id, type, target, ...one }): FailingDestination => {
    const place = { teamId, column: 'deliveries.target', rowId: id ?? '' } as const
    const config = target && (secrets.open(place, target) as DeliveryConfig | null)
    const service = (config?.type === 'webhook' && config.service) || null
    return {
      key: one.key,
      since: one.since,
      response_status: one.response_status,
      response_body: one.response_body,
      monitors: [...one.monitors],
      monitor_count: one.monitor_count,
      given_up: one.given_up,
      delivery_type: type,
      destination: config ? destinationOf(config) : target ? UNREADABLE : '',
      ...(service !== null && { service: service satisfies ServiceName }),
    }
  })
  return { data, total: rows[0]?.total ?? 0 }
}

/** Counts the destinations that take no deliveries of monitors of the team. */
export const countFailingDestinations = (store: Queryable, teamId: string): Promise<number> =>
  store.oneFirst(sql.type(row({ count: Count }))`
    select count(distinct x.target_key)::int as count
    from dead_destinations x join monitors m on m.no = x.monitor_no
    where m.team_id = ${teamId}::uuid and m.deleted_at is null
  `)
