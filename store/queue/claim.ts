import { sql } from 'slonik'
import Type, { type Static, type TObject, type TProperties } from 'typebox'
import type { CheckQueue } from '../../core/check-queue.ts'
import { WORK_LEVEL } from '../../schema/level.ts'
import type { FetchReason } from '../../schema/run/run.ts'
import { SerpSearch } from '../../schema/serp/serp-search.ts'
import type { Queryable } from '../db/client.ts'
import { rowOf, type RowSchema } from '../db/row.ts'
import { inPeriod, IS_PAID, poolOf, TAKEN } from '../quota/pool.ts'
import { ownLevels } from './own-levels.ts'

const Bytes = Type.Unsafe<Buffer | null>({})

/** The properties of every claimed check, with the fence to record it under. */
const CHECK = {
  no: Type.Integer(),
  fence: Type.Integer(),
  run_id: Type.String(),
  team_id: Type.String(),
  monitor_id: Type.String(),
  name: Type.String(),
  /** The nominal time of the check, in ms since the epoch; null when a person asked for it. */
  due_ms: Type.Union([Type.Number(), Type.Null()]),
  claimed_ms: Type.Number(),
  /** Failures in a row before this check. */
  failures: Type.Integer(),
  /** It was failing before a user or an edit set its failures to 0. */
  was_failing: Type.Boolean(),
  reading_id: Type.Union([Type.String(), Type.Null()]),
  reading_hash: Bytes,
  read_by: Type.Integer(),
}

const Claimed = Type.Object({ ...CHECK, kind: Type.String() })
/** A check of any kind, leased to this process. */
export type Claimed = Static<typeof Claimed>

type Fragment = ReturnType<typeof sql.fragment>

export interface ClaimedKind {
  /** Columns of `h`, a row of `checks` with the time `at`, and of its monitor `m`; those of other kinds are null. */
  readonly columns: Fragment
  /** Their properties in its rows, which have those of `CHECK` too. `kind` is the name of the kind. */
  readonly row: TProperties
}

const PAGE = {
  kind: Type.Literal('page'),
  url: Type.String(),
  fetch_mode: Type.String(),
  extract_config: Type.Unknown(),
  request_config: Type.Unknown(),
  visual_config: Type.Unknown(),
  request_headers: Bytes,
  body_hash: Bytes,
  etag: Type.Union([Type.String(), Type.Null()]),
  last_modified: Type.Union([Type.String(), Type.Null()]),
  /**
   * The check is in the browser queue because of an earlier static result, and the static layer is to be tried again.
   */
  tries_static: Type.Boolean(),
  /**
   * It is in the browser queue because rules had no match in the static result, and has not been rendered for that yet.
   */
  renders_missing: Type.Boolean(),
  /** It is rendered, and may be read without its media. */
  without_media: Type.Boolean(),
  /** Why its layer is remembered; null: the layer follows from the configuration. */
  layer_reason: Type.Unsafe<FetchReason | null>({}),
}
const ClaimedPage = Type.Object({ ...CHECK, ...PAGE })
/** The check of a page, leased to this process: the input of a fetch and an extraction. */
export type ClaimedPage = Static<typeof ClaimedPage>

/** One of so many checks renders its page with its media, whatever it reads without them. */
const WITH_MEDIA_EACH = 24

export const CLAIMED_PAGE: ClaimedKind = {
  columns: sql.fragment` m.url, m.fetch_mode, m.extract_config, m.request_config, m.visual_config, m.request_headers,
  h.body_hash, h.etag, h.last_modified,
  h.queue = 'browser' and m.fetch_mode = 'auto' and h.static_again_at <= h.at is true as tries_static,
  h.queue = 'browser' and h.static_again_at = '-infinity' is true as renders_missing, h.layer_reason,
  h.queue = 'browser' and coalesce(h.media_again_at <= h.at, true) and h.runs_total % ${WITH_MEDIA_EACH} <> 0
    as without_media`,
  row: PAGE,
}

/**
 * Returns the `SerpSearch` of a monitor `m`; null when it is that of a page. A check asks for as many pages as it is
 * paid with, which is its `cost`.
 */
export const searchOf = (pages: Fragment) => sql.fragment`
  case when m.kind = 'serp' then json_build_object(
    'engine', m.engine, 'keyword', m.keyword, 'pages', ${pages},
    'location_code', m.location_code, 'language_code', m.language_code, 'device', m.device) end`

const SEARCH = {
  kind: Type.Literal('serp'),
  search: SerpSearch,
  /**
   * The engine refused, and is not asked before this time. In ms since the epoch; absent or null: it may be asked.
   */
  refused_until_ms: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
}
const ClaimedSearch = Type.Object({ ...CHECK, ...SEARCH })
/** The check of a search, leased to this process. */
export type ClaimedSearch = Static<typeof ClaimedSearch>

export const CLAIMED_SEARCH: ClaimedKind = {
  columns: sql.fragment`
  ${searchOf(sql.fragment`h.cost`)} as search`,
  row: SEARCH,
}

/** Selects the columns of claimed checks of these kinds. */
export const claimedColumns = (kinds: readonly ClaimedKind[]) => sql.fragment`
  h.no, h.fence, h.run_id, h.team_id, m.id as monitor_id, m.name,
  (extract(epoch from h.next_run_at) * 1000)::float8 as due_ms, (extract(epoch from h.at) * 1000)::float8 as claimed_ms,
  h.failures, h.was_failing, h.reading_id, h.reading_hash, h.read_by,
  m.kind,${sql.join(
    kinds.map(({ columns }) => columns),
    sql.fragment`,`,
  )}`

/** Returns the schema of their rows, which have these properties too. */
export const claimedRow = <More extends TProperties>(kinds: readonly ClaimedKind[], more: More) =>
  rowOf(Type.Union(kinds.map(({ row }) => Type.Object({ ...CHECK, ...row, ...more })))) as RowSchema<
    Claimed & Static<TObject<More>>
  >

export interface ClaimColumns {
  readonly columns: Fragment
  readonly row: RowSchema<Claimed>
}

export const claimedOf = (kinds: readonly ClaimedKind[]): ClaimColumns => ({
  columns: claimedColumns(kinds),
  row: claimedRow(kinds, {}),
})

/** How checks are leased. `isUnpaid`: whether the runs of searches are not paid. Absent: they are pages. */
interface Leasing {
  readonly leaseSeconds: number
  readonly holder: number | null
  readonly isUnpaid?: boolean
}

/**
 * Leases the checks in `picked` at the time `t.at`. A check whose run was claimed before and never recorded keeps the
 * run's id. `picked` has what the run costs now, as `cost`, and how much of that credits pay, as `credits`.
 */
export const leased = ({ leaseSeconds, holder, isUnpaid }: Leasing) => sql.fragment`
  update checks c
  set due_at = t.at + make_interval(secs => ${leaseSeconds}),
    fence = c.fence + 1,
    holder = ${holder}::int,
    run_id = coalesce(c.run_id, c.queued_run_id, new_run_id(t.at, c.no)),
    queued_run_id = case when c.run_id is null then null else c.queued_run_id end,
    credits_paid = case when picked.cost > 0 then picked.credits else c.credits_paid end
    ${isUnpaid === undefined ? sql.fragment`` : sql.fragment`, is_unpaid = ${isUnpaid}`}
  from picked, t
  where c.no = picked.no
  returning c.*, t.at`

/** How much to claim. */
export interface ClaimRequest {
  readonly queue: CheckQueue
  /** Largest number of checks. */
  readonly limit: number
  /**
   * Largest number of checks of one team. Null: `limit`, divided by the teams that have due work, so that many checks
   * of one team do not starve the others.
   */
  readonly perTeam: number | null
  /**
   * A claim looks at teams whose id is after this one. It is the cursor of a round over all teams; '' starts a new
   * round.
   */
  readonly afterTeam: string
  /** Teams whose checks are left to others. Default: none. */
  readonly exceptTeams?: readonly string[]
  readonly leaseSeconds: number
  /** The runner token that is used to claim over HTTP. Absent: a worker claims. */
  readonly holder?: number | null
  /** Claims this isolated check and no other. Absent or null: any that is not isolated. */
  readonly only?: number | null
  /** The level of who does the checks. Default: that of this process. */
  readonly level?: number
}

/** Teams that one claim looks at. It limits the cost of a claim when there are many teams. */
export const TEAMS_PER_CLAIM = 256
const NO_TEAM = '00000000-0000-0000-0000-000000000000'

/**
 * Claims due checks in one statement. It takes teams that have due work and quota, locks their usage rows, and skips
 * teams that another claim has locked. Of each team it takes the most overdue checks: `due_at` moves to the end of the
 * lease, the fence is raised, the run id is set, and the quota is counted. A check that costs more than its team has
 * left stays in the queue. A check whose run was claimed before and never recorded keeps its run id and is not counted
 * again. Checks above the level are never looked at, however many are due.
 *
 * Tried and rejected: one index over due_at for all teams (many checks of one team starve the rest; a second, fair
 * statement was needed under backlog); a separate queue table (three more writes for each check).
 */
export async function claimChecks(
  store: Queryable,
  { columns, row }: ClaimColumns,
  request: ClaimRequest,
): Promise<readonly Claimed[]> {
  const { queue, limit, perTeam, afterTeam, exceptTeams = [], leaseSeconds, holder = null, only = null } = request
  const { level = WORK_LEVEL } = request
  const share = sql.fragment`least(
    coalesce(${perTeam}::bigint, (select ceil(${limit}::numeric / count(*))::bigint from team)),
    case when team.remaining > 0 then team.remaining end
  )`
  const mine = only === null ? sql.fragment`not c.is_isolated` : sql.fragment`c.is_isolated and c.no = ${only}`
  return store.any(sql.prepared(`${only === null ? 'claim_checks' : 'claim_isolated_check'}_${level}`, row)`
    with t as materialized (select clock() as at),
    -- The remaining runs are read from the locked row: the statement's own snapshot may be older than the count of
    -- the previous claim.
    team as materialized (
      select u.team_id, pool.kind, pool.room, pool.remaining
      from team_usage u ${poolOf(sql.fragment`${queue}::check_queue`, sql.fragment`(select at from t)`)}
      -- A team is considered only if a due check is already paid or the team has runs left. Otherwise teams whose
      -- quota is used up would fill the limit of this claim. The most overdue check is the cheapest one to find:
      -- because of the order, the planner uses the index and never reads the table.
      cross join lateral (
        select from ${ownLevels(level)} cross join lateral (
          select from checks c
          where c.team_id = u.team_id and c.queue = ${queue}::check_queue and c.level = own.level
            and c.due_at <= (select at from t) and ${mine} and (${IS_PAID} or c.cost <= pool.remaining)
          order by c.due_at
          limit 1
        ) first
        limit 1
      ) due
      where u.team_id > ${afterTeam === '' ? NO_TEAM : afterTeam}::uuid
        and u.team_id <> all (${sql.array(exceptTeams, 'uuid')})
        and ${inPeriod(sql.fragment`(select at from t)`)}
      order by u.team_id
      limit ${TEAMS_PER_CLAIM}
      for update of u skip locked
    ),
    picked as materialized (
      select c.no, team.team_id, c.cost, least(c.cost, greatest(c.cost_so_far - team.room, 0)) as credits
      from team
      cross join lateral (
        select no, cost, sum(cost) over (rows unbounded preceding) as cost_so_far
        from (
          select of_level.no, of_level.cost
          from ${ownLevels(level)} cross join lateral (
            select no, due_at, case when run_id is null and queued_run_id is null then cost else 0 end as cost
            from checks c
            where team_id = team.team_id and queue = ${queue}::check_queue and c.level = own.level
              and due_at <= (select at from t) and ${mine}
              and (cost <= team.remaining or run_id is not null or queued_run_id is not null)
            order by due_at
            limit ${share}
            for update skip locked
          ) of_level
          order by due_at
          limit ${share}
        ) due
      ) c
      where c.cost_so_far <= team.remaining
      limit ${limit}
    ),
    counted as (
      update team_usage u
      set ${TAKEN}
      from (
        select team.team_id, team.kind, team.room, fresh.cost
        from (select team_id, sum(cost) as cost from picked group by team_id) fresh
        join team using (team_id)
        where fresh.cost > 0
      ) own
      where u.team_id = own.team_id
    ),
    leased as (${leased({ leaseSeconds, holder })})
    select ${columns}
    from leased h join monitors m on m.no = h.no
  `)
}
