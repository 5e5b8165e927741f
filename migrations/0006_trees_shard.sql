-- The shard of the transaction: hosts that do not track it cannot tell its tree. And since when its tree is waited for.
ALTER TABLE pending_trees ADD COLUMN shard_id bigint;
ALTER TABLE pending_trees ADD COLUMN placed_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX ON pending_trees (placed_at);
