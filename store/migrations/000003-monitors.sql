-- One table for both kinds of monitor: a page that is read, and a search whose results are read (SERP). They share the
-- number, the check, the history and the outbox. Columns that only the other kind uses are null, which takes no space
-- in a row. Configuration is stored as the user wrote it: json, unlike jsonb, keeps the order of keys. A monitor's
-- status is derived and never stored: deleted_at, locked (by billing), paused and the failures of its check determine
-- it.
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
  -- Encrypted JSON (store/secrets/secret-box.ts), because the values may contain credentials. Null: there is no value.
  request_headers bytea,
  deliveries bytea,
  signing_secret bytea,
  -- The secret before the last rotation. Until old_secret_until, webhooks are signed with it too.
  old_signing_secret bytea,
  old_secret_until timestamptz,
  -- The kinds of notices that the destinations get.
  notify_on text[] not null default '{}',
  paused boolean not null default false,
  locked boolean not null default false,
  -- By the manifest of the resource that declares the monitor. It is scheduled when it is neither paused nor suspended.
  suspended boolean not null default false,
  managed_by text not null default 'api' check (managed_by in ('api', 'kubernetes')),
  created_at timestamptz not null default clock(),
  deleted_at timestamptz,
  -- A search: the query, the engine, and the location, language and device that it is made for.
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
      url, extract_config, diff_predicate, fetch_mode, request_config, visual_config, template_slug, request_headers
    ) = 0
    and schedule_interval_seconds >= 600
    and (mode = 'rank_tracking' or target_domain is null)
  )
);
create index monitors_team on monitors (team_id, kind, created_at desc, id) where deleted_at is null;
create index monitors_searches on monitors (team_id) where kind = 'serp' and not locked and deleted_at is null;
-- For the purge.
create index monitors_deleted on monitors (deleted_at) where deleted_at is not null;

-- The custom resource that declares a monitor (managed_by = 'kubernetes'). It is the record's only writer.
create table monitor_resources (
  no bigint primary key,
  cluster_id text not null,
  -- The kind of the monitor: resources of different kinds may have the same name.
  kind text not null check (kind in ('page', 'serp')),
  namespace text not null,
  name text not null,
  uid text not null,
  generation bigint not null,
  -- A keyed hash of what was applied, with the values of its Secrets. An equal one needs no edit.
  applied_hash bytea not null,
  -- The last value of the annotation that asks for a run.
  last_request text,
  unique (cluster_id, kind, namespace, name)
);

-- The epoch of the operator that is the leader of a cluster. It rises with each election, so that a former leader that
-- does not know yet can write nothing more.
create table operator_epochs (
  cluster_id text primary key,
  epoch bigint not null
);

-- The queue of a check. It decides the fetch layer and the quota pool.
create type check_queue as enum ('static', 'browser', 'visual', 'serp');

-- Why a check is done by another layer than a direct request (schema/run/run.ts).
create type fetch_reason as enum ('configured', 'search_results', 'needs_scripts', 'encoding', 'refused');

-- The queue: one narrow row for each monitor, rewritten by each check. due_at is the only queue key. A claim moves it
-- to the end of the lease, so that a crashed check becomes due again by itself. A heartbeat extends it. The statement
-- that records the result sets the next due time. Null: there is nothing to do (paused, deleted).
create table checks (
  no bigint primary key,
  team_id uuid not null,
  queue check_queue not null,
  due_at timestamptz,
  -- The nominal time of the next scheduled run, which the API shows. Null: not scheduled.
  next_run_at timestamptz,
  interval_seconds int not null,
  -- Added once, to the second run, so that monitors that were created together do not run at the same time for ever.
  shift_seconds smallint not null,
  -- The cost of one run, counted in runs: one, or one for each page of search results.
  cost smallint not null default 1 check (cost > 0),
  -- The layers whose latest reading equals the baseline: static 1, browser 2, proxy 4
  -- (worker/record/another-layer.ts).
  read_by smallint not null default 0,
  -- An edit or a user set the failures to 0 while the monitor was failing: the next success is its recovery.
  was_failing boolean not null default false,
  -- The fencing token. It rises with each claim and with each edit that changes the meaning of a run, so that a late
  -- writer's token does not match.
  fence int not null default 0,
  failures int not null default 0,
  -- The run that is claimed now, and the run that a user asked for and that waits.
  run_id uuid,
  queued_run_id uuid,
  last_run_at timestamptz,
  runs_total bigint not null default 0,
  -- The baseline: the run that stores its values (table baselines has the current ones), the hash of its values, and
  -- the validators with which the next fetch can detect that nothing changed.
  reading_id uuid,
  reading_hash bytea,
  body_hash bytea,
  etag text,
  last_modified text,
  -- For a monitor whose fetch_mode is auto, the queue of its check also stores the layer that worked. This is the time
  -- when the static layer is tried again beside the browser. Null: the queue follows from the configuration.
  static_again_at timestamptz,
  -- Why that check is in the queue of the browser. Null as long as static_again_at is.
  layer_reason fetch_reason,
  -- The runner token that the check was claimed with over HTTP. The fencing token can be guessed, so this column
  -- decides who may change the check. Null: a worker claimed it; null adds no width to the row. Every statement that
  -- raises the fence clears this column or sets it again.
  holder int
) with (fillfactor = 70);
create index checks_due on checks (team_id, queue, due_at) where due_at is not null;

-- The due searches. They are few, and are claimed one at a time for each engine and exit.
create index checks_searches on checks (team_id, due_at) where queue = 'serp' and due_at is not null;

-- The checks that runners have claimed, which are few. Checks of workers never enter it.
create index checks_of_runners on checks (due_at) where holder is not null;

-- An address that searches come from (TIDEMARK_EXIT_NAME), for one engine: at most one check is under way there. The
-- check that has it keeps busy_until ahead. When that check is recorded or given back, the exit is free again, and
-- waits until next_at. A worker that was killed frees it when busy_until passes.
create table serp_exits (
  engine text not null,
  exit text not null,
  next_at timestamptz not null default '-infinity',
  busy_until timestamptz,
  check_no bigint,
  check_fence int,
  -- The team of the last check: the next one is of another team, where one is due.
  last_team uuid,
  primary key (engine, exit)
);

-- The engines that refused their last check. They are left alone until refused_until, by every exit. The first healthy
-- check deletes the row.
create table serp_engines (
  engine text primary key,
  refusals int not null,
  refused_until timestamptz not null
);

-- The last page of each engine that was not recognized. The object store has it for a week, for the installation's
-- admin alone (store/objects/unread-pages.ts).
create table serp_unread (
  engine text primary key,
  marker text not null,
  run_id uuid not null,
  seen_at timestamptz not null
);

-- For lists of the monitors whose status is error (FAILURES_UNTIL_ERROR in core/schedule.ts).
create index checks_failing on checks (team_id, no) where failures >= 5;

-- Returns the next nominal time on the check's own grid. Several missed ticks become one. A run that a user asked for
-- before its time leaves the nominal time unchanged. An unscheduled (paused) check stays unscheduled. core/schedule.ts
-- implements the same rule.
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
  -- Fields that had a value and have none now, each with the number of consecutive readings that lacked it. Null:
  -- there are no such fields.
  missing json,
  -- Of these, the lists that were missing for one or two readings, with the items that they had, and the last numbers
  -- of fields that a predicate wants to cross a line (core/predicate/fires.ts). Null: there are none.
  lists json,
  -- The number of consecutive readings in which every field was empty, up to three. Three: the owner was told. Null:
  -- the last reading had a value. An edit of the monitor does not reset it, so that the next reading with a value is
  -- told.
  empty smallint,
  -- For a whole page: its readable text, in page_texts. Null: there is none.
  text_key bytea,
  -- For each layer whose latest reading is not the baseline: the fields that it lacked. Null: there is none.
  lacking json,
  -- A reading of another layer that becomes the baseline only when it has come three times in a row
  -- (worker/record/another-layer.ts).
  pending json
);
create index baselines_text on baselines (team_id, text_key) where text_key is not null;
