-- Runs of past days that found the same reading again, up to a hundred of one monitor and day in a row
-- (store/runs/stored-runs.ts). The arrays have one element for each run, in the order of their ids. What a run of a
-- page can have beside these columns, these have not. They take a fifth of the rows' space.
create table run_stretches (
  monitor_no bigint not null,
  last_id uuid not null,
  first_id uuid not null,
  team_id uuid not null,
  reading_id uuid not null,
  fetch_method fetch_method,
  fetch_reason fetch_reason,
  without_media boolean,
  fired boolean,
  ids uuid[] not null,
  start_offsets_ms int[] not null,
  durations_ms int[] not null,
  primary key (monitor_no, last_id)
);

-- The day, in UTC, before which all runs were looked at. One row at most; none: no day was.
create table folded_days (
  until timestamptz not null,
  is_only boolean primary key default true check (is_only)
);
