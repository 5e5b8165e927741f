-- The shard of the transaction: hosts that do not track it cannot tell its tree.
ALTER TABLE pending_trees ADD COLUMN shard_id bigint;
