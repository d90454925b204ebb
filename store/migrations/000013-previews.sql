-- Previews that wait for a runner, because the process that was asked has no browser. A row goes with its answer.
create table previews (
  -- How a runner names it. Numbers of checks are far below.
  no bigint generated always as identity (start with 549755813888) primary key,
  id uuid not null unique,
  team_id uuid not null,
  -- Encrypted (store/secrets/secret-box.ts): what is fetched and extracted.
  request bytea not null,
  -- Only a token of this preview claims it.
  is_isolated boolean not null,
  created_at timestamptz not null default clock(),
  -- Nobody waits for the answer after this time.
  deadline_at timestamptz not null,
  -- As of a check. A runner whose fence is out of date changes nothing.
  fence int not null default 0,
  holder int,
  leased_until timestamptz,
  -- How many runners have begun it.
  tries int not null default 0,
  -- Encrypted: what a runner answered.
  answer bytea
);
create index previews_team on previews (team_id);
