-- For the counts of the list: what they read of monitors is in the index, so none of the wide rows is read. Monitors
-- are changed by people, and no check writes to it.
create index monitors_counts on monitors (team_id, no) include (kind, managed_by, paused, suspended, locked)
  where deleted_at is null;
-- For the stream of events: the monitors that rest, of which some stop or begin to with each look.
create index monitors_resting on monitors (team_id, no) include (locked)
  where deleted_at is null and (paused or suspended or locked);
