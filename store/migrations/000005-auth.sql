-- People and how they sign in: the tables of the sign-in library under our names (api/auth/sign-in-options.ts maps
-- them; a test asks the library that nothing is missing). Passwords are scrypt hashes. A session's token opens nothing
-- without its signature, whose key is not in the database.
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

-- Every account has exactly one team of its own.
create unique index teams_owner on teams (owner_user_id);

-- What each subject has used of its requests in the minute that began at window_start. Unlogged: after a crash all
-- start anew.
create unlogged table rate_limits (
  subject text primary key,
  window_start timestamptz not null,
  used int not null
) with (fillfactor = 50);
create index rate_limits_window on rate_limits (window_start);
