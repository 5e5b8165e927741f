-- An id of this database, and names of groups that are good outside of it.
CREATE TABLE database_identity (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    database_id uuid NOT NULL,
    system_identifier text COLLATE "C",
    database_oid oid NOT NULL,
    since timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE alert_groups
    ADD COLUMN name text COLLATE "C",
    ADD COLUMN began_with text COLLATE "C";
ALTER TABLE deliveries DROP CONSTRAINT deliveries_state_check;
ALTER TABLE deliveries
    ADD CONSTRAINT deliveries_state_check
        CHECK (state IN ('pending', 'delivered', 'dead', 'grouped', 'silenced', 'withheld', 'late', 'overtaken')) NOT VALID;
-- The messages of a group, without the alerts that they count.
CREATE INDEX deliveries_of_groups ON deliveries (group_id) WHERE group_id IS NOT NULL AND state <> 'grouped';
