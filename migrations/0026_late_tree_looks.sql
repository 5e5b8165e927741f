-- A late tree whose resume is still on its way is looked at again within seconds, not after an hour.
ALTER TABLE late_trees ADD COLUMN looks smallint NOT NULL DEFAULT 0;
