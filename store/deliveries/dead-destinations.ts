import { sql } from 'slonik'
import { GIVEN_UP } from './given-up.ts'

type Fragment = ReturnType<typeof sql.fragment>

/** One message is told of once, also where it was that of several monitors. */
const MESSAGE = sql.fragment`coalesce(d.digest_of::text, d.monitor_no::text)`

/**
 * Further parts of the statement that records attempts of deliveries, after its part `done`: they keep the state of
 * each destination of `ended`, and write an event when one turns dead. While no destination is dead, the table is
 * empty.
 */
export const deadDestinations = (ended: Fragment) => sql.fragment`,
    alive as (
      delete from dead_destinations x using (
        -- Batches of several processes lock in the same order.
        select k.monitor_no, k.target_key from dead_destinations k
        where exists (
          select from ${ended} d
          where d.status = 'success' and d.monitor_no = k.monitor_no and d.target_key = k.target_key)
        order by k.monitor_no, k.target_key
        for update
      ) d
      where x.monitor_no = d.monitor_no and x.target_key = d.target_key
    ),
    dead as (
      insert into dead_destinations (monitor_no, target_key, response_status)
      select distinct on (d.monitor_no, d.target_key) d.monitor_no, d.target_key, d.response_status from ${ended} d
      where ${GIVEN_UP}
      order by d.monitor_no, d.target_key, d.id
      on conflict do nothing
      returning monitor_no, target_key
    ),
    noted as (
      insert into notice_events (team_id, monitor_no, run_id, kind, detail, key)
      select distinct on (${MESSAGE}, d.target_key) d.team_id, d.monitor_no, d.run_id, 'delivery_dead',
        jsonb_build_object('delivery_id', d.id, 'target_key', d.target_key, 'delivery_type', d.type,
          'host', split_part(d.host, ' ', 1), 'status', d.status, 'response_status', d.response_status),
        concat_ws(' ', 'delivery_dead', d.id, d.fence)
      from (
        select distinct on (monitor_no, target_key) d.*
        from dead join ${ended} d using (monitor_no, target_key)
        where ${GIVEN_UP}
        order by monitor_no, target_key, d.id
      ) d
      join monitors m on m.no = d.monitor_no and m.deleted_at is null
      join teams team on team.id = d.team_id
      where (team.error_notifications or 'delivery_dead' = any(m.notify_on))
      -- One that wants the notice is told before one whose owner gets a mail.
      order by ${MESSAGE}, d.target_key, ('delivery_dead' = any(m.notify_on)) desc, d.id
      on conflict (key) do nothing
    )`
