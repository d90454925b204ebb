-- What each team used on each day (UTC), from the counters of `team_usage` (store/quota/usage-days.ts). A day on which
-- nothing was used has no row.
--
-- No table here refers to `teams`: that would lock it for as long as the rows below are copied. A team that has ended
-- is counted no more, and its rows are deleted with it.
create table usage_days (
  team_id uuid not null,
  day date not null,
  runs bigint not null,
  visual_runs bigint not null,
  serp_runs bigint not null,
  credit_runs bigint not null,
  llm_calls bigint not null,
  picture_bytes bigint not null,
  proxy_bytes bigint not null,
  primary key (team_id, day)
);
create index usage_days_day on usage_days (day);

-- The largest counters of `team_usage` in the period, up to the last look. What they are more at the next one was used
-- since then. Runs that are given back lower a counter, and are not counted again when it rises.
create table usage_marks (
  team_id uuid primary key,
  -- Since when days are counted.
  since timestamptz not null default clock(),
  period_start timestamptz not null,
  -- When the numbers of `usage_starts` were taken, and whether a period has begun since.
  started_at timestamptz not null,
  starts_due boolean not null default false,
  runs_used bigint not null default 0,
  visual_used bigint not null default 0,
  serp_used bigint not null default 0,
  llm_calls_used bigint not null default 0,
  screenshot_bytes_used bigint not null default 0,
  proxy_bytes_used bigint not null default 0,
  credits bigint not null default 0,
  credits_given bigint not null default 0
) with (fillfactor = 50);

-- `checks.runs_total` at the beginning of the team's period. A check without a row began in the period.
create table usage_starts (
  no bigint primary key,
  runs_total bigint not null
);

-- What was used before is counted to no day.
insert into usage_marks (team_id, period_start, started_at, runs_used, visual_used, serp_used, llm_calls_used,
  screenshot_bytes_used, proxy_bytes_used, credits, credits_given)
select team_id, period_start, clock(), runs_used, visual_used, serp_used, llm_calls_used,
  screenshot_bytes_used, proxy_bytes_used, credits, credits_given
from team_usage;
insert into usage_starts (no, runs_total) select no, runs_total from checks where runs_total > 0;
