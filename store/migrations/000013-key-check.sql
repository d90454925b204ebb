-- A value that only the encryption key of this installation opens: a process with another key is told so at its start.
alter table installation add column key_check bytea;
