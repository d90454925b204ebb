-- Runner tokens that their runner renews. An exchange gives the row another hash and a later end, so that the checks
-- that are claimed with the token stay its own.
alter table runner_tokens
  -- For how long a token is valid that an exchange gives. Null: it is never exchanged.
  add column renew_seconds int check (renew_seconds > 0),
  add column exchanged_at timestamptz;

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
