-- The outbox: written in the statement that records the run, sent by the delivery loop. due_at is the queue key, as in
-- checks: a claim moves it behind the lease. next_attempt_at is what the API shows.
create table deliveries (
  id uuid primary key,
  team_id uuid not null,
  monitor_no bigint not null,
  run_id uuid not null,
  type text not null check (type in ('webhook', 'slack', 'discord', 'email')),
  -- Encrypted DeliveryConfig as it was when the run fired: address and headers.
  target bytea not null,
  -- Host and port of the destination: the key of its concurrency cap.
  host text collate "C" not null,
  -- The exact text that is signed and sent; the same on every attempt.
  payload text not null,
  status text not null default 'pending' check (status in ('pending', 'success', 'failed', 'dead')),
  attempts smallint not null default 0,
  fence int not null default 0,
  due_at timestamptz,
  last_attempt_at timestamptz,
  next_attempt_at timestamptz,
  response_status int,
  response_body text,
  created_at timestamptz not null default clock()
) with (fillfactor = 80);
create index deliveries_due on deliveries (due_at) where due_at is not null;
-- Claims go host by host, so that thousands of rows of one dead host are never stepped over to find another's.
create index deliveries_due_by_host on deliveries (host, due_at) where due_at is not null;
create index deliveries_team on deliveries (team_id, created_at desc, id);
create index deliveries_run on deliveries (run_id);
