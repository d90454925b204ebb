import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { RunChange } from '../../core/overview/run-change.ts'
import { FAILURES_UNTIL_ERROR } from '../../core/schedule.ts'
import type { MonitorStatus } from '../../schema/monitor/monitor.ts'
import { EVENT_LIMITS } from '../../schema/overview/event-limits.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { RunStatus } from '../../schema/run/run.ts'
import type { Queryable } from '../db/client.ts'
import { row, rowOf, unnest } from '../db/row.ts'
import { Stored } from '../monitors/kinds/monitor-row.ts'
import type { OverviewKind } from './wanted-monitors.ts'

interface WantedNews {
  readonly team_id: string
  /** The instant from which records count, as the last look answered it. Null: from now. */
  readonly since: string | null
}

/** A monitor whose runs are looked for. There is one of each. */
interface WatchedMonitor {
  readonly team_id: string
  readonly no: number
  /** Since when, where that is earlier than what its team is looked for. */
  readonly since: string | null
}

interface OfMonitor {
  readonly monitor_id: string
  readonly kind: MonitorKind
}
interface FoundChange extends OfMonitor {
  readonly run_id: string
  readonly at: string
  readonly fired: boolean | null
  /** Null: an earlier version recorded the run. */
  readonly change: RunChange | null
}
interface FoundDelivery extends OfMonitor {
  readonly id: string
  readonly run_id: string
  readonly status: 'failed' | 'dead'
}
interface FoundDeletion {
  readonly id: string
  readonly kind: MonitorKind
}
interface FoundCreation {
  readonly id: string
  readonly kind: MonitorKind
  readonly status: MonitorStatus
}
interface FoundRun extends OfMonitor {
  readonly no: number
  readonly run_id: string
  readonly at: string
  readonly status: RunStatus
}

const News = Type.Object({
  team_id: Type.String(),
  /** The clock of the store at this look. */
  at: Type.String(),
  /** Each of these is at most one longer than `EVENT_LIMITS.atOnce`, and has what the look before it had too. */
  changes: Stored<readonly FoundChange[]>(),
  deliveries: Stored<readonly FoundDelivery[]>(),
  deletions: Stored<readonly FoundDeletion[]>(),
  creations: Stored<readonly FoundCreation[]>(),
  runs: Stored<readonly FoundRun[]>(),
  /** It changes when a monitor of the team begins or stops to be active. `LOCKED_TEAM`: none is. */
  resting: Type.String(),
})
/** The records of a team since the last look. */
export type News = Static<typeof News>
const news = rowOf(News)

/** The `News.resting` of a team whose trial has ended. All of its monitors rest, and none of them is read. */
export const LOCKED_TEAM = 'locked'

/** Statements see what was committed before them, and what they look for has an earlier time. */
const OVERLAP = sql.fragment`interval '10 seconds'`
/**
 * A run has its place in the index of changes by the time at which it was claimed or asked for. One that ends later
 * after that is not told of: it is read with the next look at the list.
 */
const LONGEST_RUN = sql.fragment`interval '15 minutes'`
const WATCHED = { team_id: 'uuid', no: 'int8', since: 'timestamptz' } as const
const MOST = sql.literalValue(String(EVENT_LIMITS.atOnce + 1))
const FAILURES = sql.literalValue(String(FAILURES_UNTIL_ERROR))

/** Ends of runs `r` by their own time. The time of their record is that of the check, where none came later. */
const ENDED = sql.fragment`
  run_id_time(r.id) + make_interval(secs => (r.start_offset_ms + r.duration_ms) / 1000.0)`

const CHANGES = sql.fragment`
  select r.id as run_id, ${ENDED} as at, m.id as monitor_id, m.kind, r.fired or r.delivery_triggered as fired, r.change
  from runs r
  join checks c on c.no = r.monitor_no
  join monitors m on m.no = r.monitor_no and m.deleted_at is null
  where r.team_id = a.team_id and (r.change is not null or r.diff is not null)
    and r.id >= run_id_floor(a.since - ${LONGEST_RUN}) and c.last_run_at > a.since
    and (${ENDED} > a.since or not exists (select from runs n where n.monitor_no = r.monitor_no and n.id > r.id))
  order by r.id
  limit ${MOST}`

const DELIVERIES = sql.fragment`
  select d.id, d.run_id, d.status, m.id as monitor_id, m.kind
  from deliveries d join monitors m on m.no = d.monitor_no
  where d.team_id = a.team_id and d.status in ('failed', 'dead') and d.next_attempt_at is null
    and d.last_attempt_at > a.since
  order by d.last_attempt_at
  limit ${MOST}`

/** Of all teams at once: the index of deletions is by their time. */
const DELETED = sql.fragment`
  select team_id, id, kind, deleted_at from monitors where deleted_at > (select min(since) from asked)`

const DELETIONS = sql.fragment`
  select d.id, d.kind from deleted d
  where d.team_id = a.team_id and d.deleted_at > a.since
  order by d.deleted_at
  limit ${MOST}`

/** Along the index by which monitors are listed. */
const creationsOf = (kinds: readonly OverviewKind[]) => sql.fragment`
  select m.id, m.kind,
    case when m.locked then 'billing_paused' when m.paused or m.suspended then 'paused' else 'active' end as status
  from unnest(${sql.array(
    kinds.map(({ kind }) => kind),
    'text',
  )}) k (kind)
  join monitors m on m.team_id = a.team_id and m.kind = k.kind and m.deleted_at is null and m.created_at > a.since
  order by m.created_at
  limit ${MOST}`

const RUNS = sql.fragment`
  select x.no, l.id as run_id, c.last_run_at as at, m.id as monitor_id, m.kind, l.status
  from unnest(a.watched, a.watched_since) as x (no, since)
  join checks c on c.no = x.no and c.team_id = a.team_id
    and c.last_run_at > least(a.since, x.since - ${OVERLAP})
  join monitors m on m.no = x.no and m.deleted_at is null
  cross join lateral (select id, status from runs where monitor_no = x.no order by id desc limit 1) l`

/** Monitors `no` of a team that are not active, with a `code` of their status. Few are, and indexes have them. */
const restingOf = (team: ReturnType<typeof sql.fragment>, kinds: readonly OverviewKind[]) => sql.fragment`
  select m.no, case when m.locked then 1 else 2 end as code
  from monitors m
  where m.team_id = ${team} and m.deleted_at is null and (m.paused or m.suspended or m.locked)
  union all
  select c.no, 3
  from checks c join monitors m on m.no = c.no and m.deleted_at is null
  where c.team_id = ${team} and c.failures >= ${FAILURES}::int
    and not (m.paused or m.suspended or m.locked)
    and m.kind = any(${sql.array(
      kinds.filter(({ runs }) => runs.backsOff).map(({ kind }) => kind),
      'text',
    )})`

const rowsOf = (rows: ReturnType<typeof sql.fragment>) =>
  sql.fragment`coalesce((select json_agg(x) from (${rows}) x), '[]')`

interface NewsQuery {
  readonly kinds: readonly OverviewKind[]
  readonly teams: readonly WantedNews[]
  readonly watched: readonly WatchedMonitor[]
}

/**
 * Looks for what was recorded of some teams since their last look, and what the overlap has again. One statement. It
 * goes along the indexes of changes, of deliveries that were given up, of deletions, of monitors by their age and of
 * monitors that rest, so its cost is that of what happened, and not of the monitors that there are. Nothing is written
 * for it.
 */
export const lookForNews = (store: Queryable, { kinds, teams, watched }: NewsQuery): Promise<readonly News[]> =>
  store.any(sql.type(news)`
    with watched as (
      select x.team_id, array_agg(x.no) as watched, array_agg(x.since) as watched_since
      from ${unnest('x', watched, WATCHED)} group by x.team_id
    ),
    asked as materialized (
      select t.team_id, least(coalesce(t.since, clock()), clock()) - ${OVERLAP} as since, w.watched, w.watched_since,
        l.trial_over
      from ${unnest('t', teams, { team_id: 'uuid', since: 'timestamptz' })}
      left join watched w on w.team_id = t.team_id
      join teams l on l.id = t.team_id
    ),
    deleted as materialized (${DELETED})
    select a.team_id, clock() as at, ${rowsOf(CHANGES)} as changes, ${rowsOf(DELIVERIES)} as deliveries,
      ${rowsOf(DELETIONS)} as deletions, ${rowsOf(creationsOf(kinds))} as creations, ${rowsOf(RUNS)} as runs,
      case when a.trial_over then ${LOCKED_TEAM} else (
        select count(*) || ' ' || coalesce(sum(hashint8(x.no * 4 + x.code)), 0)
        from (${restingOf(sql.fragment`a.team_id`, kinds)}) x) end as resting
    from asked a
  `)

const STATUSES: Readonly<Record<number, MonitorStatus>> = { 1: 'billing_paused', 2: 'paused', 3: 'error' }
const restingRow = row({ no: Type.Integer(), code: Type.Integer() })

/** Returns the statuses of a team's monitors that are not active, by their numbers. */
export async function restingMonitors(
  store: Queryable,
  kinds: readonly OverviewKind[],
  teamId: string,
): Promise<ReadonlyMap<number, MonitorStatus>> {
  const found = await store.any(sql.type(restingRow)`${restingOf(sql.fragment`${teamId}::uuid`, kinds)}`)
  return new Map(found.map(({ no, code }) => [no, STATUSES[code] ?? 'active']))
}

const namedRow = row({
  no: Type.Integer(),
  id: Type.String(),
  kind: Stored<MonitorKind>(),
})

/** Returns which monitors of a team have these numbers. Those that are deleted are left out. */
export const nameMonitors = (store: Queryable, teamId: string, numbers: readonly number[]) =>
  store.any(sql.type(namedRow)`
    select no, id, kind from monitors
    where team_id = ${teamId}::uuid and deleted_at is null and no = any(${sql.array([...numbers], 'int8')})
  `)

const numberRow = row({ no: Type.Integer() })

/** Returns the numbers of these monitors of a team. Monitors of another team are left out. */
export async function numbersOfMonitors(
  store: Queryable,
  teamId: string,
  ids: readonly string[],
): Promise<readonly number[]> {
  if (ids.length === 0) return []
  const found = await store.any(sql.type(numberRow)`
    select no from monitors
    where team_id = ${teamId}::uuid and deleted_at is null and id = any(${sql.array([...ids], 'uuid')})
  `)
  return found.map(({ no }) => no)
}
