-- Names in the order of people: numbers in them as numbers. A Postgres without ICU orders them by their bytes.
do $$ begin
  create collation natural_names (provider = icu, locale = 'und-u-kn-true');
exception when others then
  create collation natural_names from "C";
end $$;

-- Returns the bytes of a configuration as it is stored: texts, and values that are encrypted. It is the only measure:
-- the column of monitors below and the statements that ask for room (store/quota/team-storage.ts) call it.
create function configuration_bytes(texts text[], sealed bytea[]) returns int language sql immutable as $$
  select (coalesce((select sum(octet_length(part)) from unnest(texts) part), 0)
    + coalesce((select sum(octet_length(part)) from unnest(sealed) part), 0))::int
$$;

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
  -- A file of manifests is a manager too, with cluster_id = 'file' in monitor_resources.
  managed_by text not null default 'api' check (managed_by in ('api', 'kubernetes', 'file')),
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
  -- A name that a client chose for the record, so that it finds it again.
  external_key text,
  -- Label to value, to filter lists by. Null: there are none.
  labels jsonb,
  -- pod: each check of the monitor is done by a runner pod that does no other check.
  isolation text not null default 'shared' check (isolation in ('shared', 'pod')),
  configuration_bytes int not null generated always as (configuration_bytes(
    array[name, url, extract_config::text, diff_predicate::text, request_config::text, visual_config::text,
      keyword, target_domain, external_key, labels::text],
    array[request_headers, deliveries])) stored,
  -- The file, in the folder of `tidemark serve --config`, whose manifest declares the monitor (managed_by = 'file').
  declared_in text check (length(declared_in) <= 1024),
  -- Keys of a configuration that have no column. A version shows and keeps those that it does not know.
  more json,
  -- The hours in which nothing is sent to destinations that name none (schema/monitor/quiet-hours.ts).
  quiet_hours json,
  -- The message of the destinations that have none (schema/message/message.ts).
  message json,
  -- When destinations that do not say it get all that changed as one message (schema/monitor/digest.ts).
  digest json,
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
-- Deleted monitors whose configurations are not dropped yet.
create index monitors_to_drop on monitors (no) where deleted_at is not null and coalesce(url, keyword) <> '';
create unique index monitors_external_key on monitors (team_id, kind, external_key)
  where external_key is not null and deleted_at is null;
-- For the counts of the list: what they read of monitors is in the index, so none of the wide rows is read. Monitors
-- are changed by people, and no check writes to it.
create index monitors_counts on monitors (team_id, no) include (kind, managed_by, paused, suspended, locked)
  where deleted_at is null;
-- For the stream of events: the monitors that rest, of which some stop or begin to with each look.
create index monitors_resting on monitors (team_id, no) include (locked)
  where deleted_at is null and (paused or suspended or locked);

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
  epoch bigint not null,
  -- When the leader that starts runner pods was last at work. Null: it starts none.
  runners_seen_at timestamptz
);

-- Up to which run a reader has seen the changes of a monitor.
create table seen_marks (
  team_id uuid not null references teams on delete cascade,
  -- Null: the team's own mark, which its API keys read and set.
  user_id uuid,
  -- Null: the mark of every monitor that has none.
  monitor_no bigint,
  seen_id uuid not null,
  unique nulls not distinct (team_id, user_id, monitor_no),
  foreign key (team_id, user_id) references team_members (team_id, user_id) on delete cascade
);
create index seen_marks_monitor on seen_marks (monitor_no) where monitor_no is not null;

-- Answers to requests with an Idempotency-Key, kept for a day. A row is written in the transaction of the request, so
-- that there is one exactly when the request had its effect.
create table idempotent_answers (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null,
  -- The operation's name in OpenAPI.
  operation text not null,
  key text not null,
  -- Encrypted (store/secrets/secret-box.ts): a hash of the request, the status and the body of the answer.
  answer bytea not null,
  created_at timestamptz not null default clock(),
  unique (team_id, operation, key)
);
create index idempotent_answers_age on idempotent_answers (created_at);
