-- The file, in the folder of `tidemark serve --config`, whose manifest declares the monitor (managed_by = 'file').
alter table monitors add column declared_in text check (length(declared_in) <= 1024);
