import { sql } from 'slonik'
import Type from 'typebox'
import { MAX_USAGE_DAYS, type UsageDay, type UsageMonitors } from '../../schema/account/usage-days.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Queryable } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'

/** Counters of `team_usage`, by the columns of `usage_days` that they are counted to. */
const COUNTERS = {
  runs: 'runs_used',
  visual_runs: 'visual_used',
  serp_runs: 'serp_used',
  llm_calls: 'llm_calls_used',
  picture_bytes: 'screenshot_bytes_used',
  proxy_bytes: 'proxy_bytes_used',
} as const
const pairs = Object.entries(COUNTERS)
const DAY_COLUMNS = [...Object.keys(COUNTERS), 'credit_runs']
const MARKED = ['period_start', ...Object.values(COUNTERS), 'credits', 'credits_given']

const names = (columns: readonly string[], of?: string) =>
  sql.join(
    columns.map((name) => sql.fragment`${sql.identifier(of === undefined ? [name] : [of, name])}`),
    sql.fragment`, `,
  )

/** The growth of each counter since the last look: all of it, where a period began in between. */
const USED = sql.join(
  pairs.map(
    ([day, counter]) => sql.fragment`
      case when u.period_start > m.period_start then ${sql.identifier(['u', counter])}
        else greatest(${sql.identifier(['u', counter])} - ${sql.identifier(['m', counter])}, 0) end
        as ${sql.identifier([`used_${day}`])}`,
  ),
  sql.fragment`, `,
)

/** The largest value of each counter in its period. */
const LARGEST = sql.join(
  pairs.map(
    ([, counter]) => sql.fragment`
      case when u.period_start > m.period_start then ${sql.identifier(['u', counter])}
        else greatest(${sql.identifier(['u', counter])}, ${sql.identifier(['m', counter])}) end
        as ${sql.identifier([counter])}`,
  ),
  sql.fragment`, `,
)

const locked = row({ got: Type.Boolean() })

/**
 * Counts what each team has used since the last look to the present day. The use between the last look and the end of a
 * period is not counted. Of several processes that look at once, one counts.
 */
export const countUsageDays = (store: Queryable): Promise<void> =>
  store.transaction(async (tx) => {
    // A statement by itself: the next ones see what the process before has counted.
    const isOurs = await tx.oneFirst(sql.type(locked)`
      select pg_try_advisory_xact_lock(hashtext('tidemark.usage_days')) as got`)
    if (!isOurs) return
    await tx.query(sql.type(nothing)`
      insert into usage_marks (team_id, since, period_start, started_at)
      select u.team_id, u.period_start, u.period_start, u.period_start
      from team_usage u join teams t on t.id = u.team_id and t.ended_at is null
      where not exists (select from usage_marks m where m.team_id = u.team_id)
    `)
    await tx.query(sql.type(nothing)`
      with seen as materialized (
        select m.team_id, u.period_start, u.credits, u.credits_given, ${LARGEST}, ${USED},
          u.period_start > m.period_start as is_begun,
          greatest(m.credits + u.credits_given - m.credits_given - u.credits, 0) as used_credit_runs
        from usage_marks m join team_usage u on u.team_id = m.team_id
        join teams t on t.id = m.team_id and t.ended_at is null
        where (${names(MARKED, 'u')}) is distinct from (${names(MARKED, 'm')})
      ),
      marked as (
        update usage_marks m set (${names(MARKED)}) = row(${names(MARKED, 's')}),
          starts_due = m.starts_due or s.is_begun
        from seen s where m.team_id = s.team_id
      )
      insert into usage_days (team_id, day, ${names(DAY_COLUMNS)})
      select team_id, (clock() at time zone 'UTC')::date, ${names(DAY_COLUMNS.map((name) => `used_${name}`))}
      from seen
      where ${sql.join(
        DAY_COLUMNS.map((name) => sql.fragment`${sql.identifier([`used_${name}`])}`),
        sql.fragment` + `,
      )} > 0
      on conflict (team_id, day) do update set ${sql.join(
        DAY_COLUMNS.map((name) => {
          const column = sql.identifier([name])
          return sql.fragment`${column} = usage_days.${column} + excluded.${column}`
        }),
        sql.fragment`, `,
      )}
    `)
    await tx.query(sql.type(nothing)`
      delete from usage_days
      where day <= (clock() at time zone 'UTC')::date - ${sql.literalValue(String(MAX_USAGE_DAYS))}::int
    `)
  })

/** Checks of one statement. */
const BATCH = 5_000

const begunTeam = row({ team_id: Type.String(), at: Type.String() })
const lastNo = row({ no: Type.Union([Type.Integer(), Type.Null()]) })

/** Notes how many runs each check had at the beginning of its team's period, where one has begun. */
export async function noteUsageStarts(store: Queryable, stopping: AbortSignal): Promise<void> {
  const teams = await store.any(sql.type(begunTeam)`
    select team_id, clock()::text as at from usage_marks where starts_due`)
  for (const { team_id: teamId, at } of teams) {
    for (let after: number | null = 0; after !== null && !stopping.aborted;)
      after = await noteSome(store, teamId, after)
    if (stopping.aborted) return
    await store.query(sql.type(nothing)`
      update usage_marks set starts_due = false, started_at = ${at}::timestamptz where team_id = ${teamId}::uuid`)
  }
}

/** Notes some checks of a team behind a number. Returns the number of the last one. Null: there are no more. */
const noteSome = (store: Queryable, teamId: string, after: number): Promise<number | null> =>
  store.oneFirst(sql.type(lastNo)`
    with part as materialized (
      select m.no from monitors m
      where m.team_id = ${teamId}::uuid and m.deleted_at is null and m.no > ${after}::bigint
      order by m.no limit ${BATCH}
    ),
    noted as (
      insert into usage_starts (no, runs_total)
      select c.no, c.runs_total from part join checks c on c.no = part.no
      on conflict (no) do update set runs_total = excluded.runs_total
        where usage_starts.runs_total is distinct from excluded.runs_total
    )
    select max(no) as no from part`)

const usageDay = row({
  day: Type.String(),
  ...(Object.fromEntries(DAY_COLUMNS.map((name) => [name, Type.Integer()])) as Record<
    Exclude<keyof UsageDay, 'day'>,
    ReturnType<typeof Type.Integer>
  >),
})
const since = row({ since: Type.String() })

/** Returns what a team used on each of the last days, the oldest first, and since when that is known. */
export async function readUsageDays(store: Queryable, teamId: string, days: number) {
  const data = await store.any(sql.type(usageDay)`
    select to_char(d.day, 'YYYY-MM-DD') as day, ${sql.join(
      DAY_COLUMNS.map((name) => sql.fragment`coalesce(${sql.identifier(['u', name])}, 0) as ${sql.identifier([name])}`),
      sql.fragment`, `,
    )}
    from (
      select (clock() at time zone 'UTC')::date - nth as day from generate_series(0, ${days}::int - 1) nth
    ) d
    left join usage_days u on u.team_id = ${teamId}::uuid and u.day = d.day
    order by d.day
  `)
  // A team of the last hour is not counted yet.
  const known = await store.oneFirst(sql.type(since)`
    select coalesce((select since from usage_marks where team_id = ${teamId}::uuid), clock()) as since`)
  return { data, since: known }
}

const UsageMonitor = Type.Object({
  id: Type.String(),
  kind: Type.Unsafe<MonitorKind>({ type: 'string' }),
  name: Type.String(),
  runs: Type.Integer(),
})
const usageMonitors = row({
  data: Type.Array(UsageMonitor),
  all_runs: Type.Integer(),
  from: Type.String(),
})

/** Returns the monitors of a team that use most runs of its period, and the runs of all others. */
export async function readUsageMonitors(store: Queryable, teamId: string, limit: number): Promise<UsageMonitors> {
  const {
    data,
    all_runs: all,
    from,
  } = await store.one(sql.type(usageMonitors)`
    with used as materialized (
      select m.no, m.deleted_at is null as is_there,
        greatest(c.runs_total - coalesce(s.runs_total, 0), 0) * c.cost as runs
      from monitors m join checks c on c.no = m.no left join usage_starts s on s.no = m.no
      where m.team_id = ${teamId}::uuid
    )
    select coalesce((select sum(runs) from used), 0)::bigint as all_runs,
      coalesce(k.started_at, u.period_start) as "from",
      coalesce((
        select json_agg(json_build_object('id', m.id, 'kind', m.kind, 'name', m.name, 'runs', top.runs)
          order by top.runs desc, top.no)
        from (select no, runs from used where is_there and runs > 0 order by runs desc, no limit ${limit}) top
        join monitors m on m.no = top.no
      ), '[]') as data
    from team_usage u left join usage_marks k on k.team_id = u.team_id
    where u.team_id = ${teamId}::uuid
  `)
  const shown = data.reduce((sum, { runs }) => sum + runs, 0)
  return { data: [...data], others: Math.max(0, all - shown), from }
}
