-- What each team stores. It is another row than that of team_usage, so that neither an edit waits for a claim nor a
-- claim for an edit. Whatever locks it and monitors that exist locks the monitors first.
create table team_storage (
  team_id uuid primary key references teams on delete cascade,
  -- The sum over the rows of its monitors, deleted ones too. The triggers below keep it equal, by whatever statement.
  configuration_bytes bigint not null default 0 check (configuration_bytes >= 0),
  -- What the answers take that are kept for requests with an Idempotency-Key. They outlive the monitors that they
  -- describe, so that the bytes of configurations do not bound them.
  kept_answer_bytes bigint not null default 0 check (kept_answer_bytes >= 0)
);
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

-- Counts a statement once, whatever number of answers it writes. Teams are locked in one order.
create function count_kept_answers() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform from team_storage where team_id in (select team_id from after_rows) order by team_id for update;
    update team_storage s set kept_answer_bytes = s.kept_answer_bytes + d.bytes
    from (select team_id, sum(octet_length(answer)) as bytes from after_rows group by team_id) d
    where s.team_id = d.team_id;
  elsif tg_op = 'DELETE' then
    perform from team_storage where team_id in (select team_id from before_rows) order by team_id for update;
    update team_storage s set kept_answer_bytes = s.kept_answer_bytes - d.bytes
    from (select team_id, sum(octet_length(answer)) as bytes from before_rows group by team_id) d
    where s.team_id = d.team_id;
  else
    perform from team_storage where team_id in (select team_id from after_rows) order by team_id for update;
    update team_storage s set kept_answer_bytes = s.kept_answer_bytes + d.bytes
    from (
      select team_id, sum(bytes) as bytes
      from (
        select team_id, octet_length(answer) as bytes from after_rows
        union all
        select team_id, -octet_length(answer) from before_rows
      ) each_row
      group by team_id
    ) d
    where s.team_id = d.team_id;
  end if;
  return null;
end $$;
create trigger kept_answers_count_inserted after insert on idempotent_answers referencing new table as after_rows
  for each statement execute function count_kept_answers();
create trigger kept_answers_count_updated after update on idempotent_answers
  referencing old table as before_rows new table as after_rows
  for each statement execute function count_kept_answers();
create trigger kept_answers_count_deleted after delete on idempotent_answers referencing old table as before_rows
  for each statement execute function count_kept_answers();
