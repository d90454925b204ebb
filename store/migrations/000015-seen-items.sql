-- What a field of a monitor has shown, for the predicate list_gains_unseen_items (core/seen/seen-items.ts): of each
-- item a keyed hash and the day on which it was last shown. An edit of the predicate deletes the rows of its monitor.
create table seen_items (
  no bigint not null,
  field text not null,
  team_id uuid not null,
  key bytea not null,
  items bytea not null,
  primary key (no, field)
);
-- Hashes cannot be compressed.
alter table seen_items alter column items set storage external;
