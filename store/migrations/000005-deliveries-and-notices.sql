-- The outbox. The statement that records the run writes it, and the delivery loop sends it. due_at is the queue key,
-- as in checks: a claim moves it to the end of the lease. next_attempt_at is the time that the API shows.
create table deliveries (
  id uuid primary key,
  team_id uuid not null,
  monitor_no bigint not null,
  run_id uuid not null,
  type text not null check (type in ('webhook', 'slack', 'discord', 'email')),
  -- Encrypted DeliveryConfig (address and headers), as it was when the run fired.
  target bytea not null,
  -- Host and port of the destination: the key of its concurrency limit.
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
-- Claims read host by host, so that a claim never steps over thousands of rows of one unreachable host to find rows of
-- another.
create index deliveries_due_by_host on deliveries (host, due_at) where due_at is not null;
create index deliveries_team on deliveries (team_id, created_at desc, id);
create index deliveries_run on deliveries (run_id);
-- Each scrape of the metrics counts the deliveries that were given up recently. Few are ever dead, so the index is
-- small.
create index deliveries_dead on deliveries (last_attempt_at) where status = 'dead';

-- Mails about a monitor's health. The transaction of the run that crossed the threshold writes them, and the notice
-- loop sends them. due_at is the queue key, as in deliveries. fence protects what is written after a claim.
create table notices (
  id uuid primary key,
  team_id uuid not null,
  monitor_no bigint not null,
  run_id uuid not null,
  kind text not null check (kind in ('failing', 'recovered', 'field_missing')),
  status text not null default 'pending' check (status in ('pending', 'success', 'failed', 'dead')),
  attempts smallint not null default 0,
  fence int not null default 0,
  due_at timestamptz,
  -- The mail server's response to the last attempt.
  response text,
  created_at timestamptz not null,
  -- Each run causes at most one notice, even when its record is written more than once.
  unique (monitor_no, run_id)
) with (fillfactor = 80);
create index notices_due on notices (due_at) where due_at is not null;
