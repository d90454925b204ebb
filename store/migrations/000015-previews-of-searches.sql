-- The engine of a preview of a search, whose runner needs a free exit. Null: it is one of a page.
alter table previews add column engine text;
