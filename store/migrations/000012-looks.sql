-- What somebody saw of a page, for a quarter of an hour (schema/monitor/look.ts): what the answer said, and the
-- documents, which rules are tried on. The sweep deletes it and its picture.
create table looks (
  id uuid primary key,
  team_id uuid not null,
  -- Null: there is no picture.
  image_id uuid,
  created_at timestamptz not null default clock(),
  expires_at timestamptz not null,
  -- All three are encrypted (store/secrets/secret-box.ts).
  answer bytea not null,
  -- Null: it is not there.
  fetched bytea,
  rendered bytea
);
create index looks_expires_at on looks (expires_at);
create index looks_team on looks (team_id);
