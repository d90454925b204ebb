-- The quota of each team's period. A claim locks this row (skipping teams that another claim holds), takes what
-- remains and counts it here, all in one statement, so that a quota is never overspent. Limits stand here copied from
-- the plan. runs_limit 10^15: none (far from overflow when credits are added). visual_limit, serp_limit null: taken
-- from the pool of runs.
create table team_usage (
  team_id uuid primary key references teams,
  runs_limit bigint not null,
  visual_limit bigint,
  serp_limit bigint,
  runs_used bigint not null default 0 check (runs_used >= 0),
  visual_used bigint not null default 0 check (visual_used >= 0),
  serp_used bigint not null default 0 check (serp_used >= 0),
  credits bigint not null default 0 check (credits >= 0),
  period_start timestamptz not null default clock(),
  -- Null: nothing renews these pools (a trial's).
  resets_at timestamptz,
  -- Beside the runs, in quotas of their own: calls of the model, bytes of pictures that were stored, and bytes that
  -- the proxy carried.
  llm_calls_used bigint not null default 0 check (llm_calls_used >= 0),
  screenshot_bytes_used bigint not null default 0 check (screenshot_bytes_used >= 0),
  proxy_bytes_used bigint not null default 0 check (proxy_bytes_used >= 0)
) with (fillfactor = 50);

-- What fetches under way may still use of the proxy: put aside before they begin, given back when they end. One whose
-- process was killed runs out by itself.
create table proxy_holds (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams,
  bytes bigint not null check (bytes > 0),
  until timestamptz not null
);
create index proxy_holds_team on proxy_holds (team_id);
