import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import type { Database } from '../support/database.ts'
import { insertOwner } from '../support/monitors.ts'
import { PAGE_EXTRACT } from '../support/page.ts'

/** Makes an owner whose team has so many monitors. Each has changed once; every twentieth fails. */
export async function seedTeam(database: Database, monitors: number): Promise<CreatedOwner> {
  const { client } = database
  const owner = await insertOwner(database)
  // The oldest run is a second older for each monitor, so it can be of the day before yesterday.
  await client.query(
    `select ensure_run_partition(day) from generate_series(clock() - $1::int * interval '1 s', clock(), '1 day') day`,
    [monitors],
  )
  await client.query(
    `with m as (
         insert into monitors (team_id, user_id, name, url, schedule_interval_seconds, extract_config, diff_predicate,
           fetch_mode, labels)
         select $1::uuid, gen_random_uuid(), 'Kettle ' || n, 'https://shop.example/kettle/' || n, 3600, $2::jsonb,
           '{"type": "any_field_changes"}', 'auto', jsonb_build_object('team', 'team-' || n % 20)
         from generate_series(1, $3::int) n returning no, team_id
       )
       insert into checks (no, team_id, queue, due_at, next_run_at, interval_seconds, shift_seconds, reading_id,
         last_run_at, runs_total, failures, last_change_id)
       select no, team_id, 'static', clock() + interval '1 day', clock() + interval '1 day', 3600, no % 30, id, clock(),
         2, case when no % 20 = 0 then 3 else 0 end, id
       from m, lateral (select new_run_id(clock() - no * interval '1 second', no) as id) r`,
    [owner.team_id, JSON.stringify(PAGE_EXTRACT), monitors],
  )
  await client.query(
    `insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, fetch_method, extracted)
       select no, reading_id, team_id, 0, 35, 'success', 'static', '{"price": "$12.00"}' from checks`,
  )
  await client.query(
    `insert into baselines (no, team_id, extracted, summary)
       select no, team_id, '{"price": "$12.00"}', json_build_object(
         'value', json_build_object('field', 'price', 'text', '$12.00'),
         'change', json_build_object('run_id', reading_id, 'at', '2026-01-01T00:00:00.000Z', 'field', 'price',
           'before', '$14.00', 'after', '$12.00', 'more', 0),
         'spark', json_build_object('field', 'price', 'points', json_build_array(14, 13, 15, 14, 12)))
       from checks`,
  )
  await client.query('vacuum analyze')
  return owner
}
