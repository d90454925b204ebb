-- All credits that a team was ever given. It tells one purchase from the next.
alter table team_usage add column credits_given bigint not null default 0;
