-- The mute of a monitor (schema/monitor/mute.ts), with the check: a reading is judged by it under the same fence.
-- One that has ended may stay. Null: there is none.
alter table checks add column mute json;

-- The monitor whose mute holds a notice: one to the owner has no monitor that signs it. Null: none does.
alter table notices add column muted_no bigint;

-- What a mute holds. It is looked for when the mute ends, and once a minute.
create index deliveries_muted on deliveries (monitor_no) where held = 'muted' and status = 'pending';
create index notices_muted on notices (muted_no) where held = 'muted' and status = 'pending';
