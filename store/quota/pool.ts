import { sql } from 'slonik'

type Fragment = ReturnType<typeof sql.fragment>

/** In place of a limit where there is none: far above what is ever used, far from overflow when credits are added. */
const NO_LIMIT = 1_000_000_000_000_000

/**
 * What a check of a queue is taken from, beside `team_usage u`: a row `pool`. Everything that takes or counts runs asks
 * here.
 *
 *     kind       runs, visual or serp: a pool of its own where the team has one, else that of the runs
 *     used       runs taken from it
 *     most       its size; null: no limit
 *     room       runs left in it
 *     remaining  runs left with the credits, which come after the pool, whatever the kind of check
 *
 * It is nothing but expressions over `u`, so that of a row that is locked they are those of its newest version.
 */
export const poolOf = (queue: Fragment) => sql.fragment`
  cross join lateral (
    select kind, used, most, room, room + u.credits as remaining
    from (
      select kind, used, most, greatest(coalesce(most - used, ${sql.literalValue(String(NO_LIMIT))}::bigint), 0) as room
      from (
        select kind,
          case kind when 'visual' then u.visual_used when 'serp' then u.serp_used else u.runs_used end as used,
          case kind when 'visual' then u.visual_limit when 'serp' then u.serp_limit else u.runs_limit end as most
        from (
          select case
            when ${queue} = 'visual' and u.visual_limit is not null then 'visual'
            when ${queue} = 'serp' and u.serp_limit is not null then 'serp'
            else 'runs' end as kind
        ) named
      ) sized
    ) left_over
  ) pool`

/**
 * The `set` of an update of `team_usage u` that takes `cost` runs: from the pool what it has, the rest from the
 * credits. Of a row `own` with `kind`, `room` and `cost`; it must not cost more than remains.
 */
export const TAKEN = sql.fragment`
  runs_used = u.runs_used + case own.kind when 'runs' then least(own.cost, own.room) else 0 end,
  visual_used = u.visual_used + case own.kind when 'visual' then least(own.cost, own.room) else 0 end,
  serp_used = u.serp_used + case own.kind when 'serp' then least(own.cost, own.room) else 0 end,
  credits = u.credits - greatest(own.cost - own.room, 0)`
