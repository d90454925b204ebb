-- A rule had no match in a direct answer whose scripts may write what it selects.
alter type fetch_reason add value 'no_match';
-- When a check was last rendered because of that. Null: never with this configuration.
alter table checks add column missing_rendered_at timestamptz;
