create table teams (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  owner_user_id uuid not null,
  tier text not null check (tier in ('free', 'lite', 'starter', 'pro', 'scale')),
  serp text not null default 'none' check (serp in ('trial', 'included', 'none')),
  -- Overrides of the plan's limits for this team (keys of schema/account/plan.ts), null: none.
  limits jsonb,
  trial_ends_at timestamptz,
  proxy_enabled boolean not null default false,
  error_notifications boolean not null default true,
  created_at timestamptz not null default clock()
);

create table team_members (
  team_id uuid not null references teams,
  user_id uuid not null,
  role text not null check (role in ('viewer', 'member', 'admin', 'owner')),
  joined_at timestamptz not null default clock(),
  primary key (team_id, user_id)
);
create index team_members_user on team_members (user_id);
create unique index team_members_one_owner on team_members (team_id) where role = 'owner';

-- The quota of each team's period. A claim locks this row (skipping teams that another claim holds), takes what remains
-- and counts it here, all in one statement: so a quota is never overspent. Limits stand here copied from the plan.
-- runs_limit 10^15: none (far from overflow when credits are added); visual_limit, serp_limit null: taken from the pool
-- of runs.
create table team_usage (
  team_id uuid primary key references teams,
  runs_limit bigint not null,
  visual_limit bigint,
  serp_limit bigint,
  runs_used bigint not null default 0 check (runs_used >= 0),
  visual_used bigint not null default 0 check (visual_used >= 0),
  serp_used bigint not null default 0 check (serp_used >= 0),
  credits bigint not null default 0 check (credits >= 0),
  period_start timestamptz not null default clock(),
  -- null: nothing renews this pool (a trial's).
  resets_at timestamptz
) with (fillfactor = 50);

create table api_keys (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams,
  user_id uuid not null,
  name text not null,
  prefix text not null,
  hash bytea not null unique,
  scopes text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default clock()
);
create index api_keys_team on api_keys (team_id, created_at);

create table audit_events (
  id uuid primary key default uuid_v7(clock()),
  team_id uuid not null references teams,
  action text not null,
  target_type text not null,
  target_id text,
  target_label text,
  actor_type text not null check (actor_type in ('user', 'api_key', 'system')),
  actor_id uuid,
  actor_label text not null,
  ip_address text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default clock()
);
create index audit_events_team on audit_events (team_id, id desc);

-- One row: facts about this installation as a whole.
create table installation (
  only_row boolean primary key default true check (only_row),
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default clock()
);
insert into installation default values;
