-- The queue of a check. It decides the fetch layer and the quota pool.
create type check_queue as enum ('static', 'browser', 'visual', 'serp');

-- Why a check is done by another layer than a direct request (schema/run/run.ts). no_match: a rule had no match in a
-- direct answer whose scripts may write what it selects.
create type fetch_reason as enum ('configured', 'search_results', 'needs_scripts', 'encoding', 'refused', 'no_match');

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
  -- (worker/record/by-layer.ts).
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
  holder int,
  -- The isolation of the monitor, where claims look. Only a token of this check claims it.
  is_isolated boolean not null default false,
  -- A search whose engine is left alone asks nothing, so the run that is claimed for it is not paid. Where its process
  -- dies before it is recorded, the next claim has to know. It says nothing while run_id is null.
  is_unpaid boolean not null default false,
  -- Of the runs that were paid last for a check, those that credits paid. A search that asks nothing in the end gives
  -- them back, and the other ones to the pool.
  credits_paid int not null default 0,
  -- When it was last rendered because a rule had no match in a direct answer. Null: never with this configuration.
  missing_rendered_at timestamptz,
  -- The level of the work: a process takes what is at its own and below (schema/level.ts,
  -- docs/decisions/0038-work-has-a-level.md).
  level smallint not null default 1,
  -- The last run that found a difference. No index has it, so that a check stays one row that is rewritten in place.
  last_change_id uuid,
  -- The mute of the monitor (schema/monitor/mute.ts): a reading is judged by it under the same fence. One that has
  -- ended may stay. Null: there is none.
  mute json
) with (fillfactor = 70);
-- Claims read level by level, so that they never step over rows above their own.
create index checks_due_of_level on checks (team_id, queue, level, due_at) where due_at is not null;
-- The checks that not every process takes. They are few: most monitors have no key of a higher level.
create index checks_above on checks (queue, level, due_at) where level > 1 and due_at is not null;

-- The due searches. They are few, and are claimed one at a time for each engine and exit.
create index checks_searches_of_level on checks (level, team_id, due_at) where queue = 'serp' and due_at is not null;

-- The checks that runners have claimed, which are few. Checks of workers never enter it.
create index checks_of_runners on checks (due_at) where holder is not null;

create index checks_isolated on checks (due_at) where is_isolated;
-- Teams take turns with their isolated checks (store/queue/isolated-checks.ts): each team is found by one step, and so
-- is the most overdue check of a team.
create index checks_isolated_of_team on checks (team_id, due_at) where is_isolated and due_at is not null;

-- For lists of the monitors whose status is error (FAILURES_UNTIL_ERROR in core/schedule.ts).
create index checks_failing on checks (team_id, no) where failures >= 5;

-- The levels of the processes that took checks of a queue lately.
create table queue_levels (
  queue check_queue not null,
  level smallint not null,
  seen_at timestamptz not null,
  primary key (queue, level)
);

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

-- Returns the next nominal time on the check's own grid. Several missed ticks become one. A run that a user asked for
-- before its time leaves the nominal time unchanged. An unscheduled (paused) check stays unscheduled. core/schedule.ts
-- implements the same rule.
--
-- It is stable, because the sum of a time and an interval is. Declared immutable, it would not be expanded into the
-- statement that calls it, and was called twice for each recorded run, at more than 2 µs a call.
create function next_run(nominal timestamptz, at timestamptz, interval_seconds int, shift_seconds int, first boolean)
returns timestamptz language sql stable as $$
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
  -- What each layer whose last reading was not the baseline read otherwise (worker/record/by-layer.ts). Null: there is
  -- none.
  layers json,
  -- What lists show of the monitor: its value, the last change, the last numbers (core/overview/monitor-summary.ts). It
  -- stays when retention deletes the run. Null: nothing was read yet.
  summary json
);
create index baselines_text on baselines (team_id, text_key) where text_key is not null;

-- Work that somebody asked for, with what paid for it (docs/decisions/0037-asked-work-is-work.md). A row exists from
-- the payment to the end.
create table asked_work (
  -- Of a run of a monitor, the id of the run.
  id uuid primary key default gen_random_uuid(),
  -- Of a run, the number of its check. Work that is not about a check has another number, from the sequence of the
  -- monitors, so that no check has it: as a check, it is leased and recorded by its number and its fence.
  no bigint not null,
  kind text not null,
  team_id uuid not null,
  asked_at timestamptz not null default clock(),
  -- Nobody waits for it after this time. Null: it is a run, which ends with its check.
  deadline_at timestamptz,
  -- What paid for it: runs of a pool, in the period that began then, and credits. Null: it was given back.
  pool text check (pool in ('runs', 'visual', 'serp')),
  from_pool int not null,
  credits int not null,
  period timestamptz not null,
  -- What a runner is to do, encrypted (store/secrets/secret-box.ts). Null: runners are not asked.
  request bytea,
  -- The engine of a search, whose runner needs a free exit. Null: it asks none.
  engine text,
  -- Only a token of this number claims it.
  is_isolated boolean not null default false,
  -- As of a check. A runner whose fence is out of date changes nothing.
  fence int not null default 0,
  holder int,
  leased_until timestamptz,
  -- How many runners have begun it.
  tries int not null default 0,
  -- Encrypted: what a runner answered.
  answer bytea,
  -- As of a check.
  level smallint not null default 1
);
create index asked_work_no on asked_work (no);
create index asked_work_team on asked_work (team_id);
-- What runners claim, beside the runs, which may be many.
create index asked_work_of_level on asked_work (level, asked_at) where request is not null;
