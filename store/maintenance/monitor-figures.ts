import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { Queryable } from '../db/client.ts'
import { rowOf } from '../db/row.ts'

/** Monitors left out are counted up to this number, so that a scrape costs the same however many there are. */
export const MAX_LEFT_OUT = 10_000

const MonitorFigures = Type.Object({
  monitor_id: Type.String(),
  team_id: Type.String(),
  name: Type.String(),
  failures: Type.Integer(),
  /** Seconds since the end of the last run that succeeded. Null: none has. */
  success_age_seconds: Type.Union([Type.Number(), Type.Null()]),
  /** The latest values. Null: there is no reading yet. */
  extracted: Type.Unknown(),
})
/** The state of one monitor. */
export type MonitorFigures = Static<typeof MonitorFigures>
const figures = rowOf(MonitorFigures)
const counted = rowOf(Type.Object({ left_out: Type.Integer() }))

interface AllFigures {
  readonly monitors: readonly MonitorFigures[]
  readonly leftOut: number
}

/** Returns the state of the oldest monitors, at most `limit`, and how many there are besides. */
export async function readMonitorFigures(store: Queryable, limit: number): Promise<AllFigures> {
  const monitors = await store.any(sql.type(figures)`
    select m.id as monitor_id, m.team_id, m.name, c.failures, b.extracted,
      -- The check does not say: an internal error counts as no failure, and an edit sets the failures to 0.
      extract(epoch from clock() - (
        select run_id_time(r.id) + make_interval(secs => (r.start_offset_ms + r.duration_ms) / 1000.0)
        from runs r where r.monitor_no = m.no and r.status = 'success' order by r.id desc limit 1
      ))::float8 as success_age_seconds
    from monitors m
    join checks c using (no)
    left join baselines b on b.no = m.no and c.reading_id is not null
    where m.deleted_at is null
    order by m.no
    limit ${limit}
  `)
  const { left_out: leftOut } = await store.one(sql.type(counted)`
    select count(*)::int as left_out
    from (select from monitors where deleted_at is null order by no offset ${limit} limit ${MAX_LEFT_OUT}) rest
  `)
  return { monitors, leftOut }
}
