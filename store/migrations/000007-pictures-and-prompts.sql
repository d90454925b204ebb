-- A row for each object of the object store, written before the object and deleted after it, so that no object is
-- without one. No row refers to an object that is not there: a run's references are written after its objects, and an
-- object goes only when it is doomed, and doomed only when nothing refers to it.
create table images (
  id uuid primary key,
  team_id uuid not null,
  monitor_no bigint not null,
  bytes int not null check (bytes >= 0),
  -- The newest run that shows it. Null: its run is not recorded yet, or never was.
  last_run_id uuid,
  -- About to be deleted: nothing may refer to it any more.
  doomed boolean not null default false,
  created_at timestamptz not null default clock()
) with (fillfactor = 80);
create index images_unrecorded on images (created_at) where last_run_id is null and not doomed;
create index images_old on images (team_id, last_run_id) where not doomed;
create index images_doomed on images (id) where doomed;

-- What a run saw: beside `runs` and not in it, for one run of hundreds has pictures. Not partitioned: each costs a
-- browser seconds.
create table run_images (
  monitor_no bigint not null,
  run_id uuid not null,
  team_id uuid not null,
  -- Changed area of all regions together, in percent.
  change_pct float8 not null,
  has_changes boolean not null,
  thumb_id uuid not null,
  -- A list: label, pct, before, after, diff (ids of images or null).
  regions json not null,
  primary key (monitor_no, run_id)
);
create index run_images_team on run_images (team_id, run_id);

-- What the next picture is compared with. Void while the check has no baseline (checks.reading_id).
create table visual_baselines (
  no bigint primary key,
  team_id uuid not null,
  thumb_id uuid not null,
  -- A list: image, hash, width, height.
  regions json not null,
  -- All images above, which stay as long as they stand here.
  image_ids uuid[] not null
);

-- What the model said, kept for 30 days under the hash of all that was asked (worker/prompts/question-key.ts). It is
-- the team's own: what one team's page says is nothing to another's.
create table prompt_answers (
  team_id uuid not null,
  key bytea not null check (length(key) = 32),
  answer json not null,
  created_at timestamptz not null default clock(),
  primary key (team_id, key)
);
create index prompt_answers_age on prompt_answers (created_at);
