-- Runs outside a transaction.
-- The list of all monitors of a team by their names (store/overview/overview.ts).
drop index concurrently if exists monitors_names;
create index concurrently monitors_names on monitors (team_id, name collate natural_names, no)
  where deleted_at is null;
