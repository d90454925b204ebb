import Type, { type Static } from 'typebox'
import { sql } from 'slonik'
import { DELIVERY_TYPES } from '../../schema/monitor/delivery-config.ts'
import { Choice } from '../../schema/shape/shape.ts'
import type { Store } from '../db/client.ts'
import { rowOf } from '../db/row.ts'

const SealedSecret = Type.Union([Type.Unsafe<Buffer>({}), Type.Null()])

/** A delivery that is leased to this process. */
const ClaimedDelivery = Type.Object({
  id: Type.String(),
  /** The fence that a record must match. A later claim, a replay or a release raises it. */
  fence: Type.Integer(),
  team_id: Type.String(),
  type: Choice(DELIVERY_TYPES),
  /** The key of its destination. */
  host: Type.String(),
  /** The sealed DeliveryConfig (`deliveries.target`). */
  target: Type.Unsafe<Buffer>({}),
  payload: Type.String(),
  /** Attempts recorded before this one. */
  attempts: Type.Integer(),
  /** Milliseconds from the time it was due to this claim. */
  late_ms: Type.Number(),
  /**
   * The monitor's sealed secrets (`monitors.signing_secret`): the current one, and the previous one during its grace
   * period.
   */
  signing_secret: SealedSecret,
  old_signing_secret: SealedSecret,
})
export type ClaimedDelivery = Static<typeof ClaimedDelivery>
const claimed = rowOf(ClaimedDelivery)

/** What to claim. */
interface DeliveryClaim {
  /**
   * Keys of the destinations to claim from, in this order, with the largest number for each. The caller leaves out the
   * busy ones.
   */
  readonly rooms: readonly { readonly host: string; readonly room: number }[]
  /** Largest number of deliveries in total. */
  readonly limit: number
  readonly leaseSeconds: number
}

/**
 * Claims due deliveries in one short statement: the most overdue ones of each host. `due_at` moves to the end of the
 * lease, and the fence is raised. A delivery that another process is claiming at the same moment is skipped. A
 * delivery that is claimed and never recorded is due again when the lease ends, with the same id and the same text.
 */
export async function claimDeliveries(
  store: Store,
  { rooms, limit, leaseSeconds }: DeliveryClaim,
): Promise<readonly ClaimedDelivery[]> {
  const hosts = rooms.map(({ host }) => host)
  const room = rooms.map((entry) => entry.room)
  return store.any(sql.prepared('claim_deliveries', claimed)`
    with t as materialized (select clock() as at),
    picked as materialized (
      select due.id, due.due_at
      from t, unnest(${sql.array(hosts, 'text')}, ${sql.array(room, 'int4')}) as r (host, room)
      cross join lateral (
        select id, due_at from deliveries
        where host = r.host and due_at <= t.at
        order by due_at
        limit r.room
        for update skip locked
      ) due
      limit ${limit}
    ),
    held as (
      update deliveries d
      set due_at = t.at + make_interval(secs => ${leaseSeconds}), fence = d.fence + 1
      from picked, t
      where d.id = picked.id
      returning d.id, d.fence, d.team_id, d.type, d.host, d.target, d.payload, d.attempts, d.monitor_no, t.at,
        (extract(epoch from t.at - picked.due_at) * 1000)::float8 as late_ms
    )
    select h.id, h.fence, h.team_id, h.type, h.host, h.target, h.payload, h.attempts, h.late_ms, m.signing_secret,
      case when m.old_secret_until > h.at then m.old_signing_secret end as old_signing_secret
    from held h join monitors m on m.no = h.monitor_no and m.team_id = h.team_id
  `)
}
