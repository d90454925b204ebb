import { sql } from 'slonik'
import Type from 'typebox'
import { WORK_LEVEL } from '../../schema/level.ts'
import { SERP_ENGINES, type SerpEngine } from '../../schema/serp/serp-search.ts'
import type { Store } from '../db/client.ts'
import { nothing, row, unnest } from '../db/row.ts'
import { askedLeaseSeconds, type Held } from './lease.ts'

/** A condition on `serp_exits x` and the input `i`. With `holder`: only what this runner token has leased. */
const hasExit = (holder: number | null) => sql.fragment`
  x.check_no = i.no and x.check_fence = i.fence and (${holder}::int is null
    or exists (select from checks c where c.no = i.no and c.fence = i.fence and c.holder = ${holder}::int)
    or exists (select from asked_work a where a.no = i.no and a.fence = i.fence and a.holder = ${holder}::int))`

/** Keeps the exits of running searches, as a heartbeat keeps their leases. */
export async function keepExits(
  store: Store,
  checks: readonly Held[],
  leaseSeconds: number,
  holder: number | null = null,
): Promise<void> {
  await store.query(sql.prepared('keep_exits', nothing)`
    update serp_exits x
    set busy_until = clock() + make_interval(secs => case
      when exists (select from asked_work a where a.no = i.no and a.holder is not null)
      then ${askedLeaseSeconds(leaseSeconds)}::float8 else ${leaseSeconds} end)
    from ${unnest('i', checks, { no: 'int8', fence: 'int4' })}
    where ${hasExit(holder)} and x.busy_until is not null
  `)
}

/** The next time of an exit: the spacing after now, and up to a half more, so that the checks have no rhythm. */
export const NEXT_AT_EXIT = (spacingMs: number) => sql.fragment`
  clock() + make_interval(secs => ${spacingMs} * (1 + random() / 2) / 1000.0)`

/** Frees the exits of checks that are given back. The engine may have been asked, so the spacing is kept. */
export async function freeExits(
  store: Store,
  checks: readonly Held[],
  spacingMs: number,
  holder: number | null = null,
): Promise<void> {
  await store.query(sql.prepared('free_exits', nothing)`
    update serp_exits x
    set busy_until = null, check_no = null, next_at = ${NEXT_AT_EXIT(spacingMs)}
    from ${unnest('i', checks, { no: 'int8', fence: 'int4' })}
    where ${hasExit(holder)}
  `)
}

const leftAloneUntil = row({ until_ms: Type.Union([Type.Number(), Type.Null()]) })

/** Returns until when an engine is left alone, in ms since the epoch. Null: it may be asked. */
export const engineRefusedUntil = (store: Pick<Store, 'oneFirst'>, engine: SerpEngine): Promise<number | null> =>
  store.oneFirst(sql.type(leftAloneUntil)`
    select (extract(epoch from max(refused_until)) * 1000)::float8 as until_ms
    from serp_engines where engine = ${engine} and refused_until > clock()`)

const refusal = row({
  engine: Type.String(),
  /** Null: it may be asked again. */
  left_alone_until: Type.Union([Type.String(), Type.Null()]),
  refusals: Type.Integer(),
})

/** Returns the engines whose last answer was a refusal. */
export const listRefusals = (store: Pick<Store, 'any'>) =>
  store.any(sql.type(refusal)`
    select engine, case when refused_until > clock() then refused_until end as left_alone_until, refusals
    from serp_engines where refusals > 0 order by engine`)

const areBusy = row({ are_busy: Type.Boolean() })

/** Returns whether each exit of the last hour is taken at an engine, or waits for its next time there. */
export const areExitsBusy = (store: Pick<Store, 'oneFirst'>, engine: SerpEngine): Promise<boolean> =>
  store.oneFirst(sql.type(areBusy)`
    select coalesce(bool_and(next_at > clock() or coalesce(busy_until > clock(), false)), false) as are_busy
    from serp_exits where engine = ${engine} and next_at > clock() - interval '1 hour'`)

/** An exit is taken until it is freed, its engine is left alone for some time, or another search has it. */
type TakenExit =
  | { readonly kind: 'taken' }
  | { readonly kind: 'left_alone'; readonly untilMs: number }
  | { readonly kind: 'busy' }

interface WantedExit {
  /** The search: it is asked work of this process. */
  readonly held: Held
  readonly engine: SerpEngine
  readonly exit: string
  readonly seconds: number
}

const exitState = row({ refused_until_ms: Type.Union([Type.Number(), Type.Null()]), is_taken: Type.Boolean() })

/** Takes an exit for a search that no monitor makes. Its number stands for it as that of a check does for a check. */
export async function takeExit(store: Store, { held, engine, exit, seconds }: WantedExit): Promise<TakenExit> {
  await isAnyDue(store, exit)
  const { refused_until_ms: untilMs, is_taken } = await store.one(sql.prepared('take_exit', exitState)`
    with pause as materialized (
      select max(refused_until) as until from serp_engines where engine = ${engine} and refused_until > clock()
    ),
    taken as (
      update serp_exits x
      set busy_until = clock() + make_interval(secs => ${seconds}), check_no = ${held.no}, check_fence = ${held.fence}
      from pause
      where x.exit = ${exit} and x.engine = ${engine} and pause.until is null
        and x.next_at <= clock() and coalesce(x.busy_until <= clock(), true)
      returning x.engine
    )
    select (extract(epoch from pause.until) * 1000)::float8 as refused_until_ms, exists (select from taken) as is_taken
    from pause
  `)
  if (untilMs !== null) return { kind: 'left_alone', untilMs }
  return { kind: is_taken ? 'taken' : 'busy' }
}

const due = row({ is_due: Type.Boolean() })

/** Returns whether a search is due. The rows of a new exit are made before its first claim. */
export async function isAnyDue(store: Store, exit: string | null): Promise<boolean> {
  return store.oneFirst(sql.prepared('searches_due', due)`
    with made as (
      insert into serp_exits (engine, exit)
      select engine, ${exit}::text from unnest(${sql.array([...SERP_ENGINES], 'text')}) engine
      where ${exit}::text is not null and not exists (select from serp_exits where exit = ${exit}::text)
      on conflict do nothing
    )
    select exists (
      select from checks where queue = 'serp' and level <= ${WORK_LEVEL}::smallint and due_at <= clock()) as is_due
  `)
}
