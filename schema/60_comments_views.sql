COMMENT ON VIEW gaps IS 'Heights that should be there and are not, as ranges, with the reason. Empty when the history is complete.';
COMMENT ON COLUMN gaps.from_height IS 'First missing height.';
COMMENT ON COLUMN gaps.to_height IS 'Last missing height, included.';
COMMENT ON COLUMN gaps.heights IS 'How many heights.';
COMMENT ON COLUMN gaps.reason IS 'Why, as the host names it; "not fetched yet" when nothing stands in the way.';
COMMENT ON COLUMN gaps.detail IS 'Why, in words, from the latest attempt.';
COMMENT ON COLUMN gaps.attempts IS 'How often it was tried (the most of these heights).';
COMMENT ON COLUMN gaps.since IS 'When the first of these heights was given up for the first time.';
COMMENT ON COLUMN gaps.last_attempt_at IS 'Latest attempt.';
COMMENT ON COLUMN gaps.next_attempt_at IS 'Next attempt.';

COMMENT ON VIEW skipped_heights IS 'Heights that have no block, ever: the next block names an older one as its parent.';
COMMENT ON COLUMN skipped_heights.height IS 'The height without a block.';
COMMENT ON COLUMN skipped_heights.next_block_height IS 'The block that proves it.';
COMMENT ON COLUMN skipped_heights.next_block_time IS 'Time of that block; put a condition on it to touch few partitions.';

COMMENT ON VIEW failed_receipts IS 'Receipts that failed, wherever they stand in their tree (a transaction reported as successful can have some). Always with a time: WHERE block_time > now() - interval ''1 day''. receipt_tree(tx_hash) shows the whole story of one.';
COMMENT ON COLUMN failed_receipts.receipt_id IS 'The receipt that failed.';
COMMENT ON COLUMN failed_receipts.tx_hash IS 'Hash of the transaction. NULL while unknown.';
COMMENT ON COLUMN failed_receipts.tree_id IS 'Its tree (see receipts.tree_id).';
COMMENT ON COLUMN failed_receipts.block_height IS 'Height at which it failed.';
COMMENT ON COLUMN failed_receipts.block_time IS 'Time at which it failed; put a condition on it.';
COMMENT ON COLUMN failed_receipts.shard_id IS 'Shard on which it failed.';
COMMENT ON COLUMN failed_receipts.role IS 'Role of the receipt (see receipts.role): a failed callback may leave a contract half-way, a failed refund burns tokens.';
COMMENT ON COLUMN failed_receipts.predecessor_id IS 'Who called.';
COMMENT ON COLUMN failed_receipts.receiver_id IS 'Who failed.';
COMMENT ON COLUMN failed_receipts.method_name IS 'Method of the first function call.';
COMMENT ON COLUMN failed_receipts.error_class IS 'Kind of error.';
COMMENT ON COLUMN failed_receipts.error_text IS 'The error in words.';
COMMENT ON COLUMN failed_receipts.parent_receipt_id IS 'The receipt that made it.';
COMMENT ON COLUMN failed_receipts.signer_id IS 'Who signed the transaction.';
COMMENT ON COLUMN failed_receipts.deposit IS 'Tokens attached (given back by a refund), yoctoNEAR.';
COMMENT ON COLUMN failed_receipts.gas_burnt IS 'Gas burnt until it failed.';
COMMENT ON COLUMN failed_receipts.logs IS 'What it logged until it failed.';

COMMENT ON VIEW chain_throughput IS 'The chain per minute. Always with a time: WHERE minute > now() - interval ''1 hour''.';
COMMENT ON COLUMN chain_throughput.minute IS 'Start of the minute (block time).';
COMMENT ON COLUMN chain_throughput.from_height IS 'First stored block of the minute.';
COMMENT ON COLUMN chain_throughput.to_height IS 'Last stored block of the minute.';
COMMENT ON COLUMN chain_throughput.blocks IS 'Blocks stored.';
COMMENT ON COLUMN chain_throughput.transactions IS 'Transactions included.';
COMMENT ON COLUMN chain_throughput.receipts IS 'Receipts executed.';
COMMENT ON COLUMN chain_throughput.failed_receipts IS 'Of these, failed.';
COMMENT ON COLUMN chain_throughput.gas_burnt IS 'Gas burnt by these transactions and receipts.';

COMMENT ON VIEW partitions IS 'Partitions of the history tables with their times and sizes.';
COMMENT ON COLUMN partitions.table_name IS 'The history table.';
COMMENT ON COLUMN partitions.partition_name IS 'Its part.';
COMMENT ON COLUMN partitions.from_time IS 'First time it can hold.';
COMMENT ON COLUMN partitions.until_time IS 'First time it can no longer hold.';
COMMENT ON COLUMN partitions.rows_estimated IS 'Rows, as of the latest ANALYZE.';
COMMENT ON COLUMN partitions.table_bytes IS 'Bytes on disk without indexes.';
COMMENT ON COLUMN partitions.index_bytes IS 'Bytes on disk of its indexes.';

COMMENT ON FUNCTION receipt_tree(text) IS 'The whole tree of a transaction, depth first: row 0 is the transaction, then every executed receipt under the one that made it. failed marks failures; leads_to_failure marks the way down to them. Also takes the id of any receipt of the tree. SELECT tree, status, error_text FROM receipt_tree(''…'');';
COMMENT ON FUNCTION tree_of(text) IS 'The tree that a transaction hash or receipt id belongs to, and the time of its first row: SELECT r.* FROM tree_of(''…'') t JOIN receipts r ON r.tree_id = t.tree_id AND r.block_time BETWEEN t.since AND t.since + interval ''7 days''.';
COMMENT ON FUNCTION history_tables() IS 'Names of the history tables: those partitioned by block_time.';
COMMENT ON FUNCTION make_partitions(timestamptz, timestamptz) IS 'Makes the partitions of all history tables for the times between the two arguments and returns how many were new. The daemon calls it.';
COMMENT ON FUNCTION retire_partitions(timestamptz) IS 'Drops the oldest partition of every history table if all its times are before the argument, and returns the dropped names. The daemon calls it, for retention.keep. THE ROWS ARE GONE.';
