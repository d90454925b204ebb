import { sql } from 'slonik'
import Type from 'typebox'
import type { SerpEngine } from '../../schema/serp/serp-search.ts'
import type { Queryable, Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { IS_ASKING, IS_LEFT_ALONE, IS_UNHELD } from '../queue/asked.ts'
import type { AskedWork } from './asked-work.ts'

/** The most work of a team that waits for runners at the same time, over all processes. */
export const MAX_OF_TEAM = 4

interface Offer {
  /** Encrypted. */
  readonly request: Buffer
  readonly isIsolated: boolean
  /** The engine of a search. Null: it asks none. */
  readonly engine: SerpEngine | null
  /** How long somebody waits for the answer. */
  readonly seconds: number
  /** The lowest level of a runner that may do it (schema/level.ts). */
  readonly level: number
}

/** Lets runners claim the work from now on. Returns false when as much of the team waits as may. */
export const offerWork = (store: Store, { id, teamId }: AskedWork, offer: Offer): Promise<boolean> =>
  store.transaction(async (tx) => {
    const { request, isIsolated, engine, seconds, level } = offer
    // That of a team is offered one after the other, so that none is counted twice or not at all.
    await tx.query(sql.type(nothing)`select pg_advisory_xact_lock(hashtextextended(${teamId}, 13))`)
    const { rowCount } = await tx.query(sql.type(nothing)`
      update asked_work
      set request = ${sql.binary(request)}, is_isolated = ${isIsolated}, engine = ${engine},
        level = ${level}::smallint, deadline_at = clock() + make_interval(secs => ${seconds})
      where id = ${id}::uuid and (
        select count(*) from asked_work a
        where a.team_id = ${teamId}::uuid and a.request is not null and a.answer is null
          and (a.deadline_at > clock() or ${IS_ASKING})
      ) < ${MAX_OF_TEAM}
    `)
    return rowCount > 0
  })

const offered = row({
  /** Encrypted. Null: there is none yet. */
  answer: Type.Unsafe<Buffer | null>({}),
  /** A runner has begun it. */
  is_begun: Type.Boolean(),
  /** Until when the engine of a search is left alone that no runner makes, in ms since the epoch. Null: it waits. */
  left_until_ms: Type.Union([Type.Number(), Type.Null()]),
})

/** Returns what became of work that runners may claim. */
export const lookAtOffer = async (store: Queryable, { id }: AskedWork) =>
  (await store.maybeOne(sql.type(offered)`
    select a.answer, a.tries > 0 as is_begun, case when a.answer is null and ${IS_UNHELD} and ${IS_LEFT_ALONE} then (
      select (extract(epoch from e.refused_until) * 1000)::float8 from serp_engines e where e.engine = a.engine
    ) end as left_until_ms
    from asked_work a where a.id = ${id}::uuid
  `)) ?? { answer: null, is_begun: false, left_until_ms: null }

const isThere = row({ is_there: Type.Boolean() })

/** Returns whether offers are claimed here: an operator starts runner pods, or a runner has a token that works. */
export const areOffersClaimed = (store: Pick<Queryable, 'oneFirst'>, isIsolated: boolean): Promise<boolean> =>
  store.oneFirst(sql.type(isThere)`
    select exists (select from operator_epochs where runners_seen_at > clock() - interval '2 minutes')
      or (not ${isIsolated} and exists (
        select from runner_tokens where check_no is null and revoked_at is null and expires_at > clock()
      )) as is_there
  `)
