import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../db/client.ts'
import { nothing, row, unnest } from '../db/row.ts'
import { limitOf, renewPeriods } from '../quota/pool.ts'

/** A picture that is about to be stored. */
interface NewImage {
  readonly id: string
  readonly bytes: number
}

/** Returns the name of the object in the object store. */
export const imageName = (teamId: string, id: string): string => `${teamId}/${id.slice(-2)}/${id}.png`

const outcome = row({
  reserved: Type.Boolean(),
  used: Type.Number(),
  limit: Type.Union([Type.Number(), Type.Null()]),
  is_reported: Type.Boolean(),
})

/** The bytes were taken from the team's quota, or the quota is too small. */
type Reservation =
  | { readonly ok: true }
  /** `isReported`: these are the first pictures of the period that do not fit, and an event was written. */
  | { readonly ok: false; readonly used: number; readonly limit: number; readonly isReported: boolean }

/** The owner of the pictures. */
interface Owner {
  readonly teamId: string
  readonly no: number
}

/**
 * Takes the bytes from the team's quota, all or none, and inserts the rows of the objects. It is one guarded
 * statement, so that the quota is never overspent. Call it before the objects are stored. In a period, it writes an
 * event once when 80 percent are used, and once when pictures no longer fit.
 */
export async function reserveImages(
  store: Queryable,
  { teamId, no }: Owner,
  images: readonly NewImage[],
): Promise<Reservation> {
  await renewPeriods(store, teamId)
  const total = images.reduce((sum, { bytes }) => sum + bytes, 0)
  const {
    reserved,
    used,
    limit,
    is_reported: isReported,
  } = await store.one(sql.type(outcome)`
    with own as materialized (
      select u.team_id, u.screenshot_bytes_used as used, ${limitOf('screenshotBytesPerMonth')} as most,
        u.period_start, u.resets_at
      from team_usage u cross join lateral team_limits(u.team_id) l
      where u.team_id = ${teamId}::uuid
      for update of u
    ),
    counted as (
      update team_usage u set screenshot_bytes_used = u.screenshot_bytes_used + ${total}::bigint
      from own where u.team_id = own.team_id and (own.most is null
        or u.screenshot_bytes_used + ${total}::bigint <= own.most)
      returning u.team_id
    ),
    written as (
      insert into images (id, team_id, monitor_no, bytes)
      select i.id, counted.team_id, ${no}::bigint, i.bytes
      from counted, ${unnest('i', images, { id: 'uuid', bytes: 'int4' })}
    ),
    reported as (
      insert into notice_events (team_id, kind, detail, key)
      select team_id, 'quota',
        jsonb_build_object('pool', 'pictures', 'threshold_pct', level, 'used', after, 'limit', most,
          'credits_remaining', 0, 'resets_at', resets_at),
        concat_ws(' ', 'quota', team_id, period_start, 'pictures', level, most)
      from (
        select own.*, own.used + case when c.team_id is null then 0 else ${total}::bigint end as after,
          case when c.team_id is null then 100 else 80 end as level
        from own left join counted c using (team_id)
      ) own
      where level = 100 or used * 5 < most * 4 and after * 5 >= most * 4
      on conflict (key) do nothing
      returning 1
    )
    select exists (select from counted) as reserved, used, most as limit,
      exists (select from reported) as is_reported
    from own
  `)
  return reserved ? { ok: true } : { ok: false, used, limit: limit ?? used, isReported }
}

/**
 * Releases the reservation of objects that could not be stored, in the period in which they were reserved. The sweep
 * deletes those that were stored.
 */
export async function abandonImages(store: Queryable, ids: readonly string[]): Promise<void> {
  await store.query(sql.type(nothing)`
    with doomed as (
      update images set doomed = true
      where id = any(${sql.array([...ids], 'uuid')}) and last_run_id is null and not doomed
      returning team_id, bytes, created_at
    )
    update team_usage u set screenshot_bytes_used = greatest(0, u.screenshot_bytes_used - d.bytes)
    from (select team_id, created_at, sum(bytes) as bytes from doomed group by team_id, created_at) d
    where u.team_id = d.team_id and u.period_start <= d.created_at
  `)
}

const readable = row({ is_current: Type.Boolean(), bytes: Type.Integer() })

/**
 * Returns the size of an image of the team, and whether it may be shown until this instant (ms since the epoch, by the
 * store's clock). Null: there is no such image.
 */
export async function findImage(
  store: Queryable,
  { teamId, id, untilMs }: { readonly teamId: string; readonly id: string; readonly untilMs: number },
): Promise<{ readonly is_current: boolean; readonly bytes: number } | null> {
  return store.maybeOne(sql.prepared('find_image', readable)`
    select clock() < to_timestamp(${untilMs}::float8 / 1000) as is_current, bytes
    from images where id = ${id}::uuid and team_id = ${teamId}::uuid and not doomed
  `)
}
