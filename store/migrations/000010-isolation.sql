-- pod: each check of the monitor is done by a runner pod of its own.
alter table monitors add column isolation text not null default 'shared' check (isolation in ('shared', 'pod'));
-- The same, where claims look. Only a token of this check claims it.
alter table checks add column is_isolated boolean not null default false;
create index checks_isolated on checks (due_at) where is_isolated;
-- The one check that the token may claim. Null: any that is not isolated.
alter table runner_tokens add column check_no bigint;
-- When the leader that starts runner pods was last at work. Null: it starts none.
alter table operator_epochs add column runners_seen_at timestamptz;
