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
  -- A hash of the destination: which of the monitor's destinations it is.
  target_key text not null default '',
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
  created_at timestamptz not null default clock(),
  -- As of a check.
  level smallint not null default 1,
  -- Why it waits for a later hour, which is its next_attempt_at. It stays when that hour has come. Null: it did not
  -- wait.
  held text,
  -- Deliveries of a team with the same key are sent as one message. digest_of: the delivery whose message it is part
  -- of; null: that is not decided yet. While others wait for the message of one, they have no due_at.
  digest text,
  digest_of uuid
) with (fillfactor = 80);
create index deliveries_due on deliveries (due_at) where due_at is not null;
-- Claims read host by host, so that a claim never steps over thousands of rows of one unreachable host to find rows of
-- another, and level by level, so that they never step over rows above their own.
create index deliveries_due_of_level on deliveries (level, host, due_at) where due_at is not null;
create index deliveries_team on deliveries (team_id, created_at desc, id);
create index deliveries_monitor on deliveries (monitor_no, created_at desc, id);
create index deliveries_run on deliveries (run_id);
-- Each scrape of the metrics counts the deliveries that were given up recently. Few are ever dead, so the index is
-- small.
create index deliveries_dead on deliveries (last_attempt_at) where status = 'dead';
-- The same for those that were given up, also because they were refused.
create index deliveries_given_up on deliveries (last_attempt_at)
  where status in ('failed', 'dead') and next_attempt_at is null;
create index deliveries_open_digest on deliveries (team_id, digest, due_at)
  where digest is not null and digest_of is null;
create index deliveries_of_digest on deliveries (digest_of) where digest_of is not null;
-- Those that mutes hold, by their time: the last of a monitor is looked for when another one is made.
create index deliveries_muted on deliveries (monitor_no, next_attempt_at) where held = 'muted' and status = 'pending';

-- The destinations that do not take a monitor's deliveries: one was given up, or refused for good. A delivery that is
-- taken ends it. A destination is therefore told once, however many of its deliveries fail.
create table dead_destinations (
  monitor_no bigint not null,
  target_key text not null,
  since timestamptz not null default clock(),
  -- What the destination answered when its delivery was given up; null: nothing. The delivery itself is deleted after
  -- the retention window, and the destination may still take nothing then.
  response_status int,
  primary key (monitor_no, target_key)
);

-- What happened that somebody is to be told. The transaction in which it happens writes it. The notice loop makes the
-- messages of it (notices): one for each recipient.
create table notice_events (
  id uuid primary key default uuid_v7(clock()),
  team_id uuid not null,
  -- Null: it concerns the whole team.
  monitor_no bigint,
  run_id uuid,
  kind text not null check (kind in ('failing', 'recovered', 'field_missing', 'delivery_dead', 'quota')),
  -- Facts for the text, by kind. No secrets.
  detail jsonb not null default '{}',
  -- Each event happens once, even when its cause is written more than once.
  key text not null unique,
  -- Null: its messages are made, or were given up.
  due_at timestamptz default clock(),
  -- How often they could not be made.
  tries int not null default 0,
  created_at timestamptz not null default clock()
);
create index notice_events_monitor on notice_events (monitor_no) where monitor_no is not null;
create index notice_events_due on notice_events (due_at) where due_at is not null;
-- The last word about a monitor's health: only trouble that was told has an end to tell.
create index notice_events_health on notice_events (monitor_no, run_id)
  where kind in ('failing', 'recovered') or kind = 'field_missing' and detail->'fields' is null;

-- Messages that are not deliveries: notices to destinations and owners, and mail to accounts. One loop sends both
-- tables, so they have the same columns. A message without a monitor is not signed. The target of a mail to an account
-- holds its link too, because that may open the account.
create table notices (
  id uuid primary key,
  team_id uuid not null,
  monitor_no bigint,
  kind text not null,
  type text not null check (type in ('webhook', 'slack', 'discord', 'email')),
  target bytea not null,
  host text collate "C" not null,
  payload text not null,
  status text not null default 'pending' check (status in ('pending', 'success', 'failed', 'dead')),
  attempts smallint not null default 0,
  fence int not null default 0,
  due_at timestamptz,
  last_attempt_at timestamptz,
  next_attempt_at timestamptz,
  response_status int,
  response_body text,
  created_at timestamptz not null default clock(),
  -- As of a delivery.
  level smallint not null default 1,
  held text,
  -- The monitor whose mute holds a notice: one to the owner has no monitor that signs it. Null: none does.
  muted_no bigint
) with (fillfactor = 80);
create index notices_due on notices (due_at) where due_at is not null;
create index notices_due_of_level on notices (level, host, due_at) where due_at is not null;
create index notices_team on notices (team_id, created_at);
create index notices_monitor on notices (monitor_no) where monitor_no is not null;
create index notices_muted on notices (muted_no, next_attempt_at) where held = 'muted' and status = 'pending';

-- The chats that got messages lately. All processes pace their messages together. The address is that of the key of a
-- destination, without the team: a host and a short hash.
create table chat_paces (
  address text primary key,
  -- The time at which a whole burst is allowed again.
  busy_until timestamptz not null
) with (fillfactor = 50);
