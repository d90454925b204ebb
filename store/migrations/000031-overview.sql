-- What lists show of the difference that a run found (core/overview/run-change.ts). Null: it found none, or an earlier
-- version recorded it.
alter table runs add column change json;
-- The changes of a team, newest first; by the number, those of one monitor.
create index runs_changes on runs (team_id, id, monitor_no) where change is not null or diff is not null;

-- The last run that found a difference. No index has it, so that a check stays one row that is rewritten in place.
alter table checks add column last_change_id uuid;

-- What lists show of the monitor: its value, the last change, the last numbers (core/overview/monitor-summary.ts). It
-- stays when retention deletes the run. Null: an earlier version recorded the last reading.
alter table baselines add column summary json;

-- Up to which run a reader has seen the changes of a monitor.
create table seen_marks (
  team_id uuid not null references teams on delete cascade,
  -- Null: the team's own mark, which its API keys read and set.
  user_id uuid,
  -- Null: the mark of every monitor that has none.
  monitor_no bigint,
  seen_id uuid not null,
  unique nulls not distinct (team_id, user_id, monitor_no),
  foreign key (team_id, user_id) references team_members (team_id, user_id) on delete cascade
);
create index seen_marks_monitor on seen_marks (monitor_no) where monitor_no is not null;

-- Names in the order of people: numbers in them as numbers. A Postgres without ICU orders them by their bytes.
do $$ begin
  create collation natural_names (provider = icu, locale = 'und-u-kn-true');
exception when others then
  create collation natural_names from "C";
end $$;

-- What was recorded before. Monitors are many and their runs more: each monitor takes one look into an index. A value
-- is filled in where it is small. JSON with an escape is left, because Postgres refuses to read some of them.
create function filled_text(value json) returns text language sql immutable as $$
  select case
    when json_typeof(value) = 'null' then 'nothing'
    when json_typeof(value) in ('number', 'boolean') then left(value::text, 80)
    when json_typeof(value) = 'string' and strpos(value::text, '\u') = 0 and octet_length(value::text) < 4096
      then left(btrim(regexp_replace(value #>> '{}', '\s+', ' ', 'g')), 80)
  end
$$;
update checks c set last_change_id = (
  select r.id from runs r where r.monitor_no = c.no and r.diff is not null order by r.id desc limit 1);
update baselines b set summary = json_build_object(
  'value', (
    select json_build_object('field', left(f.key, 100), 'text', filled_text(f.value))
    from json_each(case when octet_length(b.extracted::text) < 65536 and strpos(b.extracted::text, '\u') = 0
      then b.extracted end) f
    where filled_text(f.value) is not null
    limit 1),
  'change', (
    select json_build_object(
      'run_id', r.id,
      'at', to_char((run_id_time(r.id) + make_interval(secs => (r.start_offset_ms + r.duration_ms) / 1000.0))
        at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'field', coalesce(left(f.name, 100), ''),
      'before', filled_text(d.diff -> 'before' -> f.name),
      'after', filled_text(d.diff -> 'after' -> f.name),
      'more', coalesce(json_array_length(d.diff -> 'fields_changed') - 1, 0))
    from runs r
    cross join lateral (select case when strpos(r.diff::text, '\u') = 0 then r.diff end as diff) d
    cross join lateral (select d.diff -> 'fields_changed' ->> 0 as name) f
    where r.monitor_no = c.no and r.id = c.last_change_id),
  'spark', null)
from checks c join monitors m on m.no = c.no and m.kind = 'page'
where c.no = b.no and c.reading_id is not null and m.extract_config ->> 'method' <> 'full_page';
drop function filled_text(json);
