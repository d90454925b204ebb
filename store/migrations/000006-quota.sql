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
  -- Separate quotas beside the runs: calls of the model, bytes of stored pictures, and bytes transferred through the
  -- proxy.
  llm_calls_used bigint not null default 0 check (llm_calls_used >= 0),
  screenshot_bytes_used bigint not null default 0 check (screenshot_bytes_used >= 0),
  proxy_bytes_used bigint not null default 0 check (proxy_bytes_used >= 0)
) with (fillfactor = 50);

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
    update team_usage u set (runs_limit, visual_limit, serp_limit) = (select * from team_pools(u.team_id))
    where u.team_id = new.id;
  end if;
  return null;
end $$;
create trigger plans_fit_pools after update on plans for each row execute function fit_pools();
create trigger teams_fit_pools after update of tier, serp, limits on teams for each row execute function fit_pools();

-- Proxy bytes reserved by fetches in progress. A fetch reserves them before it begins and releases them when it ends.
-- The reservation of a process that was killed expires by itself.
create table proxy_holds (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams,
  bytes bigint not null check (bytes > 0),
  until timestamptz not null
);
create index proxy_holds_team on proxy_holds (team_id);
