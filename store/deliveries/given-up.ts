import { sql } from 'slonik'
import Type from 'typebox'
import { MAX_COUNTED_DELIVERIES } from '../../schema/overview/overview.ts'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'
import { retentionCutoff } from '../quota/pool.ts'

/** Is true for a delivery that nobody tries again: its last attempt failed, or it was refused for good. */
export const GIVEN_UP = sql.fragment`(status in ('failed', 'dead') and next_attempt_at is null)`

/** Is true where the monitor `w` of a delivery `d` has its destination. Older deliveries have no key. */
const HAS_DESTINATION = sql.fragment`(w.deleted_at is null
  and (w.destination_keys is null or d.target_key = '' or d.target_key = any(w.destination_keys)))`

/**
 * Is true for a delivery `d` that was given up and is missed: its destination is still one of its monitor. It does not
 * matter whether the destination takes others by now.
 */
export const IS_MISSED = sql.fragment`(${GIVEN_UP} and exists (
  select from monitors w where w.no = d.monitor_no and ${HAS_DESTINATION}))`

/**
 * The same where every delivery `d` is read and `joined` to its monitor `w`: of 95,000 that were given up, a look at
 * the monitor of each took three times as long.
 */
export const MISSED = {
  joined: sql.fragment`join monitors w on w.no = d.monitor_no`,
  is: sql.fragment`(${GIVEN_UP} and ${HAS_DESTINATION})`,
}

/** Every screen asks for the count. Of deliveries that were given up, the newest so many are looked at. */
const MAX_READ = 10_000

/** Counts the deliveries of the team that are missed, up to `MAX_COUNTED_DELIVERIES`. */
export const countMissed = (store: Queryable, teamId: string): Promise<number> =>
  store.oneFirst(sql.type(row({ count: Type.Integer() }))`
    select count(*)::int as count from (
      select from (
        select d.monitor_no, d.target_key, d.status, d.next_attempt_at from deliveries d
        where d.team_id = ${teamId}::uuid and d.created_at >= ${retentionCutoff(teamId)} and ${GIVEN_UP}
        order by d.created_at desc
        limit ${sql.literalValue(String(MAX_READ))}
      ) d
      where ${IS_MISSED}
      limit ${sql.literalValue(String(MAX_COUNTED_DELIVERIES))}
    ) x
  `)
