import { sql } from 'slonik'
import type { DiskFigures } from '../../schema/disk.ts'
import type { Queryable } from '../db/client.ts'
import { nothing } from '../db/row.ts'

/**
 * Writes an event that a disk has reached a level, for the first team of the installation: its owner is who installed
 * it. Once a day for each place and level, however many processes see it.
 */
export async function noteDisk(
  store: Queryable,
  { place, used, size, level }: DiskFigures & { readonly level: number },
): Promise<void> {
  await store.query(sql.type(nothing)`
    insert into notice_events (team_id, kind, detail, key)
    select id, 'quota',
      jsonb_build_object('pool', 'disk', 'place', ${place}::text, 'threshold_pct', ${level}::int,
        'used', ${used}::float8, 'limit', ${size}::float8, 'credits_remaining', 0, 'resets_at', null),
      concat_ws(' ', 'disk', ${place}::text, ${level}::int, (clock() at time zone 'UTC')::date)
    from teams where ended_at is null order by created_at, id limit 1
    on conflict (key) do nothing
  `)
}
