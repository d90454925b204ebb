-- A search that its team could not pay for was skipped, and is due at its next time. What gives the team runs again
-- makes it due at once, in its place in the schedule, if it can be paid now. Checks that another statement holds are
-- left: that statement sets their time.
create function wake_skipped_searches() returns trigger language plpgsql as $$
begin
  update checks c
  set next_run_at = woken.at, due_at = woken.at
  from (
    select no, least(clock(), next_run_at - make_interval(secs => interval_seconds)) as at
    from checks
    where team_id = new.team_id and queue = 'serp' and due_at > clock() and next_run_at is not null
      and coalesce(new.trial_ends_at > clock(), true)
      and run_id is null and queued_run_id is null
      and cost <= new.credits + greatest(0, coalesce(
        case when new.serp_limit is null then new.runs_limit - new.runs_used else new.serp_limit - new.serp_used end,
        cost))
      and (select status from runs where monitor_no = no order by id desc limit 1) = 'skipped'
    for update skip locked
  ) woken
  where c.no = woken.no;
  return null;
end $$;
create trigger team_usage_wake_skipped_searches after update on team_usage for each row
  when (
    new.credits > old.credits or new.runs_used < old.runs_used or new.serp_used < old.serp_used
    or new.runs_limit is distinct from old.runs_limit or new.serp_limit is distinct from old.serp_limit
    or new.trial_ends_at is distinct from old.trial_ends_at
  )
  execute function wake_skipped_searches();
