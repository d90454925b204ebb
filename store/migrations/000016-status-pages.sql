-- Pages that show the states of some monitors to everybody (schema/status/status-page.ts).
create table status_pages (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams on delete cascade,
  slug text not null unique check (length(slug) between 3 and 64),
  title text not null,
  -- The label whose monitors are shown. Null: those of status_page_monitors are.
  label_key text,
  label_value text,
  -- Of the monitors of the label.
  show_values boolean not null default false,
  -- Since when these are shown. Changes from before are shown without their values.
  values_since timestamptz not null default clock(),
  indexed boolean not null default false,
  published boolean not null default false,
  created_at timestamptz not null default clock(),
  updated_at timestamptz not null default clock(),
  check (num_nulls(label_key, label_value) in (0, 2))
);
create index status_pages_team on status_pages (team_id, created_at);

-- The monitors that somebody chose, with the names that everybody sees. Those of deleted monitors are not shown, and go
-- with their monitors.
create table status_page_monitors (
  page_id uuid not null references status_pages on delete cascade,
  monitor_no bigint not null,
  position smallint not null,
  name text not null,
  show_value boolean not null,
  -- As that of the page, of this monitor.
  values_since timestamptz not null default clock(),
  primary key (page_id, monitor_no)
);
create index status_page_monitors_monitor on status_page_monitors (monitor_no);

-- When an edit last changed what a value of the monitor means. A page shows no value of a change from before: it may be
-- one that nobody chose to show. Likewise a page of a label, of a change from before the labels were edited. Null: no
-- edit did.
alter table monitors
  add column values_since timestamptz,
  add column labels_since timestamptz;
