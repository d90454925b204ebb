-- Who may claim rendered checks over HTTP: a Job of a cluster, for as long as its token lives. Of the token only its
-- hash is kept.
create table runner_tokens (
  id int generated always as identity primary key,
  job text not null check (length(job) between 1 and 253),
  hash bytea not null unique,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default clock()
);
create index runner_tokens_job on runner_tokens (job);

-- The token that a check was claimed with over HTTP: beside the fence, which can be guessed, it says who may touch the
-- check. Null, and then no wider than before: a worker claimed it. Whatever raises the fence clears it or sets it anew.
alter table checks add column holder int;
