-- Outcomes of whole blocks are compared with the root that the shard's next new chunk has of them. Nobody knows it of
-- blocks that are stored already: they count as compared, and as not confirmed.
ALTER TABLE chunks ADD COLUMN executed_root text COLLATE "C", ADD COLUMN covered boolean;
ALTER TABLE coverage
    ADD COLUMN compared int8multirange NOT NULL DEFAULT '{}',
    ADD COLUMN unconfirmed int8multirange NOT NULL DEFAULT '{}';
ALTER TABLE transactions ADD COLUMN confirmed boolean;
-- Alerts about outcomes wait until these are confirmed, for some time.
ALTER TABLE coverage ADD COLUMN confirm_within interval;
ALTER TABLE alerts ADD COLUMN confirmed boolean, ADD COLUMN waits_for bigint;
CREATE INDEX ON alerts (waits_for) WHERE confirmed IS NULL AND waits_for IS NOT NULL;
CREATE INDEX ON watches (stage_since) WHERE stage = 'final' AND NOT conclusive;
UPDATE coverage SET compared = heights, unconfirmed = heights;
