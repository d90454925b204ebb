-- A search whose engine is left alone asks nothing, so the run that is claimed for it is not paid. Where its process
-- dies before it is recorded, the next claim has to know. It says nothing while run_id is null.
alter table checks add column is_unpaid boolean not null default false;
