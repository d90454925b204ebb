-- The plans by tier. Each migration writes them from schema/account/plan.ts, which is their only definition.
create table plans (
  tier text primary key,
  -- The limits, under the names that plan.ts uses. Null: no limit.
  limits jsonb not null check (
    limits->>'retentionDays' is not null and limits->>'maxDeliveriesPerMonitor' is not null)
);

-- Every account owns exactly one team. A user can also be a member of other teams.
create table teams (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  owner_user_id uuid not null,
  tier text not null references plans,
  serp text not null default 'none' check (serp in ('trial', 'included', 'none')),
  -- Limits of this team that replace those of its plan. Null, as the whole or as one entry: the plan's limit applies.
  limits jsonb,
  trial_ends_at timestamptz,
  -- The trial has ended and no plan was chosen (core/machine/plan.ts). A trigger keeps it up to date; the maintenance
  -- touches a team whose trial ends.
  trial_over boolean not null default false,
  proxy_enabled boolean not null default false,
  error_notifications boolean not null default true,
  -- Set when the account of the owner was deleted. Nothing of the team is left but this row and, until the next daily
  -- clean-up, its history.
  ended_at timestamptz,
  created_at timestamptz not null default clock()
);
create unique index teams_owner on teams (owner_user_id);
create index teams_trial on teams (trial_ends_at) where tier = 'free' and not trial_over;
-- For a metric.
create index teams_trial_over on teams (id) where trial_over;

-- Returns the limits of a team: those of its plan, replaced by its own where it has any. All code that needs a limit
-- reads it here. Null: no limit. It is one plain select, so that the planner can inline it.
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

-- Invitations to a team. Every change of members and invitations locks the team's row first, so that seats are counted
-- exactly (store/accounts/team/team-members.ts).
create table invitations (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams,
  -- In lower case.
  email text not null,
  role text not null check (role in ('viewer', 'member', 'admin')),
  invited_by uuid not null,
  -- The inviter's address when the invitation was sent. It is shown once the account is gone.
  invited_by_email text not null,
  -- Only the hash of the link's token is stored. A new link replaces it, so that the old link is unknown.
  token_hash bytea not null unique,
  expires_at timestamptz not null,
  -- When it was sent again, within the hour before the last time.
  resent_at timestamptz[] not null default '{}',
  -- Null: it is open, or it has expired.
  ended_as text check (ended_as in ('accepted', 'revoked')),
  created_at timestamptz not null default clock()
);
create index invitations_team on invitations (team_id, created_at);
create index invitations_email on invitations (email);

-- Each invitation that was sent, and each time that one was sent again, within the last day. They count for the bounds
-- of the team and of the installation (store/accounts/team/invitation-mails.ts), whatever became of the invitation.
create table invitation_mails (
  team_id uuid not null references teams on delete cascade,
  -- The team was on the plan free at that time.
  is_free boolean not null,
  sent_at timestamptz not null default clock()
);
create index invitation_mails_of_team on invitation_mails (team_id, sent_at);
create index invitation_mails_of_free on invitation_mails (sent_at) where is_free;
create index invitation_mails_of_all on invitation_mails (sent_at);

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
create index audit_events_team on audit_events (team_id, created_at desc, id desc);
create index audit_events_action on audit_events (team_id, action, created_at);

-- Requests that each subject has used in the minute that began at window_start. The table is unlogged: after a crash
-- every count starts at zero.
create unlogged table rate_limits (
  subject text primary key,
  window_start timestamptz not null,
  used int not null
) with (fillfactor = 50);
create index rate_limits_window on rate_limits (window_start);

-- Users and their sign-in data: the tables of the sign-in library under names of this project
-- (api/auth/sign-in-options.ts maps them; a test checks against the library that no column is missing). Passwords are
-- scrypt hashes. A session's token is useless without its signature, and the signing key is not in the database.
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
  -- Sign-in sessions expire by the wall clock.
  expires_at timestamptz not null,
  -- Null, or a team that the user has left: the user's own team is active.
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
