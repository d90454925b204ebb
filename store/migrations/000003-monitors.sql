-- One table for both kinds: a page that is read, and a search whose results are read (SERP). They share the number,
-- the check, the history and the outbox. What only the other kind has is null, which takes no room in a row. What a
-- person wrote stands as they wrote it: json, not jsonb, keeps the order of keys. A monitor's status is derived,
-- never stored: deleted_at, locked (by billing), paused and the failures of its check say it all.
create table monitors (
  id uuid primary key default gen_random_uuid(),
  no bigint generated always as identity unique check (no < 1099511627776),
  kind text not null default 'page' check (kind in ('page', 'serp')),
  team_id uuid not null references teams,
  user_id uuid not null,
  name text not null,
  url text,
  schedule_interval_seconds int not null check (schedule_interval_seconds >= 60),
  extract_config json,
  diff_predicate json,
  fetch_mode text check (fetch_mode in ('auto', 'browser')),
  request_config json,
  visual_config json,
  template_slug text,
  -- Encrypted JSON (store/secrets/secret-box.ts), null where there is none: they may hold credentials.
  request_headers bytea,
  deliveries bytea,
  signing_secret bytea,
  -- The secret before the last rotation, which signs too until then.
  old_signing_secret bytea,
  old_secret_until timestamptz,
  paused boolean not null default false,
  locked boolean not null default false,
  managed_by text not null default 'api' check (managed_by in ('api', 'kubernetes')),
  created_at timestamptz not null default clock(),
  deleted_at timestamptz,
  -- A search: what is asked of which engine, as who would ask it.
  keyword text,
  engine text check (engine in ('google', 'bing', 'yahoo', 'duckduckgo', 'yandex')),
  mode text check (mode in ('rank_tracking', 'full_analysis')),
  pages smallint check (pages between 1 and 5),
  location_code text check (location_code ~ '^[a-z]{2}$'),
  language_code text check (language_code ~ '^[a-z]{2}$'),
  device text check (device in ('desktop', 'mobile')),
  target_domain text,
  rank_change_threshold int check (rank_change_threshold > 0),
  constraint page_parts check (
    kind <> 'page'
    or num_nulls(url, extract_config, diff_predicate, fetch_mode) = 0
    and num_nonnulls(
      keyword, engine, mode, pages, location_code, language_code, device, target_domain, rank_change_threshold) = 0
  ),
  constraint serp_parts check (
    kind <> 'serp'
    or num_nulls(keyword, engine, mode, pages, location_code, language_code, device) = 0
    and num_nonnulls(
      url, extract_config, diff_predicate, fetch_mode, request_config, visual_config, template_slug, request_headers) = 0
    and schedule_interval_seconds >= 600
    and (mode = 'rank_tracking' or target_domain is null)
  )
);
create index monitors_team on monitors (team_id, kind, created_at desc, id) where deleted_at is null;

-- Which layer and which pool a check takes.
create type check_queue as enum ('static', 'browser', 'visual', 'serp');

-- The queue: one narrow row a monitor, rewritten by each check. due_at is the only queue key: a claim moves it behind
-- the lease, so that a crashed check is simply due again; a heartbeat moves it on; a record sets the next due time.
-- Null: nothing to do (paused, deleted).
create table checks (
  no bigint primary key,
  team_id uuid not null,
  queue check_queue not null,
  due_at timestamptz,
  -- The nominal time of the next scheduled run: what the API shows. Null: not scheduled.
  next_run_at timestamptz,
  interval_seconds int not null,
  -- Added once, to the second run, so that monitors made together do not fire together for ever.
  shift_seconds smallint not null,
  -- What a run of it costs in runs: one, or one for each page of search results.
  cost smallint not null default 1 check (cost > 0),
  -- Rises with each claim and with each edit that changes what a run means: a late writer's fence does not match.
  fence int not null default 0,
  failures int not null default 0,
  -- The run that is claimed, and the run that a person asked for and that waits.
  run_id uuid,
  queued_run_id uuid,
  last_run_at timestamptz,
  runs_total bigint not null default 0,
  -- The baseline: the run that stores its values (table baselines has the current ones), the hash of its values, and
  -- what lets the next fetch see that nothing changed.
  reading_id uuid,
  reading_hash bytea,
  body_hash bytea,
  etag text,
  last_modified text,
  -- The layer of a monitor whose fetch_mode is auto is remembered as the queue of its check. This is when the static
  -- layer is tried again beside the browser. Null: the queue is what the configuration says.
  static_again_at timestamptz,
  -- The token that a check was claimed with over HTTP: beside the fence, which can be guessed, it says who may touch
  -- the check. Null, and the row is no wider for it: a worker claimed it. Whatever raises the fence clears it or sets
  -- it anew.
  holder int
) with (fillfactor = 70);
create index checks_due on checks (team_id, queue, due_at) where due_at is not null;

-- The next nominal time on the check's own grid: missed ticks become one. A run that a person asked for before its
-- time leaves the nominal time as it is; an unscheduled (paused) check stays unscheduled. core/schedule.ts is its
-- twin.
create function next_run(nominal timestamptz, at timestamptz, interval_seconds int, shift_seconds int, first boolean)
returns timestamptz language sql immutable as $$
  select case
    when nominal is null then null
    when nominal > at then nominal
    else nominal + make_interval(secs => case when first then shift_seconds else 0 end
      + interval_seconds * (1 + floor(extract(epoch from at - nominal) / interval_seconds)::double precision))
  end
$$;

create table baselines (
  no bigint primary key,
  team_id uuid not null,
  extracted json not null,
  -- Fields that had a value and have none now, with the number of readings in a row that lacked them. Null: there are
  -- none.
  missing json
);
