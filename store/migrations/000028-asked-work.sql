-- Work that somebody asked for, with what paid for it (docs/decisions/0037-asked-work-is-work.md). A row is there from
-- the payment to the end.
create table asked_work (
  -- Of a run of a monitor, the id of the run.
  id uuid primary key default gen_random_uuid(),
  -- Of a run, the number of its check. What is not about a check has a number of its own, from the sequence of the
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
  answer bytea
);
create index asked_work_no on asked_work (no);
create index asked_work_team on asked_work (team_id);
-- What runners claim, beside the runs, which may be many.
create index asked_work_offered on asked_work (asked_at) where request is not null;
