-- The level of work: a process takes what is at its own and below (schema/level.ts,
-- docs/decisions/0038-work-has-a-level.md).
alter table checks add column level smallint not null default 1;
alter table asked_work add column level smallint not null default 1;
alter table deliveries add column level smallint not null default 1;
alter table notices add column level smallint not null default 1;

-- Claims read level by level, so that they never step over rows above their own. The version before finds its rows by
-- the first columns.
create index checks_due_of_level on checks (team_id, queue, level, due_at) where due_at is not null;
drop index checks_due;
create index checks_searches_of_level on checks (level, team_id, due_at) where queue = 'serp' and due_at is not null;
drop index checks_searches;
create index asked_work_of_level on asked_work (level, asked_at) where request is not null;
drop index asked_work_offered;
-- deliveries_due_by_host and notices_due_by_host are used by the version before. They go with the next release.
create index deliveries_due_of_level on deliveries (level, host, due_at) where due_at is not null;
create index notices_due_of_level on notices (level, host, due_at) where due_at is not null;

-- The checks that not every process takes. There are none until a version has a key of level 2.
create index checks_above on checks (queue, level, due_at) where level > 1 and due_at is not null;

-- The levels of the processes that took checks of a queue lately.
create table queue_levels (
  queue check_queue not null,
  level smallint not null,
  seen_at timestamptz not null,
  primary key (queue, level)
);

-- Keys of a configuration that have no column of their own. A version shows and keeps those that it does not know.
alter table monitors add column more json;
