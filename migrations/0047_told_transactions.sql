-- The transaction that a host names beside a receipt: the chain does not commit to it.
ALTER TABLE orphan_receipts ADD COLUMN told_tx_hash text COLLATE "C";
CREATE INDEX ON orphan_receipts USING hash (told_tx_hash) WHERE told_tx_hash IS NOT NULL AND adopted_at IS NULL;
