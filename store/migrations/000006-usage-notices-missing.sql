-- Calls of the model in the period: beside the runs, in a quota of their own.
alter table team_usage add column llm_calls_used bigint not null default 0 check (llm_calls_used >= 0);

-- Fields that had a value and have none now, with the number of readings in a row that lacked them. Null: there are
-- none.
alter table baselines add column missing json;

-- What a backtest walks: the runs that found a difference, few among many that found none.
create index runs_differences on runs (monitor_no, id) where diff is not null;

-- Mails about a monitor's health: written in the transaction of the run that crossed the line, sent by the notice loop.
-- due_at is the queue key, as in deliveries; fence guards what is written after a claim.
create table notices (
  id uuid primary key,
  team_id uuid not null,
  monitor_no bigint not null,
  run_id uuid not null,
  kind text not null check (kind in ('failing', 'recovered')),
  status text not null default 'pending' check (status in ('pending', 'success', 'failed', 'dead')),
  attempts smallint not null default 0,
  fence int not null default 0,
  due_at timestamptz,
  -- What the mail server said to the last attempt.
  response text,
  created_at timestamptz not null,
  -- A run is told once, however often its record is written.
  unique (monitor_no, run_id)
) with (fillfactor = 80);
create index notices_due on notices (due_at) where due_at is not null;
