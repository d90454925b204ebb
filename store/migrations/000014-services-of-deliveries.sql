-- Lists of deliveries are filtered by it. Null: it has none, or an earlier version made the delivery.
alter table deliveries add column service text;
