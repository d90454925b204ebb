-- Bytes that the proxy has carried for a team in its period.
alter table team_usage add column proxy_bytes_used bigint not null default 0 check (proxy_bytes_used >= 0);

-- What fetches under way may still use: put aside before they begin, given back when they end. One whose process was
-- killed runs out by itself.
create table proxy_holds (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams,
  bytes bigint not null check (bytes > 0),
  until timestamptz not null
);
create index proxy_holds_team on proxy_holds (team_id);
