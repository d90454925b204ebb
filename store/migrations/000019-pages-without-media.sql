-- A page that was read otherwise without its media is rendered with them until then. Null: it is read without them.
alter table checks add column media_again_at timestamptz;

-- The page of the run was rendered without its images, fonts, video and sound. Null: with all of them, or not at all.
alter table runs add column without_media boolean;
