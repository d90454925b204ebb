import { sql } from 'slonik'
import Type from 'typebox'
import type { Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'

/** Teams that one pass locks. */
const MAX_TEAMS = 100
const team = row({ team_id: Type.String() })

/**
 * Locks the monitors of teams whose trial has ended, and the searches of teams that have neither SERP in their plan nor
 * credits. A plan or credits unlock them at once (000007-quota.sql). Returns the numbers of these teams.
 */
export async function fitLocks(store: Store): Promise<{ readonly trials: number; readonly searches: number }> {
  const { rowCount: trials } = await store.query(sql.type(nothing)`
    update teams set trial_over = true where id in (
      select id from teams where tier = 'free' and not trial_over and trial_ends_at <= clock()
      order by trial_ends_at
      limit ${MAX_TEAMS}
      for update skip locked
    )
  `)
  const teams = await store.any(sql.type(team)`
    select m.team_id
    from (select distinct team_id from monitors where kind = 'serp' and not locked and deleted_at is null) m
    join teams t on t.id = m.team_id
    join team_usage u on u.team_id = t.id
    where t.serp = 'none' and u.credits = 0
    limit ${MAX_TEAMS}
  `)
  for (const { team_id: id } of teams)
    await store.query(sql.type(nothing)`
      select fit_locks(u.team_id) from (select team_id from team_usage where team_id = ${id}::uuid for update) u
    `)
  return { trials, searches: teams.length }
}
