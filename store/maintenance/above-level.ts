import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { Queryable } from '../db/client.ts'
import { rowOf } from '../db/row.ts'

/** The counts stop here, so that their cost is limited. */
const MAX_COUNTED = 10_000

/** The highest level at which each queue was taken in the last ten minutes. It reads `t.at`. */
const TAKEN = sql.fragment`
  select queue, max(level) as level from queue_levels
  where seen_at > (select at from t) - interval '10 minutes' group by queue`

/** Is true for due work `w` above a level, that has waited for ten minutes. */
const isAbove = (level: ReturnType<typeof sql.fragment>) => sql.fragment`
  w.level > 1 and w.level > ${level} and w.due_at <= (select at from t) - interval '10 minutes'`

/**
 * Checks that are above the level of every process that takes their queue. A queue that nobody takes at all lacks no
 * level. It reads `t.at`.
 */
const CHECKS = sql.fragment`
  select w.level, w.queue
  from (${TAKEN}) taken join checks w on w.queue = taken.queue and ${isAbove(sql.fragment`taken.level`)}
  limit ${MAX_COUNTED}`

/** Deliveries and notices that no worker sends: every worker takes the queue of direct requests too. */
const messages = (outbox: 'deliveries' | 'notices') => sql.fragment`
  (select w.level
  from (${TAKEN}) taken join ${sql.identifier([outbox])} w
    on taken.queue = 'static' and ${isAbove(sql.fragment`taken.level`)}
  limit ${MAX_COUNTED})`
const MESSAGES = sql.fragment`${messages('deliveries')} union all ${messages('notices')}`

export const CHECKS_ABOVE = sql.fragment`select from (${CHECKS}) w`
export const MESSAGES_ABOVE = sql.fragment`select from (${MESSAGES}) w`

const AboveLevel = Type.Object({
  checks: Type.Integer(),
  /** Deliveries and notices. */
  messages: Type.Integer(),
  /** The highest level that some of it needs. Null: there is none. */
  level: Type.Union([Type.Integer(), Type.Null()]),
  /** Some of it is for workers. */
  workers: Type.Boolean(),
  /** Some of it is for processes with a browser. */
  runners: Type.Boolean(),
})
/** Work that has waited for ten minutes, and that no process takes: it needs a higher level (schema/level.ts). */
export type AboveLevel = Static<typeof AboveLevel>
const above = rowOf(AboveLevel)

/**
 * Looks for work that nobody takes, and writes an event for the first team of the installation: its owner is who
 * installed it. Once a day, however many processes see it.
 */
export const noteAboveLevel = (store: Queryable): Promise<AboveLevel> =>
  store.one(sql.type(above)`
    with t as materialized (select clock() as at),
    checks_above as materialized (${CHECKS}),
    messages_above as materialized (${MESSAGES}),
    found as materialized (
      select (select count(*) from checks_above)::int as checks,
        (select count(*) from messages_above)::int as messages,
        (select max(level) from (select level from checks_above union all select level from messages_above) w) as level,
        exists (select from checks_above where queue = 'static') or exists (select from messages_above) as workers,
        exists (select from checks_above where queue <> 'static') as runners
    ),
    noted as (
      insert into notice_events (team_id, kind, detail, key)
      select team.id, 'failing', jsonb_build_object('above_level', to_jsonb(found)),
        concat_ws(' ', 'above_level', (t.at at time zone 'UTC')::date)
      from found, t, (select id from teams where ended_at is null order by created_at, id limit 1) team
      where found.level is not null
      on conflict (key) do nothing
    )
    select * from found
  `)
