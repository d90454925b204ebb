-- Returns the bytes of a configuration as it is stored: texts, and values that are encrypted. It is the only measure:
-- the column below and the statements that ask for room (store/quota/team-storage.ts) call it.
create function configuration_bytes(texts text[], sealed bytea[]) returns int language sql immutable as $$
  select (coalesce((select sum(octet_length(part)) from unnest(texts) part), 0)
    + coalesce((select sum(octet_length(part)) from unnest(sealed) part), 0))::int
$$;

alter table monitors add column configuration_bytes int not null generated always as (configuration_bytes(
  array[name, url, extract_config::text, diff_predicate::text, request_config::text, visual_config::text,
    keyword, target_domain, external_key, labels::text],
  array[request_headers, deliveries])) stored;

-- What each team stores. It is a row of its own beside team_usage, so that neither an edit waits for a claim nor a
-- claim for an edit. Whatever locks it and monitors that exist locks the monitors first.
create table team_storage (
  team_id uuid primary key references teams on delete cascade,
  -- The sum over the rows of its monitors, deleted ones too. The triggers below keep it equal, whoever writes.
  configuration_bytes bigint not null default 0 check (configuration_bytes >= 0)
);
insert into team_storage (team_id, configuration_bytes)
select t.id, coalesce((select sum(m.configuration_bytes) from monitors m where m.team_id = t.id), 0) from teams t;

create function open_storage() returns trigger language plpgsql as $$
begin
  insert into team_storage (team_id) values (new.id);
  return null;
end $$;
create trigger teams_open_storage after insert on teams for each row execute function open_storage();

-- Counts a statement once, whatever number of monitors it writes. Teams are locked in one order.
create function count_configurations() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform from team_storage where team_id in (select team_id from after_rows) order by team_id for update;
    update team_storage s set configuration_bytes = s.configuration_bytes + d.bytes
    from (select team_id, sum(configuration_bytes) as bytes from after_rows group by team_id) d
    where s.team_id = d.team_id;
  elsif tg_op = 'DELETE' then
    perform from team_storage where team_id in (select team_id from before_rows) order by team_id for update;
    update team_storage s set configuration_bytes = s.configuration_bytes - d.bytes
    from (select team_id, sum(configuration_bytes) as bytes from before_rows group by team_id) d
    where s.team_id = d.team_id;
  elsif exists (select from after_rows) then
    -- A pause or a lock changes no size, and takes no lock here.
    perform from team_storage
    where team_id in (
      select b.team_id from before_rows b join after_rows a using (no)
      where a.configuration_bytes <> b.configuration_bytes)
    order by team_id for update;
    update team_storage s set configuration_bytes = s.configuration_bytes + d.bytes
    from (
      select b.team_id, sum(a.configuration_bytes - b.configuration_bytes) as bytes
      from before_rows b join after_rows a using (no)
      where a.configuration_bytes <> b.configuration_bytes
      group by b.team_id
    ) d
    where s.team_id = d.team_id;
  end if;
  return null;
end $$;
create trigger monitors_count_inserted after insert on monitors referencing new table as after_rows
  for each statement execute function count_configurations();
create trigger monitors_count_updated after update on monitors
  referencing old table as before_rows new table as after_rows
  for each statement execute function count_configurations();
create trigger monitors_count_deleted after delete on monitors referencing old table as before_rows
  for each statement execute function count_configurations();

-- Deleted monitors whose configurations are not dropped yet.
create index monitors_to_drop on monitors (no) where deleted_at is not null and coalesce(url, keyword) <> '';
