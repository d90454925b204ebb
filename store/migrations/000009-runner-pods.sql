-- The runner said that its browsers have no sandbox of their own.
alter table runner_tokens add column is_unsandboxed boolean not null default false;
