import { sql } from 'slonik'
import Type from 'typebox'
import type { SerpEngine } from '../../schema/serp/serp-search.ts'
import type { Queryable } from '../db/client.ts'
import { row, unnest } from '../db/row.ts'
import type { Held } from './lease.ts'
import { NEXT_AT_EXIT } from './search-exits.ts'

/** The end of a search that a monitor asked for, or a person for a preview. */
export interface EndedSearch extends Held {
  readonly engine: SerpEngine
  /** The engine refused, on the first page or on a later one: nobody asks it for a while. */
  readonly refused: boolean
  /** The engine itself answered as it should: nothing keeps it from being asked. */
  readonly healthy: boolean
}

const COLUMNS = { no: 'int8', fence: 'int4', engine: 'text', refused: 'bool', healthy: 'bool' } as const

/** The first pause of an engine, and the longest, in seconds. */
const PAUSE_S = 15 * 60
const LONGEST_PAUSE_S = 6 * 3600
const pause = (refusals: ReturnType<typeof sql.fragment>) => sql.fragment`
  make_interval(secs => least(${sql.literalValue(String(PAUSE_S))}::int * 2.0 ^ least(${refusals} - 1, 20),
    ${sql.literalValue(String(LONGEST_PAUSE_S))}::int))`

const leftAlone = row({ engine: Type.Unsafe<SerpEngine>(Type.String()), wait_ms: Type.Integer() })

/**
 * Frees the exits of searches, and counts what their engines did: a refusal begins a pause or doubles the next one, and
 * a healthy answer ends them. Only who still has the exit counts: a late writer says nothing, and a repeated end counts
 * once. Returns for how many milliseconds each of these engines is left alone; one that may be asked is missing.
 */
export async function endSearches(
  on: Queryable,
  ended: readonly EndedSearch[],
  spacingMs: number,
): Promise<ReadonlyMap<SerpEngine, number>> {
  const rows = await on.any(sql.prepared('end_searches', leftAlone)`
    with t as materialized (select clock() as at),
    input as materialized (select * from ${unnest('i', ended, COLUMNS)}),
    freed as (
      update serp_exits x
      set busy_until = null, check_no = null, next_at = ${NEXT_AT_EXIT(spacingMs)}
      from input i
      where x.check_no = i.no and x.check_fence = i.fence
      returning x.engine, i.refused, i.healthy
    ),
    said as materialized (
      select engine, bool_or(refused) as refused, bool_or(healthy) as healthy from freed group by engine order by engine
    ),
    paused as (
      insert into serp_engines as e (engine, refusals, refused_until)
      select engine, 1, t.at + ${pause(sql.fragment`1`)} from said, t where refused
      on conflict (engine) do update
      -- A refusal of a check that began before the pause is one with the refusal that began it.
      set refusals = case when e.refused_until > clock() then e.refusals else e.refusals + 1 end,
        refused_until = case when e.refused_until > clock() then e.refused_until
          else clock() + ${pause(sql.fragment`(e.refusals + 1)`)} end
      returning e.engine, e.refused_until
    ),
    cleared as (
      delete from serp_engines e using said where e.engine = said.engine and said.healthy and not said.refused
    )
    select engine, ceil(extract(epoch from refused_until - t.at) * 1000)::int8 as wait_ms
    from (
      select engine, refused_until from paused
      union all
      select engine, refused_until from serp_engines
      where engine in (select engine from input) and engine not in (select engine from paused)
    ) e, t
    where refused_until > t.at
  `)
  return new Map(rows.map(({ engine, wait_ms: ms }) => [engine, ms]))
}
