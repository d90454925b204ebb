import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable, Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'
import { FITS_A_STRETCH } from '../runs/stored-runs.ts'

type Connection = Queryable & Pick<Store, 'transaction'>

/** Monitors whose runs of a day one statement folds. */
const MONITORS = 50
/** Runs in a row of which a stretch is made, at most and at least: with fewer, it takes as much as they do. */
const STRETCH = { most: 100, fewest: 4 } as const

const day = row({ since: Type.String(), until: Type.String() })
const batch = row({ last: Type.Union([Type.Integer(), Type.Null()]), folded: Type.Integer() })

/**
 * Makes stretches of the unchanged runs of pages, day by day in UTC, up to the day before yesterday
 * (docs/decisions/0062). These stay as rows: runs with values, warnings or pictures, the newest run and the newest
 * success of a monitor, for which others look, a success behind a failure, which ends it in plots, and the last run of
 * each stretch: by it a process of the version before finds the reading that it must not delete. Each batch of monitors
 * is one statement, so a run is a row or in a stretch. The next call goes on where one was interrupted.
 *
 * @returns how many runs were folded
 */
export async function foldRuns(connection: Connection, signal: AbortSignal): Promise<number> {
  for (let all = 0; ;) {
    const next = await nextDay(connection)
    if (next === null || signal.aborted) return all
    for (let after: number | null = 0; after !== null;) {
      const { last, folded } = await foldDay(connection, next, after)
      all += folded
      after = last
      if (signal.aborted) return all
    }
    await connection.query(sql.type(nothing)`
      insert into folded_days (until) values (${next.until}::timestamptz)
      on conflict (is_only) do update set until = excluded.until`)
  }
}

interface Day {
  /** Instants. */
  readonly since: string
  readonly until: string
}

/**
 * Returns the first day that was not looked at and may be folded; null: there is none. It begins with the oldest month
 * that there is: no index has the ids of all monitors.
 */
const nextDay = (connection: Queryable): Promise<Day | null> =>
  connection.maybeOne(sql.type(day)`
    select since, since + interval '1 day' as until
    from (
      select greatest(
        (select until from folded_days),
        (select min(to_date(right(c.relname, 7), 'YYYY_MM'))::timestamp at time zone 'UTC'
          from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'runs'::regclass)
      ) as since
    ) first
    where since + interval '1 day' <= date_trunc('day', clock(), 'UTC') - interval '1 day'
  `)

const foldDay = (connection: Queryable, { since, until }: Day, after: number) =>
  connection.one(sql.type(batch)`
    with monitor as materialized (
      select no from monitors where kind = 'page' and no > ${after} order by no limit ${MONITORS}
    ),
    bound as materialized (
      select run_id_floor(${since}::timestamptz) as since, run_id_floor(${until}::timestamptz) as until
    ),
    run as materialized (
      select r.*, lag(r.status) over w as status_before
      from monitor m cross join bound b
      cross join lateral (
        select * from runs r where r.monitor_no = m.no and r.id >= b.since and r.id < b.until
      ) r
      -- Its day was folded before the last call was interrupted. A stretch of the rest would reach over others.
      where not exists (select from run_stretches t
        where t.monitor_no = m.no and t.last_id >= b.since and t.last_id < b.until)
      window w as (partition by r.monitor_no order by r.id)
    ),
    newest as materialized (
      select m.no, (
        select n.id from runs n where n.monitor_no = m.no and n.status = 'success' order by n.id desc limit 1
      ) as id
      from monitor m
    ),
    plain as (
      select r.*, row_number() over (partition by r.monitor_no order by r.id) as place,
        row_number() over (
          partition by r.monitor_no, r.reading_id, r.fetch_method, r.fetch_reason, r.without_media, r.fired
          order by r.id
        ) as nth
      from run r join newest l on l.no = r.monitor_no
      where r.status = 'success' and r.reading_id is not null and r.fired is not true and not r.delivery_triggered
        and ${FITS_A_STRETCH}
        and coalesce(r.status_before, (
          select p.status from runs p where p.monitor_no = r.monitor_no and p.id < r.id order by p.id desc limit 1
        ), 'success') = 'success'
        and r.id < l.id
        and not exists (select from run_images v where v.monitor_no = r.monitor_no and v.run_id = r.id)
    ),
    stretch as (
      insert into run_stretches (monitor_no, last_id, first_id, team_id, reading_id, fetch_method, fetch_reason,
        without_media, fired, ids, start_offsets_ms, durations_ms)
      select monitor_no, (array_agg(id order by id desc))[2], (array_agg(id order by id))[1],
        (array_agg(team_id))[1], reading_id, fetch_method, fetch_reason, without_media, fired,
        (array_agg(id order by id))[:count(*) - 1], (array_agg(start_offset_ms order by id))[:count(*) - 1],
        (array_agg(duration_ms order by id))[:count(*) - 1]
      from plain
      -- Runs that are alike and follow each other have the same difference of both numbers.
      group by monitor_no, reading_id, fetch_method, fetch_reason, without_media, fired, place - nth,
        (nth - 1) / ${STRETCH.most}
      having count(*) >= ${STRETCH.fewest}
      returning monitor_no, ids
    ),
    gone as (
      delete from runs r using stretch s cross join lateral unnest(s.ids) i (id)
      where r.monitor_no = s.monitor_no and r.id = i.id
      returning 1
    )
    select (select max(no) from monitor) as last, (select count(*)::int from gone) as folded
  `)
