-- What the answers take that are kept for requests with an Idempotency-Key. They outlive the monitors that they
-- describe, so that the bytes of configurations do not bound them.
alter table team_storage add column kept_answer_bytes bigint not null default 0 check (kept_answer_bytes >= 0);
update team_storage s set kept_answer_bytes = a.bytes
from (select team_id, sum(octet_length(answer)) as bytes from idempotent_answers group by team_id) a
where a.team_id = s.team_id;

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
