-- What the model said, kept for 30 days under the hash of all that was asked (worker/prompts/question-key.ts). A team's
-- own: what one team's page says is nothing to another's.
create table prompt_answers (
  team_id uuid not null,
  key bytea not null check (length(key) = 32),
  answer json not null,
  created_at timestamptz not null default clock(),
  primary key (team_id, key)
);
create index prompt_answers_age on prompt_answers (created_at);
