-- When destinations that do not say it get all that changed as one message (schema/monitor/digest.ts).
alter table monitors add column digest json;

-- Deliveries of a team with the same key are sent as one message. digest_of: the delivery whose message a delivery is
-- part of; null: that is not decided yet. While others wait for the message of one, they have no due_at.
alter table deliveries add column digest text;
alter table deliveries add column digest_of uuid;
create index deliveries_open_digest on deliveries (team_id, digest, due_at)
  where digest is not null and digest_of is null;
create index deliveries_of_digest on deliveries (digest_of) where digest_of is not null;
