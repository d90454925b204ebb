-- A row for each object of the object store. The row is written before the object and deleted after it, so that every
-- object has a row. No row refers to an object that does not exist: a run's references are written after its objects.
-- An object is deleted only when it is doomed, and it becomes doomed only when nothing refers to it.
create table images (
  id uuid primary key,
  team_id uuid not null,
  monitor_no bigint not null,
  bytes int not null check (bytes >= 0),
  -- The newest run that refers to it. Null: its run is not recorded yet, or never was.
  last_run_id uuid,
  -- About to be deleted. Nothing may refer to it any more.
  doomed boolean not null default false,
  created_at timestamptz not null default clock()
) with (fillfactor = 80);
create index images_unrecorded on images (created_at) where last_run_id is null and not doomed;
create index images_old on images (team_id, last_run_id) where not doomed;
create index images_doomed on images (id) where doomed;

-- The visual result of a run. It is not a part of `runs`, because only one run of hundreds has pictures. The table is
-- not partitioned: it grows slowly, because each row costs seconds of a browser.
create table run_images (
  monitor_no bigint not null,
  run_id uuid not null,
  team_id uuid not null,
  -- Changed area of all regions together, in percent.
  change_pct float8 not null,
  has_changes boolean not null,
  thumb_id uuid not null,
  -- A list with label, pct, before, after, diff (ids of images, or null).
  regions json not null,
  primary key (monitor_no, run_id)
);
create index run_images_team on run_images (team_id, run_id);

-- The pictures that the next run is compared with. Not valid while the check has no baseline (checks.reading_id).
create table visual_baselines (
  no bigint primary key,
  team_id uuid not null,
  -- Who made them. A layer may show another page: the proxy has another address.
  layer fetch_method not null,
  thumb_id uuid not null,
  -- A list with image, hash, width, height.
  regions json not null,
  -- The last pictures of another layer, as layer, thumb and regions (worker/record/judge.ts). Null: there are none.
  other json,
  -- All images above. They are kept as long as this row refers to them.
  image_ids uuid[] not null
);

-- Answers of the model, kept for 30 days under the hash of the complete question (worker/prompts/question-key.ts).
-- Each team has its own answers: an answer about one team's page is never used for another team.
create table prompt_answers (
  team_id uuid not null,
  key bytea not null check (length(key) = 32),
  answer json not null,
  created_at timestamptz not null default clock(),
  primary key (team_id, key)
);
create index prompt_answers_age on prompt_answers (created_at);
