import type { Query } from './query.ts'

/** Roles of workers begin so: what the invariants judge are their writes, not the test's. */
export const WORKER_ROLE = 'worker_'

/**
 * Notes each change of a queue row, by whom: every worker process has a role of its own, so that a write under a stolen
 * fence is seen for what it is. What our own statements believe about leases and fences is not asked.
 */
export async function installAudit(query: Query): Promise<void> {
  await query(`
    create schema fault;
    create table fault.checks_log (
      seq bigint generated always as identity primary key,
      at timestamptz not null, who name not null, no bigint not null,
      old_fence int, fence int, old_run uuid, run uuid, old_queued uuid, old_due timestamptz, due timestamptz,
        nominal timestamptz, next timestamptz
    );
    create table fault.deliveries_log (
      seq bigint generated always as identity primary key,
      at timestamptz not null, who name not null, id uuid not null,
      old_fence int, fence int, old_attempts int, attempts int, status text, old_due timestamptz, due timestamptz
    );
    create function fault.log_check() returns trigger language plpgsql security definer as $$
    begin
      insert into fault.checks_log (at, who, no, old_fence, fence, old_run, run, old_queued, old_due, due, nominal,
        next)
      values (clock(), session_user, new.no, old.fence, new.fence, old.run_id, new.run_id, old.queued_run_id,
        old.due_at, new.due_at,
        old.next_run_at, new.next_run_at);
      return null;
    end $$;
    create function fault.log_delivery() returns trigger language plpgsql security definer as $$
    begin
      insert into fault.deliveries_log (at, who, id, old_fence, fence, old_attempts, attempts, status, old_due, due)
      values (clock(), session_user, new.id, old.fence, new.fence, old.attempts, new.attempts, new.status, old.due_at,
        new.due_at);
      return null;
    end $$;
    create trigger fault_log after update on checks for each row execute function fault.log_check();
    create trigger fault_log after update on deliveries for each row execute function fault.log_delivery();
    -- A step of a check, told from what the row became.
    create view fault.check_steps as
      select *, case
        when old_run is not null and run is null then 'record'
        when fence > old_fence and due > at then 'claim'
        when fence > old_fence then 'release'
        when run is not null and due > old_due then 'heartbeat'
        -- Any worker moves a lease back after the clock was put back.
        else 'other' end as step
      from fault.checks_log where who like '${WORKER_ROLE}%';
    create view fault.delivery_steps as
      select *, case
        when attempts > old_attempts then 'record'
        when fence > old_fence and due > at then 'claim'
        when fence > old_fence then 'release'
        else 'heartbeat' end as step
      from fault.deliveries_log where who like '${WORKER_ROLE}%';
  `)
}
