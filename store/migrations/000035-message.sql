-- The message of the destinations that have none (schema/message/message.ts).
alter table monitors add column message json;
