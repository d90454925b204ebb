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

/**
 * Counts what each team has used since the last look to the present day. Where a period began, it notes how many runs
 * each check had by then. The use between the last look and the end of a period is not counted. Several processes
 * may look at once: each team is counted by one of them.
 */
export async function countUsageDays(store: Queryable): Promise<void> {
  await store.query(sql.type(nothing)`
    insert into usage_marks (team_id, period_start, started_at)
    select u.team_id, u.period_start, u.period_start from team_usage u
    where not exists (select from usage_marks m where m.team_id = u.team_id)
    on conflict do nothing
  `)
  await store.query(sql.type(nothing)`
    with seen as materialized (
      select m.team_id, ${names(MARKED, 'u')}, u.period_start > m.period_start as is_begun, ${USED},
        greatest(m.credits + u.credits_given - m.credits_given - u.credits, 0) as used_credit_runs
      from usage_marks m join team_usage u on u.team_id = m.team_id
      where (${names(MARKED, 'u')}) is distinct from (${names(MARKED, 'm')})
      for update of m skip locked
    ),
    marked as (
      update usage_marks m set (${names(MARKED)}) = row(${names(MARKED, 's')}),
        started_at = case when s.is_begun then clock() else m.started_at end
      from seen s where m.team_id = s.team_id
    ),
    begun as (
      insert into usage_starts (no, team_id, runs_total)
      select c.no, c.team_id, c.runs_total from seen s join checks c on c.team_id = s.team_id where s.is_begun
      on conflict (no) do update set runs_total = excluded.runs_total
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
  await store.query(sql.type(nothing)`
    delete from usage_days
    where day <= (clock() at time zone 'UTC')::date - ${sql.literalValue(String(MAX_USAGE_DAYS))}::int
  `)
}

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

const usageMonitor = row({
  id: Type.String(),
  kind: Type.Unsafe<MonitorKind>({ type: 'string' }),
  name: Type.String(),
  runs: Type.Integer(),
  all_runs: Type.Integer(),
})
const started = row({ from: Type.String() })

/** Returns the monitors of a team that use most runs of its period, and the runs of all others. */
export async function readUsageMonitors(store: Queryable, teamId: string, limit: number): Promise<UsageMonitors> {
  const rows = await store.any(sql.type(usageMonitor)`
    with used as (
      select c.no, greatest(c.runs_total - coalesce(s.runs_total, 0), 0) * c.cost as runs
      from checks c left join usage_starts s on s.no = c.no
      where c.team_id = ${teamId}::uuid
    )
    select m.id, m.kind, m.name, used.runs, (select coalesce(sum(runs), 0) from used)::bigint as all_runs
    from used join monitors m on m.no = used.no
    where m.deleted_at is null and used.runs > 0
    order by used.runs desc, m.no
    limit ${limit}
  `)
  const from = await store.oneFirst(sql.type(started)`
    select coalesce(m.started_at, u.period_start) as "from"
    from team_usage u left join usage_marks m on m.team_id = u.team_id
    where u.team_id = ${teamId}::uuid`)
  const shown = rows.reduce((sum, { runs }) => sum + runs, 0)
  return {
    data: rows.map(({ id, kind, name, runs }) => ({ id, kind, name, runs })),
    others: Math.max(0, (rows[0]?.all_runs ?? 0) - shown),
    from,
  }
}
