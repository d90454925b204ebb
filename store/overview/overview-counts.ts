import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import { LISTED_STATUSES } from '../../schema/monitor/monitor.ts'
import { MAX_COUNTED_LABELS, type OverviewCounts } from '../../schema/overview/overview.ts'
import { MONITOR_KINDS } from '../../schema/resource-kind.ts'
import type { RunFaultCode } from '../../schema/run/run-fault.ts'
import type { Queryable } from '../db/client.ts'
import { row, rowOf } from '../db/row.ts'
import { Stored } from '../monitors/kinds/monitor-row.ts'
import { statusOf } from '../monitors/monitor-status.ts'
import {
  IS_FAILING,
  IS_LOCKED,
  IS_MUTED,
  IS_UNSEEN,
  LAST_RUN,
  type OverviewQuery,
  wantedMonitors,
  windowOfReader,
} from './wanted-monitors.ts'

const Count = Type.Integer()
const Counted = Type.Object({
  total: Count,
  unseen: Count,
  failing: Count,
  muted: Count,
  locked: Count,
  statuses: Type.Array(Count),
  kinds: Type.Array(Count),
})
type Counted = Static<typeof Counted>
const counted = rowOf(Counted)

/**
 * Counts the wanted monitors by what the filters ask for. One statement, which reads each monitor once: of one that is
 * not filtered by its texts, an index has all that is read. With 100,000 monitors it takes 90 ms. The rows with their
 * groups, kept for several counts, took 480 ms together with what is counted below.
 */
export async function countFilters(
  store: Queryable,
  query: OverviewQuery,
): Promise<Omit<OverviewCounts, 'by_error' | 'labels' | 'failing_destinations' | 'given_up_deliveries'>> {
  const status = statusOf(query.kinds)
  const { statuses, kinds, ...sums } = await store.one(sql.type(counted)`
    with w as materialized (${windowOfReader(query.reader)})
    select count(*)::int as total, ${countOf(IS_UNSEEN)} as unseen, ${countOf(IS_FAILING)} as failing,
      ${countOf(IS_MUTED)} as muted, ${countOf(IS_LOCKED)} as locked,
      array[${listOf(LISTED_STATUSES.map((one) => countOf(sql.fragment`${status} = ${sql.literalValue(one)}`)))}]
        as statuses,
      array[${listOf(MONITOR_KINDS.map((one) => countOf(sql.fragment`m.kind = ${sql.literalValue(one)}`)))}] as kinds
    ${wantedMonitors(query, { hasChecks: true, hasWindow: true })}
  `)
  return {
    ...sums,
    by_status: mostFirst(LISTED_STATUSES, statuses).map(([name, count]) => ({ status: name, count })),
    by_kind: mostFirst(MONITOR_KINDS, kinds).map(([kind, count]) => ({ kind, count })),
  }
}

type Fragment = ReturnType<typeof sql.fragment>
const countOf = (condition: Fragment): Fragment => sql.fragment`(count(*) filter (where ${condition}))::int`
const listOf = (all: readonly Fragment[]) => sql.join(all, sql.fragment`, `)

/** Returns the names with their counts, the highest first, without what there is none of. */
function mostFirst<Name extends string>(names: readonly Name[], counts: Counted['kinds']): readonly [Name, number][] {
  const all = names.map((name, at): [Name, number] => [name, counts[at] ?? 0])
  return all.filter(([, count]) => count > 0).toSorted(([a, x], [b, y]) => y - x || a.localeCompare(b))
}

const countedError = row({ error_code: Stored<RunFaultCode>(), count: Count })

/** Counts the wanted monitors that fail by the reason of their last run. One statement. */
export const countErrors = (store: Queryable, query: OverviewQuery) =>
  store.any(sql.type(countedError)`
    with w as materialized (${windowOfReader(query.reader)}),
    failing as materialized (
      select m.no ${wantedMonitors(query, { hasChecks: true, hasWindow: true })} and ${IS_FAILING}
    )
    select r.error_code, count(*)::int as count
    from w cross join failing m ${LAST_RUN}
    where r.error_code is not null
    group by r.error_code
    order by count desc, r.error_code
  `)

const countedLabel = row({ key: Type.String(), value: Type.String(), count: Count })
const MOST_LABELS = sql.literalValue(String(MAX_COUNTED_LABELS))

/** Counts the labels of the wanted monitors, the most frequent first. One statement, which reads every monitor. */
export const countLabels = (store: Queryable, query: OverviewQuery) =>
  store.any(sql.type(countedLabel)`
    with w as materialized (${windowOfReader(query.reader)})
    select l.key, l.value, count(*)::int as count
    ${wantedMonitors(query, {
      hasChecks: false,
      hasWindow: false,
      joined: sql.fragment`cross join lateral jsonb_each_text(m.labels) l`,
    })}
    group by l.key, l.value
    order by count desc, l.key, l.value
    limit ${MOST_LABELS}
  `)
