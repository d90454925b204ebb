-- What clients know records by. A file of manifests is a manager too (managed_by = 'file', with cluster_id = 'file' in
-- monitor_resources).
alter table monitors
  drop constraint monitors_managed_by_check,
  add constraint monitors_managed_by_check check (managed_by in ('api', 'kubernetes', 'file')),
  -- A name that a client chose for the record, so that it finds it again.
  add column external_key text,
  -- Label to value, to filter lists by. Null: there are none.
  add column labels jsonb;
create unique index monitors_external_key on monitors (team_id, kind, external_key)
  where external_key is not null and deleted_at is null;

-- Answers to requests with an Idempotency-Key, kept for a day. A row is written in the transaction of the request, so
-- that there is one exactly when the request had its effect.
create table idempotent_answers (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null,
  -- The operation's name in OpenAPI.
  operation text not null,
  key text not null,
  -- Encrypted (store/secrets/secret-box.ts): a hash of the request, the status and the body of the answer.
  answer bytea not null,
  created_at timestamptz not null default clock(),
  unique (team_id, operation, key)
);
create index idempotent_answers_age on idempotent_answers (created_at);
