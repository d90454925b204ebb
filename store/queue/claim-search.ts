import { sql } from 'slonik'
import { WORK_LEVEL } from '../../schema/level.ts'
import type { Store } from '../db/client.ts'
import { nothing, type RowSchema } from '../db/row.ts'
import { sqlStateOf } from '../db/store-fault.ts'
import { askedRuns, giveBack, paymentsOfRuns } from '../quota/give-back.ts'
import { CREDITS_ONLY_RESET, inPeriod, IS_SEARCH_PAID, poolOf, TAKEN } from '../quota/pool.ts'
import { CLAIMED_SEARCH, claimedOf, type ClaimedSearch, leased } from './claim.ts'
import { NEXT_RUN, PRICE_AFTER, withTable } from './finished-check.ts'
import { ensureRunPartitions, NO_PARTITION } from './record-reading.ts'
import { isAnyDue } from './search-exits.ts'

const CLAIMED = claimedOf([CLAIMED_SEARCH])
const claimed = CLAIMED.row as RowSchema<ClaimedSearch>

/** How much to claim, and for whom. */
export interface SearchClaim {
  /** The name of the address that the checks will come from (`TIDEMARK_EXIT_NAME`). Null: they ask no engine. */
  readonly exit: string | null
  readonly limit: number
  readonly leaseSeconds: number
  /** The runner token that is used to claim over HTTP. Null: a worker claims. */
  readonly holder: number | null
  /** A provider answers for Google while Google is left alone. */
  readonly hasProvider: boolean
  /** The level of who does the checks. Default: that of this process. */
  readonly level?: number | undefined
}

/**
 * Claims due checks of searches: at most one for each engine that is free at this exit, and those whose engine is left
 * alone. The latter ask no engine, so they take no exit and cost nothing, unless a provider answers in its place. A
 * check that its team cannot pay for is recorded as skipped. Processes without a browser claim what asks no engine too,
 * so that nothing of it waits for a runner.
 *
 * The two kinds of queue have separate statements, so that pages are claimed as fast as before.
 */
export async function claimSearches(store: Store, claim: SearchClaim): Promise<readonly ClaimedSearch[]> {
  if (!(await isAnyDue(store, claim.exit))) return []
  await skipUnpaid(store)
  const searches: ClaimedSearch[] = [...(await claimLeftAlone(store, claim))]
  if (claim.exit === null && !claim.hasProvider) return searches
  while (searches.length < claim.limit) {
    const search = await claimOne(store, claim)
    if (search === null) break
    searches.push(search)
  }
  return searches
}

/**
 * Claims one check: of an engine that is free here and not left alone, or of Google while a provider answers for it.
 * Teams take turns at each engine, so that many checks of one do not starve the others. Locks are never waited for: who
 * holds one is quick, and the next claim comes soon.
 */
async function claimOne(store: Store, claim: SearchClaim): Promise<ClaimedSearch | null> {
  const { exit, leaseSeconds, hasProvider, level = WORK_LEVEL } = claim
  return store.maybeOne(sql.prepared('claim_search', claimed)`
    with t as materialized (select clock() as at),
    free as materialized (
      select x.engine, x.last_team
      from serp_exits x
      where x.exit = ${exit}::text and x.next_at <= clock() and coalesce(x.busy_until <= clock(), true)
        and not exists (select from serp_engines e where e.engine = x.engine and e.refused_until > clock())
      for update of x skip locked
    ),
    slot as (
      select engine, last_team, null::timestamptz as refused_until from free
      union all
      select engine, null, refused_until from serp_engines, t
      where ${hasProvider} and engine = 'google' and refused_until > t.at
    ),
    candidate as materialized (
      select found.no, found.team_id, slot.engine, slot.refused_until
      from slot cross join t cross join lateral (
        select c.no, c.team_id
        from checks c
        join monitors m on m.no = c.no and m.engine = slot.engine
        join team_usage u on u.team_id = c.team_id ${poolOf(sql.fragment`'serp'`)}
        where c.queue = 'serp' and c.level <= ${level}::smallint and c.due_at <= t.at
          and (${IS_SEARCH_PAID} or c.cost <= pool.remaining) and ${inPeriod(sql.fragment`t.at`)}
        order by coalesce(c.team_id <= slot.last_team, false), c.team_id, c.due_at
        limit 1
      ) found
      limit 1
    ),
    paying as materialized (
      select u.team_id, pool.kind, pool.room, pool.remaining
      from candidate join team_usage u on u.team_id = candidate.team_id ${poolOf(sql.fragment`'serp'`)}
      where ${inPeriod(sql.fragment`(select at from t)`)}
      for update of u skip locked
    ),
    picked as materialized (
      select c.no, c.team_id, candidate.engine, candidate.refused_until, greatest(c.cost - paying.room, 0) as credits,
        case when ${IS_SEARCH_PAID} then 0 else c.cost end as cost
      from candidate cross join t join paying using (team_id)
      join checks c on c.no = candidate.no and c.queue = 'serp' and c.due_at <= t.at
        and (${IS_SEARCH_PAID} or c.cost <= paying.remaining)
      for update of c skip locked
    ),
    counted as (
      update team_usage u
      set ${TAKEN}
      from (
        select paying.team_id, paying.kind, paying.room, picked.cost
        from picked join paying using (team_id) where picked.cost > 0
      ) own
      where u.team_id = own.team_id
    ),
    leased as (${leased({ ...claim, isUnpaid: false })}),
    taken as (
      update serp_exits x
      set busy_until = t.at + make_interval(secs => ${leaseSeconds}), check_no = leased.no, check_fence = leased.fence,
        last_team = leased.team_id
      from leased join picked on picked.no = leased.no and picked.refused_until is null, t
      where x.exit = ${exit}::text and x.engine = picked.engine
    )
    select ${CLAIMED.columns}, (extract(epoch from picked.refused_until) * 1000)::float8 as refused_until_ms
    from leased h join picked on picked.no = h.no join monitors m on m.no = h.no
  `)
}

/**
 * Claims the checks whose engine is left alone. They ask nothing, so a run that is paid is given back to what it was
 * taken from: one that a person asked for, and one whose process died before it was recorded. Its id says when it was
 * paid. A period that is over gets nothing back, and the next one does not either. Where the process of such a check
 * dies in turn, the next claim pays, unless the engine is still left alone.
 */
async function claimLeftAlone(store: Store, claim: SearchClaim): Promise<readonly ClaimedSearch[]> {
  const { limit, hasProvider, level = WORK_LEVEL } = claim
  return store.any(sql.prepared('claim_left_alone', claimed)`
    with t as materialized (select clock() as at),
    alone as materialized (
      select engine, refused_until from serp_engines, t
      where refused_until > t.at and not (${hasProvider} and engine = 'google')
    ),
    due as materialized (
      select c.no, c.team_id, alone.refused_until
      from alone
      join monitors m on m.kind = 'serp' and m.engine = alone.engine
      join checks c on c.no = m.no
      cross join t
      where c.queue = 'serp' and c.level <= ${level}::smallint and c.due_at <= t.at
      order by c.due_at
      limit ${limit}
    ),
    team as materialized (
      select u.team_id, u.period_start, pool.remaining
      from team_usage u ${poolOf(sql.fragment`'serp'`)}
      where u.team_id in (select team_id from due)
      order by u.team_id
      for update of u skip locked
    ),
    found as materialized (
      select c.no, c.team_id, c.queue, c.cost, c.credits_paid, coalesce(c.run_id, c.queued_run_id) as id,
        due.refused_until, ${IS_SEARCH_PAID} as is_paid
      from due cross join t join team using (team_id)
      join checks c on c.no = due.no and c.queue = 'serp' and c.due_at <= t.at
        and (${IS_SEARCH_PAID} or c.cost <= team.remaining)
      for update of c skip locked
    ),
    asked as (${askedRuns(sql.fragment`found`)}),
    refunded as (
      ${giveBack(paymentsOfRuns(sql.fragment`found`, sql.fragment`asked`), sql.fragment`team`)}
    ),
    picked as (select no, refused_until, 0 as cost, 0 as credits from found),
    leased as (${leased({ ...claim, isUnpaid: true })})
    select ${CLAIMED.columns}, (extract(epoch from picked.refused_until) * 1000)::float8 as refused_until_ms
    from leased h join picked on picked.no = h.no join monitors m on m.no = h.no
  `)
}

/** Most checks that one statement records as skipped. */
const MAX_SKIPPED = 200

/**
 * Records due checks as skipped that need more runs than their teams have left: one run for each missed check. They are
 * due again at their next time, or as soon as the team has enough runs. A run that is paid already is never skipped.
 *
 * Where some runs are left, no pool passes 100 percent, so that is a separate event: once in a period for each size of
 * the pool, and once more after each purchase of credits.
 */
async function skipUnpaid(store: Store): Promise<void> {
  const skip = () =>
    store.query(sql.prepared('skip_unpaid', nothing)`
      with t as materialized (select clock() as at),
      due as materialized (
        select c.no, c.team_id, c.cost, ${withTable(sql.fragment`c.run_id`)} as run_id, pool.*, u.credits,
          u.credits_given, u.period_start, u.resets_at
        from t cross join checks c
        join team_usage u on u.team_id = c.team_id ${poolOf(sql.fragment`'serp'`)}
        where c.queue = 'serp' and c.level <= ${WORK_LEVEL}::smallint and c.due_at <= t.at and not ${IS_SEARCH_PAID}
          and c.cost > pool.remaining and ${inPeriod(sql.fragment`t.at`)}
        order by c.no
        limit ${MAX_SKIPPED}
        -- A purchase waits for the skip, and then wakes what was skipped (000007-quota.sql).
        for update of c skip locked for share of u skip locked
      ),
      moved as (
        update checks c
        set next_run_at = ${NEXT_RUN}, runs_total = c.runs_total + 1,
          due_at = case when c.queued_run_id is not null then t.at else ${NEXT_RUN} end,
          cost = ${PRICE_AFTER},
          -- The run of a check that was left alone, whose process died.
          run_id = null, fence = case when c.run_id is null then c.fence else c.fence + 1 end, holder = null
        from due, t
        where c.no = due.no
        returning c.no, c.team_id, t.at, due.cost, due.remaining, due.run_id
      ),
      short as (
        insert into notice_events (team_id, kind, detail, key)
        select own.team_id, 'quota',
          jsonb_build_object('pool', kind, 'threshold_pct', 100, 'used', used, 'limit', most,
            'credits_remaining', credits, 'resets_at', ${CREDITS_ONLY_RESET}, 'needs', cost),
          concat_ws(' ', 'quota', own.team_id, period_start, kind, 'short', most, credits_given)
        from (select distinct on (team_id) * from due where remaining > 0 order by team_id, cost) own
        on conflict (key) do nothing
      )
      insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, fired, error_message)
      select no, coalesce(run_id, new_run_id(at, no)), team_id, 0, 0, 'skipped', false,
        concat('The check needs ', cost, case cost when 1 then ' run' else ' runs' end, ', and ', remaining,
          ' are left. It is made again when there are enough: a larger plan or run credits give more.')
      from moved
    `)
  try {
    await skip()
  } catch (error) {
    if (sqlStateOf(error) !== NO_PARTITION) throw error
    await ensureRunPartitions(store)
    await skip()
  }
}
