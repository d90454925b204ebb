-- Whether the predicate or the pictures of a run fired, also where no destination was there to be told. Null: an
-- earlier version recorded the run.
alter table runs add column fired boolean;
