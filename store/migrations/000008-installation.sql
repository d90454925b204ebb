-- One row: facts about this installation as a whole.
create table installation (
  only_row boolean primary key default true check (only_row),
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default clock(),
  -- A value that only the encryption key of this installation opens: a process with another key is told so at its
  -- start.
  key_check bytea
);
insert into installation default values;
