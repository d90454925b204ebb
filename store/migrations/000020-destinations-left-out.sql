-- The destinations of a monitor (`target_key`), as its last edit left them: a delivery that was given up is counted and
-- leads the list for as long as somebody wants it there (store/deliveries/given-up.ts). Null: it was never edited, so
-- that none was left out.
alter table monitors add column destination_keys text[];
