import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import { allowedBy } from '../../core/machine/plan.ts'
import type { SerpAccess } from '../../core/plan/serp-access.ts'
import type { PlanLimits, Tier } from '../../schema/account/plan.ts'
import type { Usage } from '../../schema/account/usage.ts'
import type { Queryable } from '../db/client.ts'
import { row, rowOf } from '../db/row.ts'
import { poolOf, RUNS_RESET_AT } from './pool.ts'

const Null = Type.Null()
const TeamUsage = Type.Object({
  tier: Type.Unsafe<Tier>({}),
  serp: Type.Unsafe<SerpAccess>({}),
  limits: Type.Unsafe<PlanLimits>({}),
  runs_used: Type.Number(),
  runs_limit: Type.Union([Type.Number(), Null]),
  visual_used: Type.Number(),
  visual_limit: Type.Union([Type.Number(), Null]),
  provider_pages_used: Type.Number(),
  serp_used: Type.Number(),
  serp_limit: Type.Union([Type.Number(), Null]),
  llm_calls_used: Type.Number(),
  proxy_bytes_used: Type.Number(),
  screenshot_bytes_used: Type.Number(),
  configuration_bytes: Type.Number(),
  credits: Type.Number(),
  period_start: Type.String(),
  resets_at: Type.String(),
  trial_ends_at: Type.Union([Type.String(), Null]),
  trial_active: Type.Boolean(),
  is_billing: Type.Boolean(),
  runs_per_day: Type.Number(),
  used_up_at: Type.Union([Type.String(), Null]),
  monitors_active: Type.Number(),
  monitors_locked: Type.Number(),
  serp_monitors_locked: Type.Number(),
})
type TeamUsage = Static<typeof TeamUsage>
const teamUsage = rowOf(TeamUsage)

/**
 * Joins the team `t` and its `team_usage u` with `pace`: the runs a day of its scheduled monitors, and when the first
 * of its pools is used up, credits included, unless the period ends before.
 */
const PACE = sql.fragment`
    cross join lateral (
      select coalesce(round((sum(rate) * 86400)::numeric, 2), 0)::float8 as runs_per_day,
        min(case when most is not null and seconds < extract(epoch from ${RUNS_RESET_AT} - clock())
          then clock() + make_interval(secs => seconds) end) as used_up_at
      from (
        select pool.most, sum(c.cost::float8 / c.interval_seconds) as rate,
          greatest(pool.remaining, 0) / sum(c.cost::float8 / c.interval_seconds) as seconds
        from checks c ${poolOf(sql.fragment`c.queue`)}
        where c.team_id = t.id and c.next_run_at is not null
        group by pool.kind, pool.most, pool.remaining
      ) pools
    ) pace`

const forecast = row({ team: Type.String(), used_up_at: Type.String(), resets_at: Type.String() })

/** Returns the teams whose runs are used up before their period ends, at the present pace; the first ones first. */
export const teamsRunningOut = (store: Queryable, limit: number) =>
  store.any(sql.type(forecast)`
    select t.name as team, pace.used_up_at, ${RUNS_RESET_AT} as resets_at
    from teams t join team_usage u on u.team_id = t.id ${PACE}
    where u.runs_limit is not null and pace.used_up_at is not null
    order by pace.used_up_at, t.id
    limit ${limit}
  `)

const disk = row({
  team_id: Type.String(),
  team: Type.String(),
  owner: Type.Union([Type.String(), Null]),
  picture_bytes: Type.Number(),
  text_bytes: Type.Number(),
})

/** Returns the teams that use the most disk: for pictures of runs, and for texts of whole pages. */
export const diskOfTeams = (store: Queryable, limit: number) =>
  store.any(sql.type(disk)`
    with used as (
      select team_id, bytes::bigint as picture, 0::bigint as text from images where not doomed
      union all
      select team_id, 0, length(text) from page_texts
    ),
    sums as (
      select team_id, sum(picture)::float8 as picture_bytes, sum(text)::float8 as text_bytes from used group by team_id
    )
    select t.id::text as team_id, t.name as team, u.email as owner, s.picture_bytes, s.text_bytes
    from sums s join teams t on t.id = s.team_id left join auth.users u on u.id = t.owner_user_id
    order by s.picture_bytes + s.text_bytes desc, t.id
    limit ${limit}
  `)

/** Returns the team's usage summary. */
export async function readUsage(store: Queryable, teamId: string): Promise<Usage> {
  const found = await store.one(sql.prepared('read_usage', teamUsage)`
    select l.tier, l.serp, l.limits, u.runs_used, u.runs_limit, u.visual_used, u.visual_limit, u.serp_used,
      u.serp_limit,
      u.llm_calls_used, u.screenshot_bytes_used, u.proxy_bytes_used, u.provider_pages_used, u.credits,
      s.configuration_bytes, u.period_start,
      ${RUNS_RESET_AT} as resets_at, pace.runs_per_day, pace.used_up_at,
      t.trial_ends_at, t.tier = 'free' and coalesce(t.trial_ends_at > clock(), false) as trial_active,
      exists (select from subscriptions s where s.team_id = t.id and s.is_live) as is_billing,
      m.monitors_active, m.monitors_locked, m.serp_monitors_locked
    from teams t
    join team_usage u on u.team_id = t.id
    join team_storage s on s.team_id = t.id
    cross join lateral team_limits(t.id) l
    ${PACE}
    cross join lateral (
      select count(*) filter (where kind = 'page' and not paused and not suspended and not locked) as monitors_active,
        count(*) filter (where kind = 'page' and locked) as monitors_locked,
        count(*) filter (where kind = 'serp' and locked) as serp_monitors_locked
      from monitors where team_id = t.id and deleted_at is null
    ) m
    where t.id = ${teamId}::uuid
  `)
  return toUsage(found)
}

function toUsage(found: TeamUsage): Usage {
  const { tier, serp, credits, trial_ends_at: trialEndsAt, trial_active: trialActive } = found
  const isTrial = tier === 'free'
  const { maxTeamMembers: _, configurationBytes, ...limits } = found.limits
  return {
    monitorsActive: found.monitors_active,
    monitorsLocked: found.monitors_locked,
    serpMonitorsLocked: found.serp_monitors_locked,
    llmCallsThisMonth: found.llm_calls_used,
    proxyBytesThisMonth: found.proxy_bytes_used,
    screenshotBytesThisMonth: found.screenshot_bytes_used,
    configurationBytes: { used: found.configuration_bytes, limit: configurationBytes },
    runs: { used: found.runs_used, limit: found.runs_limit },
    visualRuns: found.visual_limit === null ? null : { used: found.visual_used, limit: found.visual_limit },
    serpRuns: found.serp_limit === null || serp === 'none' ? null : { used: found.serp_used, limit: found.serp_limit },
    serpProviderPagesThisMonth: found.provider_pages_used,
    serpAllowed: allowedBy({ tier, serp, trialActive, credits }).searches,
    serpViaCredits: serp === 'none',
    runCredits: credits,
    serpTrialEndsAt: serp === 'trial' ? trialEndsAt : null,
    trialEndsAt: isTrial ? trialEndsAt : null,
    trialActive,
    runsPeriodStart: found.period_start,
    runsResetAt: found.resets_at,
    pace: { runsPerDay: found.runs_per_day, usedUpAt: found.used_up_at },
    runsPeriodIsBilling: found.is_billing,
    tier,
    limits: { ...limits, serp },
  }
}
