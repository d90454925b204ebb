-- The plans by tier. Each migration writes them from schema/account/plan.ts, which alone defines them.
create table plans (
  tier text primary key,
  -- Limits by their names in that file. Null: no limit.
  limits jsonb not null check (
    limits->>'retentionDays' is not null and limits->>'maxDeliveriesPerMonitor' is not null)
);

-- Every account has exactly one team of its own; a person may be a member of others.
create table teams (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  owner_user_id uuid not null,
  tier text not null references plans,
  serp text not null default 'none' check (serp in ('trial', 'included', 'none')),
  -- Limits of this team in place of its plan's. Null, here or inside: the plan's.
  limits jsonb,
  trial_ends_at timestamptz,
  proxy_enabled boolean not null default false,
  error_notifications boolean not null default true,
  created_at timestamptz not null default clock()
);
create unique index teams_owner on teams (owner_user_id);

-- The limits of a team: its plan's, with its own in their place. Whatever asks for a limit asks here. Null: no limit.
-- One plain select, so that the planner sees through it.
create function team_limits(team uuid)
returns table (tier text, serp text, limits jsonb) language sql stable rows 1 as $$
  select t.tier, t.serp, p.limits || coalesce(jsonb_strip_nulls(t.limits), '{}')
  from teams t join plans p on p.tier = t.tier
  where t.id = team
$$;

create table team_members (
  team_id uuid not null references teams,
  user_id uuid not null,
  role text not null check (role in ('viewer', 'member', 'admin', 'owner')),
  joined_at timestamptz not null default clock(),
  primary key (team_id, user_id)
);
create index team_members_user on team_members (user_id);
create unique index team_members_one_owner on team_members (team_id) where role = 'owner';

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

-- Who may claim rendered checks over HTTP: a Job of a cluster, for as long as its token lives. Only the token's hash
-- is kept.
create table runner_tokens (
  id int generated always as identity primary key,
  job text not null check (length(job) between 1 and 253),
  hash bytea not null unique,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default clock()
);
create index runner_tokens_job on runner_tokens (job);

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

-- What each subject has used of its requests in the minute that began at window_start. Unlogged: after a crash all
-- start anew.
create unlogged table rate_limits (
  subject text primary key,
  window_start timestamptz not null,
  used int not null
) with (fillfactor = 50);
create index rate_limits_window on rate_limits (window_start);

-- People and how they sign in: the tables of the sign-in library under our names (api/auth/sign-in-options.ts maps
-- them; a test asks the library that nothing is missing). Passwords are scrypt hashes. A session's token opens
-- nothing without its signature, whose key is not in the database.
create schema auth;

create table auth.users (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  email text not null unique,
  email_verified boolean not null,
  image text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table auth.sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users on delete cascade,
  token text not null unique,
  -- Sign-in sessions live by the wall clock.
  expires_at timestamptz not null,
  -- Null, or a team that the user has left: the user's own team.
  active_team_id uuid,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sessions_user on auth.sessions (user_id);

create table auth.accounts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users on delete cascade,
  account_id text not null,
  provider_id text not null,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  password text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index accounts_user on auth.accounts (user_id);

create table auth.verifications (
  id uuid primary key default gen_random_uuid(),
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index verifications_identifier on auth.verifications (identifier);
