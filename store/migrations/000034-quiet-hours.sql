-- The hours in which nothing is sent to destinations that name none (schema/monitor/quiet-hours.ts).
alter table monitors add column quiet_hours json;

-- Why a message waits for a later hour, which is its next_attempt_at. It stays when that hour has come. Null: it did
-- not wait.
alter table deliveries add column held text;
alter table notices add column held text;
-- The same for the deliveries of a run: the strongest reason. `dropped`: somebody decided that nothing is sent.
alter table runs add column held text;
