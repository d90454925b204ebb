-- Every decision about time uses clock(), never now(). The offset is a setting of the database. clock() reads it from
-- the catalogue, so that a change reaches open sessions at once (ALTER DATABASE … SET tidemark.clock_offset = '3
-- days'). Production sets no offset.
create function clock() returns timestamptz language sql stable as $$
  select now() + coalesce((
    select split_part(entry, '=', 2)::interval
    from pg_db_role_setting s
    join pg_database d on d.oid = s.setdatabase
    cross join unnest(s.setconfig) entry
    where d.datname = current_database() and s.setrole = 0 and entry like 'tidemark.clock\_offset=%'
  ), interval '0')
$$;

-- Ids that sort by time (UUIDv7).
create function uuid_v7(at timestamptz) returns uuid language sql volatile as $$
  select encode(
    int8send(((extract(epoch from at) * 1000)::bigint << 16) | 28672 | (random() * 4095)::int)
    || substring(uuid_send(gen_random_uuid()) from 9), 'hex')::uuid
$$;

-- A run's id is a UUIDv7 whose last 62 bits hold its monitor's number (40 bits) and 22 random bits. A run is therefore
-- found by (monitor_no, id) without an index on id alone. core/run-id.ts implements the same layout.
create function new_run_id(at timestamptz, no bigint) returns uuid language sql volatile as $$
  select encode(
    int8send(((extract(epoch from at) * 1000)::bigint << 16) | 28672 | (random() * 4095)::int)
    || int8send((-9223372036854775808)::bigint | (no << 22) | (random() * 4194303)::int), 'hex')::uuid
$$;

-- Returns the smallest id of an instant: a bound of partitions and of retention.
create function run_id_floor(at timestamptz) returns uuid language sql immutable as $$
  select rpad(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

create function run_id_time(id uuid) returns timestamptz language sql immutable as $$
  select to_timestamp((('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint) / 1000.0)
$$;
