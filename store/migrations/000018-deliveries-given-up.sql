-- Runs outside a transaction.
-- The deliveries of a team that nobody tries again, the newest first: they lead the list of deliveries, and the
-- dashboard counts them on every screen (store/deliveries/given-up.ts).
drop index concurrently if exists deliveries_given_up_of_team;
create index concurrently deliveries_given_up_of_team on deliveries (team_id, created_at desc, id)
  where status in ('failed', 'dead') and next_attempt_at is null;
