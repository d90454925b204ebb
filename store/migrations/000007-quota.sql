-- The quota of each team's current period. A claim locks this row (and skips teams that another claim has locked),
-- takes from what remains and counts it here, all in one statement, so that a quota is never overspent.
create table team_usage (
  team_id uuid primary key references teams,
  -- The sizes of the pools. They are copies of the team's limits, so that a claim reads one row only. The triggers
  -- below keep them up to date. runs_limit null: no limit. visual_limit or serp_limit null: taken from the pool of
  -- runs. 0: only credits can pay.
  runs_limit bigint,
  visual_limit bigint,
  serp_limit bigint,
  runs_used bigint not null default 0 check (runs_used >= 0),
  visual_used bigint not null default 0 check (visual_used >= 0),
  serp_used bigint not null default 0 check (serp_used >= 0),
  credits bigint not null default 0 check (credits >= 0),
  period_start timestamptz not null default clock(),
  -- Null: these pools are never renewed (those of a trial).
  resets_at timestamptz,
  -- Null: the team is not on a trial. From this instant on nothing is taken, whatever is left: a claim never waits for
  -- the maintenance to lock the team's monitors. A trigger below copies it from the team.
  trial_ends_at timestamptz,
  -- Each period ends whole months after this instant, so that a day that a short month lacks comes back in the next
  -- one. Null: after the end of the present period.
  anchor_at timestamptz,
  -- Separate quotas beside the runs: calls of the model, bytes of stored pictures, and bytes transferred through the
  -- proxy.
  llm_calls_used bigint not null default 0 check (llm_calls_used >= 0),
  screenshot_bytes_used bigint not null default 0 check (screenshot_bytes_used >= 0),
  proxy_bytes_used bigint not null default 0 check (proxy_bytes_used >= 0),
  -- Pages that a paid provider of searches was asked for. There is no quota of them.
  provider_pages_used bigint not null default 0,
  -- A pool that checks of pages use is empty, and no credits are left. A trigger keeps it up to date.
  is_used_up boolean not null default false,
  -- All credits that a team was ever given. It tells one purchase from the next.
  credits_given bigint not null default 0
) with (fillfactor = 50);
create index team_usage_used_up on team_usage (team_id) where is_used_up;

create function mark_used_up() returns trigger language plpgsql as $$
begin
  new.is_used_up := not new.is_used_up;
  return new;
end $$;
-- The condition is evaluated without a call of the function.
create trigger team_usage_mark_used_up before insert or update on team_usage for each row
  when (new.is_used_up <> (new.credits = 0
    and (coalesce(new.runs_used >= new.runs_limit, false) or coalesce(new.visual_used >= new.visual_limit, false))))
  execute function mark_used_up();

-- Checks of a team without runs rest: the maintenance moves their due_at away, so that no claim looks at them
-- (store/quota/pool.ts). What gives the team runs again makes them due again, at once. Checks that another statement
-- holds are left: that statement sets their time.
create function wake_resting_checks() returns trigger language plpgsql as $$
begin
  update checks set due_at = next_run_at where no in (
    select no from checks
    where team_id = new.team_id and run_id is null and queued_run_id is null and due_at > next_run_at
    for update skip locked
  );
  return null;
end $$;
create trigger team_usage_wake_resting_checks after update on team_usage for each row
  when (
    old.is_used_up and (new.credits > old.credits or new.runs_used < old.runs_used or new.visual_used < old.visual_used
      or new.runs_limit is distinct from old.runs_limit or new.visual_limit is distinct from old.visual_limit)
  )
  execute function wake_resting_checks();

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

-- Returns the sizes of a team's pools, computed from its limits. When the plan does not include SERP, only credits pay
-- for searches.
create function team_pools(team uuid)
returns table (runs_limit bigint, visual_limit bigint, serp_limit bigint) language sql stable rows 1 as $$
  select (l.limits->>'runsPerMonth')::bigint, (l.limits->>'visualRunsPerMonth')::bigint,
    case when l.serp = 'none' then 0 else (l.limits->>'serpRunsPerMonth')::bigint end
  from team_limits(team) l
$$;

create function fit_pools() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'plans' then
    update team_usage u set (runs_limit, visual_limit, serp_limit) = (select * from team_pools(u.team_id))
    from teams t
    where t.id = u.team_id and t.tier = new.tier;
  else
    update team_usage u set (runs_limit, visual_limit, serp_limit) = (select * from team_pools(u.team_id)),
      trial_ends_at = case when new.tier = 'free' then new.trial_ends_at end
    where u.team_id = new.id;
  end if;
  return null;
end $$;
create trigger plans_fit_pools after update on plans for each row execute function fit_pools();
create trigger teams_fit_pools after update of tier, serp, limits, trial_ends_at on teams for each row
  execute function fit_pools();

-- How far a pool is used, in the steps that its owner is told: 0, 80 or 100 percent. A pool without a limit, and one
-- that the plan does not have, is at 0.
create function pool_level(used bigint, size bigint) returns int language sql immutable as $$
  select case when size > 0 and used >= size then 100 when size > 0 and used * 5 >= size * 4 then 80 else 0 end
$$;

-- Writes down that a pool has passed 80 or 100 percent, in the transaction that spends, and that the credits after it
-- are gone. Each is told once in a period for each size of the pool, and credits as often as they are used up.
create function tell_quota() returns trigger language plpgsql as $$
begin
  insert into notice_events (team_id, kind, detail, key)
  select new.team_id, 'quota',
    jsonb_build_object(
      'pool', pool, 'threshold_pct', level, 'used', used, 'limit', size, 'credits_remaining', new.credits,
      'resets_at', new.resets_at),
    concat_ws(' ', 'quota', new.team_id, new.period_start, pool, level, size,
      case when is_first then null else concat('credits ', clock()) end)
  from (
    select pool, used, size, pool_level(used, size) as level,
      pool_level(used, size) > pool_level(used_before, size_before) as is_first,
      pool_level(used, size) = 100 and new.credits = 0 and old.credits > 0 as are_credits_gone
    from (values
      ('runs', new.runs_used, new.runs_limit, old.runs_used, old.runs_limit),
      ('visual', new.visual_used, new.visual_limit, old.visual_used, old.visual_limit),
      ('serp', new.serp_used, new.serp_limit, old.serp_used, old.serp_limit)
    ) as p (pool, used, size, used_before, size_before)
  ) p
  where is_first or are_credits_gone
  on conflict (key) do nothing;
  return null;
end $$;
-- The condition calls no function: Postgres would parse its body in every claim (1.5 ms, measured). Below 80 percent, a
-- claim pays nothing.
create trigger team_usage_tell_quota after update on team_usage for each row
  when (
    new.runs_used * 5 >= new.runs_limit * 4
    or new.visual_used * 5 >= new.visual_limit * 4
    or new.serp_limit > 0 and new.serp_used * 5 >= new.serp_limit * 4
  )
  execute function tell_quota();

-- Proxy bytes reserved by fetches in progress. A fetch reserves them before it begins and releases them when it ends.
-- The reservation of a process that was killed expires by itself.
create table proxy_holds (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams,
  bytes bigint not null check (bytes > 0),
  until timestamptz not null
);
create index proxy_holds_team on proxy_holds (team_id);

-- Locks and unlocks the monitors of a team as core/machine/plan.ts says. What is locked has no schedule; a check that
-- is under way or queued still ends. What is unlocked, and neither paused nor suspended, is due at once. The caller
-- holds the row of team_usage, so that claims of the team wait. What is locked is told, once for all of it. Whatever
-- takes several of these rows takes them in this order: teams, team_usage, monitors, checks.
create function fit_locks(team uuid) returns void language plpgsql as $$
declare
  changed bigint[];
  newly_locked bigint;
begin
  with m as (
    update monitors m set locked = not m.locked
    from teams t join team_usage u on u.team_id = t.id
    where t.id = team and m.team_id = t.id and m.deleted_at is null
      and m.locked <> (t.trial_over or m.kind = 'serp' and t.serp = 'none' and u.credits = 0)
    returning m.no, m.locked
  )
  select array_agg(no), count(*) filter (where locked) into changed, newly_locked from m;
  if changed is not null then
    update checks c
    set next_run_at = case when s.is_scheduled then clock() end,
      due_at = case
        when c.run_id is not null or c.queued_run_id is not null then c.due_at
        when s.is_scheduled then clock() end
    from (
      select c.no, not (m.locked or m.paused or m.suspended) as is_scheduled
      from checks c join monitors m on m.no = c.no
      where c.no = any (changed)
      order by c.no
      for update of c
    ) s
    where c.no = s.no;
  end if;
  if newly_locked > 0 then
    insert into notice_events (team_id, kind, detail, key)
    select t.id, 'quota',
      jsonb_build_object('pool', case when t.trial_over then 'trial' else 'serp' end, 'threshold_pct', 100,
        'used', days, 'limit', days, 'credits_remaining', u.credits, 'resets_at', null, 'locked', newly_locked),
      concat_ws(' ', 'quota', t.id, 'locked', clock())
    from teams t join team_usage u on u.team_id = t.id
    cross join lateral (
      select case when t.trial_over
        then greatest(0, round(extract(epoch from t.trial_ends_at - u.period_start) / 86400))::bigint
        else 0 end as days
    ) trial
    where t.id = team
    on conflict (key) do nothing;
  end if;
end $$;

create function note_trial_end() returns trigger language plpgsql as $$
begin
  new.trial_over := new.tier = 'free' and coalesce(new.trial_ends_at <= clock(), false);
  perform from team_usage where team_id = new.id for update;
  return new;
end $$;
create trigger teams_note_trial_end before update of tier, serp, trial_ends_at, trial_over on teams
  for each row execute function note_trial_end();

create function fit_locks_of() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'teams' then
    perform fit_locks(new.id);
  else
    perform fit_locks(new.team_id);
  end if;
  return null;
end $$;
create trigger teams_fit_locks after update of tier, serp, trial_ends_at, trial_over on teams for each row
  when (old.trial_over <> new.trial_over or old.serp <> new.serp) execute function fit_locks_of();
-- Credits that run out lock nothing here: the maintenance does it, so that a claim never waits for an edit.
create trigger team_usage_fit_locks after update on team_usage for each row
  when (old.credits = 0 and new.credits > 0) execute function fit_locks_of();

-- Returns the fewest whole months of UTC, which may be none or less, that bring the anchor after an instant.
create function months_past(anchor timestamptz, at timestamptz) returns int language sql immutable as $$
  select min(n)::int
  from (select age(at at time zone 'UTC', anchor at time zone 'UTC') as age) passed
  cross join generate_series(-2, 2) step
  cross join lateral (select (12 * extract(year from age) + extract(month from age))::int + step as n) month
  where anchor at time zone 'UTC' + make_interval(months => n) > at at time zone 'UTC'
$$;

-- Returns the instant so many months of UTC after the anchor: the last day of a month that lacks the anchor's day.
create function month_from(anchor timestamptz, months int) returns timestamptz language sql immutable as $$
  select (anchor at time zone 'UTC' + make_interval(months => months)) at time zone 'UTC'
$$;

-- What a payment provider knows of a team (accounts/billing). A row exists once the owner has begun to buy.
create table subscriptions (
  team_id uuid primary key references teams on delete cascade,
  customer_id text unique,
  -- The checkout of a plan that was begun last. Beginning another one ends it.
  checkout_id text,
  subscription_id text,
  status text,
  -- The plan of the subscription holds (schema/account/billing.ts says in which statuses).
  is_live boolean not null default false,
  period_ends_at timestamptz,
  cancel_at_period_end boolean not null default false,
  -- Rises with each write, so that what was read from the provider earlier never replaces what was read later.
  version bigint not null default 0,
  check (subscription_id is null or num_nulls(customer_id, status, period_ends_at) = 0)
);

-- Paid purchases of run credits, each counted once, by the id of the provider's checkout.
create table credit_purchases (
  checkout_id text primary key,
  team_id uuid not null references teams on delete cascade,
  runs bigint not null check (runs > 0),
  created_at timestamptz not null default clock()
);
create index credit_purchases_team on credit_purchases (team_id);
