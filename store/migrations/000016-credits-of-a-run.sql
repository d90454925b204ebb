-- Of the runs that were paid last for a check, those that credits paid. A search that asks nothing in the end gives
-- them back, and the other ones to the pool.
alter table checks add column credits_paid int not null default 0;
