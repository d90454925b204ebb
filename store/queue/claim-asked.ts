import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../db/client.ts'
import { nothing, row, unnest } from '../db/row.ts'
import { IS_FREE, IS_LEFT_ALONE, isHeldAsked } from './asked.ts'
import type { Held } from './lease.ts'

const claimed = row({
  id: Type.String(),
  no: Type.Integer(),
  kind: Type.String(),
  team_id: Type.String(),
  fence: Type.Integer(),
  level: Type.Integer(),
  /** Encrypted. */
  request: Type.Unsafe<Buffer>({}),
  /** The current time, in ms since the epoch. */
  at_ms: Type.Number(),
})
/** Work that somebody waits for, leased to a runner. */
export type ClaimedAsked = Awaited<ReturnType<typeof claimAsked>>[number]

const CLAIMED = sql.fragment`
  id, no, kind, team_id, fence, level, request, (extract(epoch from clock()) * 1000)::float8 as at_ms`

interface AskedClaim {
  /** The kinds that this process knows. */
  readonly kinds: readonly string[]
  readonly limit: number
  readonly leaseSeconds: number
  /** The number of the runner token. */
  readonly holder: number
  /** The name of the address that the runner's searches come from. Null: it makes none. */
  readonly exit: string | null
  /** The one isolated work that the token is for. Null: any that is not isolated. */
  readonly only: number | null
  /** The level of the runner. */
  readonly level: number
}

/**
 * Claims what somebody waits for, the oldest first, and at most one search: one whose engine is free at this exit. It
 * takes the exit for it, as the check of a search does.
 */
export const claimAsked = (store: Queryable, { kinds, limit, leaseSeconds, holder, exit, only, level }: AskedClaim) =>
  store.any(sql.prepared('claim_asked', claimed)`
    with plain as materialized (
      select a.id from asked_work a
      where ${IS_FREE} and a.level <= ${level}::smallint and a.engine is null
        and a.kind = any(${sql.array(kinds, 'text')})
        and case when ${only}::bigint is null then not a.is_isolated else a.no = ${only}::bigint end
      order by a.asked_at
      limit ${limit}
      for update of a skip locked
    ),
    search as materialized (
      select a.id from asked_work a join serp_exits x on x.engine = a.engine and x.exit = ${exit}::text
      where ${IS_FREE} and a.level <= ${level}::smallint and not a.is_isolated
        and a.kind = any(${sql.array(kinds, 'text')}) and ${only}::bigint is null
        and x.next_at <= clock() and coalesce(x.busy_until <= clock(), true) and not ${IS_LEFT_ALONE}
      order by a.asked_at
      limit case when (select count(*) from plain) < ${limit} then 1 else 0 end
      for update of a, x skip locked
    ),
    begun as (
      update asked_work a
      set fence = a.fence + 1, tries = a.tries + 1, holder = ${holder},
        leased_until = clock() + make_interval(secs => ${leaseSeconds})
      where a.id in (select id from plain union all select id from search)
      returning a.*
    ),
    taken as (
      update serp_exits x
      set busy_until = clock() + make_interval(secs => ${leaseSeconds}), check_no = begun.no, check_fence = begun.fence
      from begun where x.exit = ${exit}::text and x.engine = begun.engine
    )
    select ${CLAIMED} from begun order by asked_at
  `)

/** Returns the work that is leased with this token under this fence, and waited for; null: there is none. */
export const findHeldAsked = (store: Queryable, work: Held, holder: number) =>
  store.maybeOne(sql.type(claimed)`
    select ${CLAIMED}
    from (
      select a.* from asked_work a, ${unnest('i', [work], { no: 'int8', fence: 'int4' })} where ${isHeldAsked(holder)}
    ) held
  `)

/** The channel on which the id of work is notified that was answered. */
export const ANSWERED = 'tidemark_asked'
/** Who waits may ask a model before the work ends. A search that nobody waits for any more is swept at once. */
const KEPT_SECONDS = 600

/**
 * Keeps the encrypted answer for the process that waits, and wakes it. Returns false when the work is not leased with
 * this token, or not any more.
 */
export async function answerAsked(store: Queryable, work: Held, holder: number, answer: Buffer): Promise<boolean> {
  const { rowCount } = await store.query(sql.type(nothing)`
    with kept as (
      update asked_work a
      set answer = ${sql.binary(answer)}, deadline_at = case when a.deadline_at > clock()
        then clock() + make_interval(secs => ${KEPT_SECONDS}) else a.deadline_at end
      from ${unnest('i', [work], { no: 'int8', fence: 'int4' })}
      where ${isHeldAsked(holder)}
      returning a.id
    )
    select pg_notify(${ANSWERED}, id::text) from kept
  `)
  return rowCount > 0
}
