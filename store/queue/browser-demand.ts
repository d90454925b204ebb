import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import { WORK_LEVEL } from '../../schema/level.ts'
import type { Queryable } from '../db/client.ts'
import { rowOf } from '../db/row.ts'
import { IS_PAID, IS_SEARCH_PAID, poolOf } from '../quota/pool.ts'
import { LEASED_ASKED, WAITING_ASKED } from './asked.ts'
import { ownLevels } from './own-levels.ts'

const BrowserDemand = Type.Object({
  /** Due checks that need a browser and that their teams can pay for, and asked work that waits. */
  due: Type.Integer(),
  /** Checks and asked work that runners have leased. */
  leased: Type.Integer(),
})
/** The work of the browser queue. Each count ends at the number that was asked for. */
type BrowserDemand = Static<typeof BrowserDemand>
const demand = rowOf(BrowserDemand)

/**
 * Returns how much there is for runners to do, up to `most`. Of searches, asked ones too, one of each engine
 * counts: an address asks an engine one after the other. An engine that is left alone needs no runner: workers settle
 * its checks. Work of a higher level is not counted: runners that this version starts would leave it.
 */
export const browserDemand = (store: Queryable, most: number): Promise<BrowserDemand> =>
  store.one(sql.type(demand)`
    with t as materialized (select clock() as at),
    pages as (
      select
      from team_usage u cross join unnest(array['browser', 'visual']::check_queue[]) q (queue)
      ${poolOf(sql.fragment`q.queue`)}
      cross join ${ownLevels(WORK_LEVEL)}
      cross join lateral (
        select from checks c
        where c.team_id = u.team_id and c.queue = q.queue and c.level = own.level and c.due_at <= (select at from t)
          and not c.is_isolated and (${IS_PAID} or c.cost <= pool.remaining)
        limit ${most}
      ) due
      limit ${most}
    ),
    engines as (
      select m.engine
      from checks c join monitors m on m.no = c.no
      join team_usage u on u.team_id = c.team_id ${poolOf(sql.fragment`'serp'`)}
      where c.queue = 'serp' and c.level <= ${WORK_LEVEL}::smallint and c.due_at <= (select at from t)
        and (${IS_SEARCH_PAID} or c.cost <= pool.remaining)
        and not exists (
          select from serp_engines e where e.engine = m.engine and e.refused_until > (select at from t))
      union
      select engine from (${WAITING_ASKED}) a where engine is not null
    ),
    leased as (
      select from checks
      where holder is not null and run_id is not null and due_at > (select at from t) and not is_isolated
      limit ${most}
    ),
    waiting as (select from (${WAITING_ASKED}) a where not is_isolated and engine is null limit ${most}),
    begun as (select from (${LEASED_ASKED}) a where not is_isolated limit ${most})
    select (select count(*) from pages)::int + (select count(*) from engines)::int
        + (select count(*) from waiting)::int as due,
      (select count(*) from leased)::int + (select count(*) from begun)::int as leased
  `)
