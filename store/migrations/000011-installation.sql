-- One row with facts about the whole installation.
create table installation (
  only_row boolean primary key default true check (only_row),
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default clock(),
  -- Address of the API that started last, for commands of the administrator.
  base_url text check (length(base_url) <= 2048),
  -- When a process that renders pages last asked for checks, to the minute. Null: none has.
  rendered_at timestamptz,
  -- When the maintenance last saw rendered_at old. One such look is not enough: after an outage of the store,
  -- rendered_at is old until the next claim.
  unrendered_at timestamptz,
  -- Signs sessions and the marks of known devices. It is of the installation, so that sessions outlive a rotation of
  -- the encryption key, with which it is encrypted. Null: no process that needs it was started yet.
  session_key bytea
);
insert into installation default values;

-- The encryption keys that secrets of this database may be encrypted with. A process that lacks one of them detects it
-- at startup. The id is derived from the key, and is stored in each encrypted value too.
create table encryption_keys (
  id text primary key check (id ~ '^[0-9a-f]{8}$'),
  -- A value that only this key opens.
  proof bytea not null,
  since timestamptz not null default clock()
);
