-- What the destination answered when its delivery was given up; null: nothing. The delivery itself is deleted after the
-- retention window, and the destination may still take nothing then.
alter table dead_destinations add column response_status int;
update dead_destinations x set response_status = (
  select d.response_status from deliveries d
  where d.monitor_no = x.monitor_no and d.target_key = x.target_key
    and d.status in ('failed', 'dead') and d.next_attempt_at is null
  order by d.created_at desc, d.id
  limit 1
);
