import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'

/** Teams that one statement deletes. */
const BATCH = 200

const counted = row({ count: Type.Integer() })

/**
 * Tables with rows of a team that others clean up. Runs, deliveries and messages go before their monitors. The rows of
 * purchases stay: events of the payment provider may still name them.
 */
const OWNED = [
  'monitors',
  'audit_events',
  'page_texts',
  'images',
  'run_images',
  'prompt_answers',
  'notices',
  'api_keys',
  'invitations',
  'team_members',
  'proxy_holds',
  'subscriptions',
  'credit_purchases',
] as const

/**
 * Deletes the rows of teams that ended more than a day ago and that nothing refers to any more. No request or check
 * that began before the end is under way then. Returns how many it deleted.
 */
export async function purgeEndedTeams(connection: Queryable, signal: AbortSignal): Promise<number> {
  const isUnused = sql.join(
    OWNED.map((table) => sql.fragment`not exists (select from ${sql.identifier([table])} o where o.team_id = t.id)`),
    sql.fragment` and `,
  )
  for (let all = 0; ;) {
    const count = await connection.oneFirst(sql.type(counted)`
      with ended as materialized (
        select t.id from teams t
        where t.ended_at < clock() - interval '1 day' and ${isUnused}
        limit ${BATCH}
        for update skip locked
      ),
      usage as (delete from team_usage u using ended e where u.team_id = e.id),
      days as (delete from usage_days d using ended e where d.team_id = e.id),
      marks as (delete from usage_marks k using ended e where k.team_id = e.id),
      gone as (delete from teams t using ended e where t.id = e.id returning 1)
      select count(*) from gone
    `)
    all += count
    if (count < BATCH || signal.aborted) return all
  }
}
