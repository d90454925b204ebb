-- Of two sessions that make the same month at once, the one that waited may still remember that the table was not
-- there: names are cached, and an advisory lock does not refresh them. What it then meets is what it wanted.
create or replace function ensure_run_partition(at timestamptz) returns void language plpgsql as $$
declare
  first timestamptz := date_trunc('month', at at time zone 'UTC') at time zone 'UTC';
  after timestamptz := (date_trunc('month', at at time zone 'UTC') + interval '1 month') at time zone 'UTC';
  name text := 'runs_' || to_char(at at time zone 'UTC', 'YYYY_MM');
begin
  if to_regclass(name) is not null then return; end if;
  perform pg_advisory_xact_lock(hashtext('tidemark.run_partitions'));
  execute format('create table %I partition of runs for values from (%L) to (%L)', name, run_id_floor(first), run_id_floor(after));
exception when duplicate_table then null;
end $$;
