-- Cheaper to load, no less to find. orphan_receipts: an id is only ever looked up, so a hash index on it
-- does for the b-tree that made (kind, id) unique; a tree's orphans are the receipt that names the tree
-- and those adopted into it. tree_id is NULL where it would repeat id.
ALTER TABLE orphan_receipts DROP CONSTRAINT orphan_receipts_pkey;
DROP INDEX orphan_receipts_coalesce_idx;
ALTER TABLE orphan_receipts ALTER tree_id DROP NOT NULL;
UPDATE orphan_receipts SET tree_id = NULL WHERE tree_id = id;
CREATE INDEX ON orphan_receipts USING hash (id);
CREATE INDEX ON orphan_receipts USING hash (adopted_into) WHERE adopted_into IS NOT NULL;

-- The events of a receipt are committed with the receipt, which is unique; they are found by their tree.
ALTER TABLE events DROP CONSTRAINT events_tree_id_receipt_id_index_block_time_key;
CREATE INDEX ON events USING hash (tree_id);
