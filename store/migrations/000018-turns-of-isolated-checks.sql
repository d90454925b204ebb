-- Teams take turns with their isolated checks (store/queue/isolated-checks.ts): each team is found by one step, and so
-- is the most overdue check of a team.
create index checks_isolated_of_team on checks (team_id, due_at) where is_isolated and due_at is not null;
