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
