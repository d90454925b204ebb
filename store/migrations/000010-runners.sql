-- Tokens with which the Job of a cluster may claim rendered checks over HTTP, until the token expires. Only the
-- token's hash is stored.
create table runner_tokens (
  id int generated always as identity primary key,
  job text not null check (length(job) between 1 and 253),
  hash bytea not null unique,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- Checks that may still be claimed with it, so that a runner that was taken over gets few. Null: any number.
  claims_left int check (claims_left >= 0),
  created_at timestamptz not null default clock(),
  -- The runner said that its browsers have no sandbox.
  is_unsandboxed boolean not null default false,
  -- The one check that the token may claim. Null: any that is not isolated.
  check_no bigint,
  -- For how long a token is valid that an exchange gives. Null: it is never exchanged. An exchange gives the row
  -- another hash and a later end, so that the checks that are claimed with the token stay its own.
  renew_seconds int check (renew_seconds > 0),
  exchanged_at timestamptz
);
create index runner_tokens_job on runner_tokens (job);

-- The tokens before the one that `runner_tokens` has now.
create table exchanged_runner_tokens (
  hash bytea primary key,
  token_id int not null references runner_tokens on delete cascade,
  expires_at timestamptz not null,
  -- From then on, its use is a theft. Null: it works until the one that took its place is used.
  theft_from timestamptz,
  created_at timestamptz not null default clock()
);
create index exchanged_runner_tokens_token on exchanged_runner_tokens (token_id);
create unique index exchanged_runner_tokens_former on exchanged_runner_tokens (token_id) where theft_from is null;
create index exchanged_runner_tokens_age on exchanged_runner_tokens (created_at);
