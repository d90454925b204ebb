import { sql } from 'slonik'
import Type from 'typebox'
import { TRIAL_DAYS, type PlanLimits, type Tier } from '../../schema/account/plan.ts'
import type { Store, Queryable } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'

type Fragment = ReturnType<typeof sql.fragment>

/** The pools of a team. Checks of kinds without their own pool take from `runs`. */
export type Pool = 'runs' | 'visual' | 'serp'

/** Selects a limit of `l`, a row of `team_limits(…)`. Null: no limit. */
export const limitOf = (name: keyof PlanLimits) => sql.fragment`(l.limits->>${sql.literalValue(name)})::bigint`

/** Days of a team's retention window, from `l`. Every plan has this limit. */
export const RETENTION_DAYS = sql.fragment`${limitOf('retentionDays')}::int`

/** The instant before which runs, deliveries and audit events are hidden, from `l`. */
export const CUTOFF = sql.fragment`clock() - make_interval(days => ${RETENTION_DAYS})`

/** Returns that instant for one team, as a scalar subquery. */
export const retentionCutoff = (teamId: string) => sql.fragment`
  (select ${CUTOFF} from team_limits(${teamId}::uuid) l)`

/** The plan's window as columns of `l`: `tier`, `retention_days`, `cutoff_at`. */
export const RETENTION_COLUMNS = sql.fragment`l.tier, ${RETENTION_DAYS} as retention_days, ${CUTOFF} as cutoff_at`
export const retentionProperties = {
  tier: Type.Unsafe<Tier>({}),
  retention_days: Type.Integer(),
  cutoff_at: Type.String(),
}

const cap = row({ tier: Type.Unsafe<Tier>({}), deliveries: Type.Integer() })

/** Returns how many deliveries one monitor of the team may have. Every plan has this limit. */
export async function findDeliveryCap(store: Queryable, teamId: string) {
  return store.one(sql.type(cap)`
    select l.tier, ${limitOf('maxDeliveriesPerMonitor')} as deliveries from team_limits(${teamId}::uuid) l
  `)
}

/** Is true when the trial of `u`, a row of `team_usage`, has ended without a plan. */
export const TRIAL_OVER = trialOver(sql.fragment`clock()`)

function trialOver(at: Fragment): Fragment {
  return sql.fragment`case when u.trial_ends_at is null then false else u.trial_ends_at <= ${at} end`
}

/**
 * Is true while the period of `u`, a row of `team_usage`, goes on. After its end nothing is taken until the next one
 * begins (`renewPeriods`), so that no run counts in a period that is over, and no credits pay for it.
 */
export const inPeriod = (at: Fragment) => sql.fragment`coalesce(u.resets_at > ${at}, true)`

/** Is true when `c`, a row of `checks`, has a run under way or waiting, which has been paid for. */
export const IS_PAID = sql.fragment`(c.run_id is not null or c.queued_run_id is not null)`

/** The same of a search: its run is not paid while its engine is left alone (store/queue/claim-search.ts). */
export const IS_SEARCH_PAID = sql.fragment`
  (case when c.run_id is null then c.queued_run_id is not null else not c.is_unpaid end)`

/** Used when there is no limit: far above any real use, and far from overflow when credits are added. */
const NO_LIMIT = 1_000_000_000_000_000

/**
 * Joins `team_usage u` with a row `pool`: the pool that pays for a check of a queue. All statements that take or count
 * runs use it.
 *
 *     kind       runs, visual or serp: the team's separate pool, or the pool of runs without one
 *     used       runs taken from it
 *     most       its size; null: no limit
 *     room       runs left in it; none after a trial
 *     remaining  runs left, including the credits, which pay after the pool for any kind of check; none after a trial
 *
 * It consists only of expressions over `u`. For a locked row, they are therefore computed from its newest version. `at`
 * is the time.
 */
export const poolOf = (queue: Fragment, at: Fragment = sql.fragment`clock()`) => sql.fragment`
  cross join lateral (
    select kind, used, most, room, case when is_over then 0 else room + u.credits end as remaining
    from (
      select kind, used, most, is_over, case
        when is_over then 0
        else greatest(coalesce(most - used, ${sql.literalValue(String(NO_LIMIT))}::bigint), 0) end as room
      from (
        select kind, ${trialOver(at)} as is_over,
          case kind when 'visual' then u.visual_used when 'serp' then u.serp_used else u.runs_used end as used,
          case kind when 'visual' then u.visual_limit when 'serp' then u.serp_limit else u.runs_limit end as most
        from (
          select case
            when ${queue} = 'visual' and u.visual_limit is not null then 'visual'
            when ${queue} = 'serp' and u.serp_limit is not null then 'serp'
            else 'runs' end as kind
        ) named
      ) sized
    ) left_over
  ) pool`

/**
 * The `set` of an update of `team_usage u` that takes `cost` runs: first from the pool, the rest from the credits. It
 * needs a row `own` with `kind`, `room` and `cost`. The cost must not exceed what remains.
 */
export const TAKEN = sql.fragment`
  runs_used = u.runs_used + case own.kind when 'runs' then least(own.cost, own.room) else 0 end,
  visual_used = u.visual_used + case own.kind when 'visual' then least(own.cost, own.room) else 0 end,
  serp_used = u.serp_used + case own.kind when 'serp' then least(own.cost, own.room) else 0 end,
  credits = u.credits - greatest(own.cost - own.room, 0)`

/** Takes the `cost` runs of the row `own`, and returns the team's id, if so many remain. */
export const RESERVE = sql.fragment`
  update team_usage u
  set ${TAKEN}
  from own
  where u.team_id = own.team_id and own.cost <= own.remaining
  returning u.team_id`

/**
 * When the pool `own` is renewed. Null: never, or it has no runs, as for searches on a plan without SERP. Then only
 * credits can pay.
 */
export const CREDITS_ONLY_RESET = sql.fragment`case when own.kind = 'runs' or own.most > 0 then own.resets_at end`

/**
 * The end of the period of `team_usage u`, of the team `t`, as the API shows it. A trial, whose pools are not renewed,
 * ends with it.
 */
export const RUNS_RESET_AT = sql.fragment`
  coalesce(u.resets_at, t.trial_ends_at,
    u.period_start + make_interval(days => ${sql.literalValue(String(TRIAL_DAYS))}))`

/** Most checks of one queue of a team that one pass puts to rest. */
const MAX_RESTING = 5_000

/**
 * Puts the due checks of teams without runs to rest until their period ends, or for a day, so that claims do not look
 * at them. Their nominal time stays. Runs that are paid already are left. A team that gets runs wakes them itself
 * (000007-quota.sql).
 */
export async function restUsedUp(store: Store): Promise<void> {
  await store.query(sql.type(nothing)`
    with t as materialized (select clock() as at),
    u as materialized (
      select u.*, t.at, least(u.resets_at, t.at + interval '1 day') as until
      from team_usage u, t
      where u.is_used_up and ${inPeriod(sql.fragment`t.at`)}
      for update of u skip locked
    ),
    due as materialized (
      select c.no, u.until
      from u cross join unnest('{static,browser,visual}'::check_queue[]) q (queue) ${poolOf(sql.fragment`q.queue`)}
      cross join lateral (
        select no from checks
        where team_id = u.team_id and queue = q.queue and due_at <= u.at and next_run_at is not null
          and run_id is null and queued_run_id is null and cost > pool.remaining
        order by due_at
        limit ${MAX_RESTING}
        for update skip locked
      ) c
    )
    update checks c set due_at = due.until from due where c.no = due.no
  `)
}

/** The part of an update of `team_usage` that begins a period: nothing is used yet. */
export const NOTHING_USED = sql.fragment`
  runs_used = 0, visual_used = 0, serp_used = 0, llm_calls_used = 0, screenshot_bytes_used = 0, proxy_bytes_used = 0,
  provider_pages_used = 0`

/** The part of an update of `team_usage` that sets the month of an anchor in which a time lies. */
export const monthOf = (anchor: Fragment, at: Fragment) => sql.fragment`
  anchor_at = ${anchor}, period_start = month_from(${anchor}, months_past(${anchor}, ${at}) - 1),
  resets_at = month_from(${anchor}, months_past(${anchor}, ${at}))`

/**
 * Is true when the period of `u`, a row of `team_usage`, is the one that began at `period` (text of an instant). Its
 * beginning may have moved back since, as when a subscription says from when its months count. Runs that were used in
 * it stay counted then (`anchorPeriod`).
 */
export const isSamePeriod = (period: string) => sql.fragment`u.period_start <= ${period}::timestamptz`

/**
 * Begins the next month of every quota whose period has ended, or of one team's: the month of its anchor in which the
 * current time lies. A period that began on the 31st ends on the last day of a shorter month, and on the 31st again
 * after that.
 */
export async function renewPeriods(store: Queryable, teamId: string | null = null): Promise<void> {
  const whose = teamId === null ? sql.fragment`true` : sql.fragment`u.team_id = ${teamId}::uuid`
  await store.query(sql.type(nothing)`
    with t as materialized (select clock() as at),
    ended as materialized (
      select u.team_id, coalesce(u.anchor_at, u.resets_at) as anchor, t.at
      from team_usage u, t
      where u.resets_at <= t.at and ${whose}
      for update of u ${teamId === null ? sql.fragment`skip locked` : sql.fragment``}
    )
    update team_usage u
    set ${NOTHING_USED}, ${monthOf(sql.fragment`e.anchor`, sql.fragment`e.at`)}
    from ended e
    where u.team_id = e.team_id
  `)
}
