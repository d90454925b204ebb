create type run_status as enum ('success', 'error', 'skipped');
create type fetch_method as enum ('static', 'browser', 'proxy');

-- A run that equals the previous one refers to it (reading_id) instead of storing the values again. Such a reference
-- never crosses a month, so that a whole month can be dropped. started_at is the time in the id plus start_offset_ms.
create table runs (
  monitor_no bigint not null,
  id uuid not null,
  team_id uuid not null,
  reading_id uuid,
  start_offset_ms int not null,
  duration_ms int not null,
  status run_status not null,
  fetch_method fetch_method,
  -- Null for a direct request, so that the usual run does not grow.
  fetch_reason fetch_reason,
  delivery_triggered boolean not null default false,
  extracted json,
  diff json,
  error_code text,
  error_message text,
  warnings json,
  -- For a whole page that differs: its readable texts, in page_texts. Null: there are none.
  text_before bytea,
  text_after bytea,
  -- For a search: its results, null where they equal those of the run in reading_id; the position of the target and how
  -- far it moved; two features of the page; and what the run says of the check (schema/serp/serp-check.ts).
  organic_results json,
  target_rank int,
  rank_delta int,
  ai_overview_present boolean,
  featured_snippet_present boolean,
  serp_check json,
  -- Whether the predicate or the pictures of a run fired, also where there was no destination to be told.
  fired boolean,
  -- What lists show of the difference that a run found (core/overview/run-change.ts). Null: it found none.
  change json,
  -- Why deliveries of the run waited for a later hour: the strongest reason. `dropped`: somebody decided that nothing
  -- is sent. Null: none waited.
  held text,
  primary key (monitor_no, id)
) partition by range (id);

-- For backtests, which read only the runs that found a difference. They are few among many runs without one.
create index runs_differences on runs (monitor_no, id) where diff is not null;
-- The changes of a team, newest first; by the number, those of one monitor.
create index runs_changes on runs (team_id, id, monitor_no) where change is not null or diff is not null;

-- Runs that retention has deleted, by the number of their monitor. The counter of a check is never lowered: so the
-- clean-up locks no check, and no check waits for it.
create table forgotten_runs (
  no bigint primary key,
  count bigint not null
);

-- When two sessions create the same month at the same time, the one that waited may still believe that the table does
-- not exist: names are cached, and an advisory lock does not refresh the cache. The duplicate_table error is therefore
-- ignored: the table is the one that it wanted to create.
create function ensure_run_partition(at timestamptz) returns void language plpgsql as $$
declare
  first timestamptz := date_trunc('month', at at time zone 'UTC') at time zone 'UTC';
  after timestamptz := (date_trunc('month', at at time zone 'UTC') + interval '1 month') at time zone 'UTC';
  name text := 'runs_' || to_char(at at time zone 'UTC', 'YYYY_MM');
begin
  if to_regclass(name) is not null then return; end if;
  perform pg_advisory_xact_lock(hashtext('tidemark.run_partitions'));
  execute format(
    'create table %I partition of runs for values from (%L) to (%L)', name, run_id_floor(first), run_id_floor(after));
exception when duplicate_table then null;
end $$;
select ensure_run_partition(clock());
select ensure_run_partition(clock() + interval '1 month');

-- The readable texts of whole pages, compressed, under a hash of the text (store/runs/page-texts.ts). A row stays while
-- the newest run that uses it is inside the retention window, and while it is the text of a baseline.
create table page_texts (
  team_id uuid not null,
  key bytea not null check (length(key) = 16),
  text bytea not null,
  last_run_id uuid not null,
  primary key (team_id, key)
);
alter table page_texts alter column text set storage external;
create index page_texts_old on page_texts (team_id, last_run_id);
