-- One row with facts about the whole installation.
create table installation (
  only_row boolean primary key default true check (only_row),
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default clock(),
  -- A value that only the encryption key of this installation opens. A process with a different key detects it at
  -- startup.
  key_check bytea
);
insert into installation default values;
