import { sql } from 'slonik'
import Type from 'typebox'
import type { SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'

const load = row({
  searches: Type.Unsafe<
    readonly { readonly pages: number; readonly intervalSeconds: number; readonly count: number }[]
  >({}),
  exits: Type.Integer(),
})

/** Returns the scheduled searches at an engine, of all teams, and the number of exits that do them. */
export async function scheduledSearches(store: Queryable, engine: SerpMonitorSpec['engine']) {
  return store.one(sql.prepared('scheduled_searches', load)`
    select
      coalesce((
        select json_agg(json_build_object('pages', pages, 'intervalSeconds', interval_seconds, 'count', count))
        from (
          select m.pages, c.interval_seconds, count(*)
          from monitors m join checks c on c.no = m.no
          where m.kind = 'serp' and m.engine = ${engine} and not m.locked and m.deleted_at is null
            and c.next_run_at is not null
          group by m.pages, c.interval_seconds
        ) grouped
      ), '[]') as searches,
      greatest((
        select count(*) from serp_exits where engine = ${engine} and next_at > clock() - interval '1 hour'
      ), 1) as exits
  `)
}
