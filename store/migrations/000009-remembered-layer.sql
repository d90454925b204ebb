-- The layer of a monitor whose fetch_mode is auto is remembered as the queue of its check. When the static layer is
-- tried again beside the browser; null: the queue is what the configuration says.
alter table checks add column static_again_at timestamptz;
