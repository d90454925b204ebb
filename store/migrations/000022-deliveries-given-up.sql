-- Each scrape of the metrics counts the deliveries that were given up recently. Few are, so the index is small.
create index deliveries_given_up on deliveries (last_attempt_at)
  where status in ('failed', 'dead') and next_attempt_at is null;
