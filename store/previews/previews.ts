import { sql } from 'slonik'
import Type from 'typebox'
import type { SerpEngine } from '../../schema/serp/serp-search.ts'
import type { Queryable, Store } from '../db/client.ts'
import { nothing, row, unnest } from '../db/row.ts'
import type { Held } from '../queue/lease.ts'

/** Numbers from here on are previews, and those below are checks. Both fit into the messages of the runner API. */
const FIRST_PREVIEW = 2 ** 39

/** Returns whether a number that a runner names is that of a preview. */
export const isPreview = (no: number): boolean => no >= FIRST_PREVIEW

/** The most previews of a team that wait at the same time, over all processes. */
export const MOST_OF_TEAM = 4
/** A page that ended so many runners is not given to another one. */
const MOST_TRIES = 3
/** A preview that is claimed later than this before its deadline would not be answered in time. */
const LAST_SECONDS = 3

/** Is true for a preview `p` that no runner has, or whose runner is gone. */
const IS_UNHELD = sql.fragment`(
  p.leased_until is null or p.leased_until <= clock() or p.holder is not null and not exists (
    select from runner_tokens k where k.id = p.holder and k.revoked_at is null and k.expires_at > clock()
  ))`

/**
 * Is true for a preview `p` of a search that a runner makes. Its exit is taken until the runner has ended or its lease
 * has, whether somebody waits or not: the engine is being asked.
 */
const IS_ASKING = sql.fragment`(
  p.engine is not null and p.holder is not null and p.answer is null and not ${IS_UNHELD})`

interface NewPreview {
  readonly id: string
  readonly teamId: string
  /** Encrypted. */
  readonly request: Buffer
  readonly isIsolated: boolean
  /** The engine of a search. Null: it is one of a page. */
  readonly engine: SerpEngine | null
  readonly seconds: number
}

const added = row({ no: Type.Integer() })

/** Adds a preview. Returns false when as many of the team wait as may. */
export const addPreview = (store: Store, preview: NewPreview): Promise<boolean> =>
  store.transaction(async (tx) => {
    const { id, teamId, request, isIsolated, engine, seconds } = preview
    // Those of a team are added one after the other, so that none is counted twice or not at all.
    await tx.query(sql.type(nothing)`select pg_advisory_xact_lock(hashtextextended(${teamId}, 13))`)
    const { rowCount } = await tx.query(sql.type(added)`
      insert into previews (id, team_id, request, is_isolated, engine, deadline_at)
      select ${id}::uuid, ${teamId}::uuid, ${sql.binary(request)}, ${isIsolated}, ${engine},
        clock() + make_interval(secs => ${seconds})
      where (
        select count(*) from previews p where p.team_id = ${teamId}::uuid and (p.deadline_at > clock() or ${IS_ASKING})
      ) < ${MOST_OF_TEAM}
      returning no
    `)
    return rowCount > 0
  })

const Bytes = Type.Unsafe<Buffer>({})
const answered = row({ answer: Bytes })

/** Returns the encrypted answer of a preview, which is gone then. Null: there is none yet. */
export async function takeAnswer(store: Queryable, id: string): Promise<Buffer | null> {
  const found = await store.maybeOne(sql.type(answered)`
    delete from previews where id = ${id}::uuid and answer is not null returning answer
  `)
  return found?.answer ?? null
}

const last = row({ answer: Type.Union([Bytes, Type.Null()]), is_begun: Type.Boolean() })

/**
 * Ends a preview that nobody waits for any more: deletes it, or lets a search that is under way end without them.
 * Returns its answer, where one came in the last moment, and whether a runner has begun it.
 */
export async function dropPreview(store: Queryable, id: string) {
  const found = await store.maybeOne(sql.type(last)`
    with own as materialized (
      -- An answer may have come, or a runner, while the lock was waited for.
      select p.no, p.answer, p.tries > 0 as is_begun, ${IS_ASKING} as is_asking
      from previews p
      where p.id = ${id}::uuid
      for update of p
    ),
    left_on as (
      update previews p set deadline_at = least(p.deadline_at, clock())
      from own
      where p.no = own.no and own.is_asking
    ),
    dropped as (delete from previews p using own where p.no = own.no and not own.is_asking)
    select answer, is_begun from own`)
  return { answer: found?.answer ?? null, isBegun: found?.is_begun ?? false }
}

/** Is true for a preview `p` that a runner may begin. */
const IS_FREE = sql.fragment`(
  p.answer is null and p.deadline_at > clock() + make_interval(secs => ${LAST_SECONDS}) and p.tries < ${MOST_TRIES}
  and ${IS_UNHELD})`

/** Is true for a preview `p` of a search whose engine refused, and is not asked by anybody now. */
const IS_LEFT_ALONE = sql.fragment`
  exists (select from serp_engines e where e.engine = p.engine and e.refused_until > clock())`

const left = row({ until_ms: Type.Number() })

/**
 * Deletes the preview of a search whose engine is left alone, unless a runner makes it already: no runner would begin
 * it. Returns until when the engine is left alone, in ms since the epoch. Null: the preview still waits.
 */
export async function dropLeftAlone(store: Queryable, id: string): Promise<number | null> {
  const found = await store.maybeOne(sql.type(left)`
    delete from previews p using serp_engines e
    where p.id = ${id}::uuid and p.answer is null and ${IS_UNHELD} and e.engine = p.engine and e.refused_until > clock()
    returning (extract(epoch from e.refused_until) * 1000)::float8 as until_ms
  `)
  return found?.until_ms ?? null
}

const PREVIEW = { no: Type.Integer(), id: Type.String(), team_id: Type.String(), fence: Type.Integer() }
const claimed = row({ ...PREVIEW, request: Bytes, at_ms: Type.Number() })
const NOW_MS = sql.fragment`(extract(epoch from clock()) * 1000)::float8 as at_ms`

interface PreviewClaim {
  readonly limit: number
  readonly leaseSeconds: number
  /** The number of the runner token. */
  readonly holder: number
  /** The one isolated preview that the token is for. Null: any that is not isolated. */
  readonly only: number | null
}

/** Claims previews of pages that wait, the oldest first. `at_ms` is the current time. */
export const claimPreviews = (store: Queryable, { limit, leaseSeconds, holder, only }: PreviewClaim) =>
  store.any(sql.prepared('claim_previews', claimed)`
    with free as (
      select p.no from previews p
      where ${IS_FREE} and p.engine is null
        and case when ${only}::bigint is null then not p.is_isolated else p.no = ${only}::bigint end
      order by p.created_at
      limit ${limit}
      for update of p skip locked
    )
    update previews p
    set fence = p.fence + 1, tries = p.tries + 1, holder = ${holder},
      leased_until = clock() + make_interval(secs => ${leaseSeconds})
    from free where p.no = free.no
    returning p.no, p.id, p.team_id, p.fence, p.request, ${NOW_MS}
  `)

interface SearchPreviewClaim {
  /** The name of the address that the runner's searches come from. */
  readonly exit: string
  readonly leaseSeconds: number
  readonly holder: number
}

/**
 * Claims the preview of a search whose engine is free at this exit, and takes the exit for it, as for the check of a
 * search. Null: there is none.
 */
export const claimSearchPreview = (store: Queryable, { exit, leaseSeconds, holder }: SearchPreviewClaim) =>
  store.maybeOne(sql.prepared('claim_search_preview', claimed)`
    with free as materialized (
      select p.no from previews p join serp_exits x on x.engine = p.engine and x.exit = ${exit}
      where ${IS_FREE} and not p.is_isolated and x.next_at <= clock() and coalesce(x.busy_until <= clock(), true)
        and not ${IS_LEFT_ALONE}
      order by p.created_at
      limit 1
      for update of p, x skip locked
    ),
    begun as (
      update previews p
      set fence = p.fence + 1, tries = p.tries + 1, holder = ${holder},
        leased_until = clock() + make_interval(secs => ${leaseSeconds})
      from free where p.no = free.no
      returning p.no, p.id, p.team_id, p.fence, p.request, p.engine
    ),
    taken as (
      update serp_exits x
      set busy_until = clock() + make_interval(secs => ${leaseSeconds}), check_no = begun.no, check_fence = begun.fence
      from begun where x.exit = ${exit} and x.engine = begun.engine
    )
    select no, id, team_id, fence, request, ${NOW_MS} from begun
  `)

/**
 * A condition on `previews p` and the input `i`: the token has leased it, and somebody waits for it, or its search is
 * under way.
 */
const isHeld = (holder: number) => sql.fragment`
  p.no = i.no and p.fence = i.fence and p.holder = ${holder} and p.answer is null
  and (p.deadline_at > clock() or ${IS_ASKING})`

const held = row({ no: Type.Integer() })

/** Extends leases. Returns the numbers of the previews that are still leased and waited for. */
export async function extendPreviews(
  store: Queryable,
  previews: readonly Held[],
  leaseSeconds: number,
  holder: number,
): Promise<readonly number[]> {
  const rows = await store.any(sql.prepared('extend_previews', held)`
    update previews p
    set leased_until = clock() + make_interval(secs => ${leaseSeconds})
    from ${unnest('i', previews, { no: 'int8', fence: 'int4' })}
    where ${isHeld(holder)}
    returning p.no
  `)
  return rows.map(({ no }) => no)
}

/** Gives previews back, so that another runner takes them after the delay. Returns the numbers of those. */
export async function releasePreviews(
  store: Queryable,
  previews: readonly Held[],
  delayMs: number,
  holder: number,
): Promise<readonly number[]> {
  const rows = await store.any(sql.prepared('release_previews', held)`
    update previews p
    set fence = p.fence + 1, tries = p.tries - 1, holder = null,
      leased_until = clock() + make_interval(secs => ${delayMs} / 1000.0)
    from ${unnest('i', previews, { no: 'int8', fence: 'int4' })}
    where ${isHeld(holder)}
    returning p.no
  `)
  return rows.map(({ no }) => no)
}

/** Returns the preview that is leased with this token under this fence, and waited for; null: there is none. */
export const findHeldPreview = (store: Queryable, check: Held, holder: number) =>
  store.maybeOne(sql.type(claimed)`
    select p.no, p.id, p.team_id, p.fence, p.request, ${NOW_MS}
    from previews p, ${unnest('i', [check], { no: 'int8', fence: 'int4' })}
    where ${isHeld(holder)}
  `)

/** The channel on which the id of a preview is notified that was answered. */
export const ANSWERED = 'tidemark_previews'

/**
 * Keeps the encrypted answer for the process that waits, and wakes it. Returns false when the preview is not leased
 * with this token, or not any more.
 */
export async function answerPreview(store: Queryable, check: Held, holder: number, answer: Buffer): Promise<boolean> {
  const { rowCount } = await store.query(sql.type(nothing)`
    with kept as (
      update previews p set answer = ${sql.binary(answer)}
      from ${unnest('i', [check], { no: 'int8', fence: 'int4' })}
      where ${isHeld(holder)}
      returning p.id
    )
    select pg_notify(${ANSWERED}, id::text) from kept
  `)
  return rowCount > 0
}

/** Deletes previews whose process ended before it could: nobody waits for them. Returns how many there were. */
export async function sweepPreviews(store: Queryable): Promise<number> {
  const { rowCount } = await store.query(sql.type(nothing)`
    delete from previews p where p.deadline_at < clock() - interval '10 seconds' and not ${IS_ASKING}`)
  return rowCount
}

const isThere = row({ is_there: Type.Boolean() })

/** Returns whether previews are claimed here: an operator starts runner pods, or a runner has a token that works. */
export const arePreviewsClaimed = (store: Pick<Queryable, 'oneFirst'>, isIsolated: boolean): Promise<boolean> =>
  store.oneFirst(sql.type(isThere)`
    select exists (select from operator_epochs where runners_seen_at > clock() - interval '2 minutes')
      or (not ${isIsolated} and exists (
        select from runner_tokens where check_no is null and revoked_at is null and expires_at > clock()
      )) as is_there
  `)

/**
 * Selects previews `p` that no runner has begun, and those that one has. For the number of pods that are needed: those
 * whose engine is left alone need none.
 */
export const WAITING_PREVIEWS = sql.fragment`
  select p.no, p.team_id, p.created_at from previews p where ${IS_FREE} and not ${IS_LEFT_ALONE}`
export const LEASED_PREVIEWS = sql.fragment`
  select p.no from previews p
  where p.answer is null and (p.deadline_at > clock() or ${IS_ASKING}) and p.leased_until > clock()
    and p.holder is not null and not ${IS_FREE}`
