-- The deliveries that were given up lately are counted at each scrape; few are ever dead, so the index is small.
create index deliveries_dead on deliveries (last_attempt_at) where status = 'dead';
