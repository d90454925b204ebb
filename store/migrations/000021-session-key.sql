-- Signs sessions and the marks of known devices. It is of the installation, so that sessions outlive a rotation of the
-- encryption key, with which it is encrypted. Null: no process that needs it was started yet.
alter table installation add session_key bytea;
