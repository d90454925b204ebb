import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Store, Transaction } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import type { Held } from '../queue/lease.ts'
import { limitOf } from './pool.ts'
import { lockUsage } from './usage.ts'

/** The payer: the team of a check, or a team. `runId`: the reservation is found again by it, and replaces the last. */
export type ProxyPayer = { readonly checkNo: number; readonly runId?: string } | { readonly teamId: string }

/** Reserved bytes, or the reason why there are none. */
type ProxyBytes =
  | { readonly kind: 'held'; readonly id: string; readonly teamId: string; readonly bytes: number }
  | { readonly kind: 'off' | 'not_in_plan' | 'used_up' }

/** Seconds after which a reservation expires, in case its process was killed. A fetch takes half a minute. */
const HOLD_SECONDS = 300

const payingTeam = row({ id: Type.String() })
const team = row({
  /** Null: no limit. */
  most: Type.Union([Type.Number(), Type.Null()]),
  used: Type.Number(),
})
const made = row({ id: Type.String(), bytes: Type.Number() })

/**
 * Reserves bytes for one fetch: as many as requested, or as many as the plan's proxyBytesPerMonth leaves after the
 * reservations of others. The team's row is locked before the reservations are summed, so that two fetches never get
 * the same bytes: the sum of used and reserved bytes never exceeds the limit. Bytes that were reserved before a period
 * begins and are transferred after it count in it, and stay reserved in it until then.
 */
export async function holdProxyBytes(store: Store, payer: ProxyPayer, bytes: number): Promise<ProxyBytes> {
  return store.transaction(async (tx) => {
    const teamId = await teamOf(tx, payer)
    if (teamId === null) return { kind: 'off' }
    await lockUsage(tx, teamId)
    const { most, used } = await tx.one(sql.type(team)`
      select ${limitOf('proxyBytesPerMonth')} as most, u.proxy_bytes_used as used
      from team_usage u cross join lateral team_limits(u.team_id) l
      where u.team_id = ${teamId}::uuid
    `)
    if (most === 0) return { kind: 'not_in_plan' }
    const runId = 'runId' in payer ? (payer.runId ?? null) : null
    await tx.query(sql.type(nothing)`
      delete from proxy_holds where team_id = ${teamId}::uuid and (until <= clock() or id = ${runId}::uuid)`)
    const hold = await tx.maybeOne(sql.type(made)`
      insert into proxy_holds (id, team_id, bytes, until)
      select coalesce(${runId}::uuid, gen_random_uuid()), ${teamId}::uuid, least(${bytes}::bigint, room),
        clock() + make_interval(secs => ${HOLD_SECONDS})
      from (
        -- Without a limit, room is null, and least() ignores null.
        select ${most}::bigint - ${used}::bigint - coalesce(sum(bytes), 0)::bigint as room
        from proxy_holds where team_id = ${teamId}::uuid
      ) r
      where room is null or room > 0
      returning id, bytes
    `)
    return hold ? { kind: 'held', id: hold.id, teamId, bytes: hold.bytes } : { kind: 'used_up' }
  })
}

/** Returns the team that pays. Null: there is none, or it has the proxy switched off. */
const teamOf = (tx: Transaction, payer: ProxyPayer): Promise<string | null> =>
  tx.maybeOneFirst(sql.type(payingTeam)`
    select id from teams
    where proxy_enabled and id = ${
      'teamId' in payer
        ? sql.fragment`${payer.teamId}::uuid`
        : sql.fragment`(select team_id from checks where no = ${payer.checkNo})`
    }`)

/** Counts the bytes that a fetch used, even when it used more than it reserved, and releases the rest. */
export async function settleProxyBytes(
  store: Queryable,
  held: { id: string; teamId: string },
  used: number,
): Promise<void> {
  await store.query(sql.type(nothing)`
    with gone as (delete from proxy_holds where id = ${held.id}::uuid and team_id = ${held.teamId}::uuid)
    update team_usage set proxy_bytes_used = proxy_bytes_used + ${used}::bigint where team_id = ${held.teamId}::uuid
  `)
}

/** A reservation that a runner uses through the relay of a worker. */
interface RelayHold {
  readonly id: string
  readonly teamId: string
  /** Bytes that are left of it. */
  readonly bytes: number
}

const relayHold = row({ id: Type.String(), team_id: Type.String(), bytes: Type.Number() })

/** Returns the reservation of a check that is leased with this runner token; null when there is none. */
export async function findRelayHold(store: Queryable, { no, fence }: Held, holder: number): Promise<RelayHold | null> {
  const found = await store.maybeOne(sql.type(relayHold)`
    select h.id, h.team_id, h.bytes
    from checks c join proxy_holds h on h.id = c.run_id and h.team_id = c.team_id
    where c.no = ${no} and c.fence = ${fence} and c.holder = ${holder} and h.until > clock()
  `)
  return found && { id: found.id, teamId: found.team_id, bytes: found.bytes }
}

/** Counts the bytes that a relay transferred, and takes them out of the reservation, where there still is one. */
export async function bookProxyBytes(
  store: Queryable,
  { id, teamId }: { id: string; teamId: string },
  used: number,
): Promise<void> {
  await store.query(sql.type(nothing)`
    with rest as (
      update proxy_holds set bytes = greatest(bytes - ${used}::bigint, 1)
      where id = ${id}::uuid and team_id = ${teamId}::uuid
    )
    update team_usage set proxy_bytes_used = proxy_bytes_used + ${used}::bigint where team_id = ${teamId}::uuid
  `)
}
