-- The mute of a monitor (schema/monitor/mute.ts), with the check: a reading is judged by it under the same fence.
-- One that has ended may stay. Null: there is none.
alter table checks add column mute json;

-- The monitor whose mute holds a notice: one to the owner has no monitor that signs it. Null: none does.
alter table notices add column muted_no bigint;

-- Messages that mutes hold, by their time: the last of a monitor is looked for when another one is made.
create index deliveries_muted on deliveries (monitor_no, next_attempt_at) where held = 'muted' and status = 'pending';
create index notices_muted on notices (muted_no, next_attempt_at) where held = 'muted' and status = 'pending';
