COMMENT ON TABLE schema_migrations IS 'Files of migrations/ applied to this database, oldest first. A file that was applied never changes again.';
COMMENT ON COLUMN schema_migrations.version IS 'Number of the file.';
COMMENT ON COLUMN schema_migrations.name IS 'Name of the file.';
COMMENT ON COLUMN schema_migrations.checksum IS 'SHA-256 of the file, in hexadecimal.';
COMMENT ON COLUMN schema_migrations.applied_at IS 'When it was applied.';

COMMENT ON TABLE schema_objects IS 'Which edition of schema/ (views, functions, comments, rights) this database has, in one row.';
COMMENT ON COLUMN schema_objects.only_row IS 'Always true: keeps the table at one row.';
COMMENT ON COLUMN schema_objects.checksum IS 'SHA-256 over all files of schema/, in hexadecimal.';
COMMENT ON COLUMN schema_objects.applied_at IS 'When they were applied.';

COMMENT ON TABLE daemons IS 'The daemons that share this database. Each renews its row every few seconds; one that was not seen for 10 s counts as gone, and its row is removed after a day.';
COMMENT ON COLUMN daemons.id IS 'Name of the process, as in leases.';
COMMENT ON COLUMN daemons.place IS 'Host and process id.';
COMMENT ON COLUMN daemons.source IS 'Its follow.source.';
COMMENT ON COLUMN daemons.keep_hours IS 'Its retention.keep in hours; NULL: for ever. The longest of all rows holds.';
COMMENT ON COLUMN daemons.accounts IS 'Its follow.accounts, with scope accounts.';
COMMENT ON COLUMN daemons.started_at IS 'When it joined.';
COMMENT ON COLUMN daemons.seen_at IS 'When it renewed its row last.';

COMMENT ON TABLE followed_accounts IS 'With scope accounts: the accounts that are followed.';
COMMENT ON COLUMN followed_accounts.account_id IS 'The account.';
COMMENT ON COLUMN followed_accounts.since_height IS 'What touches it is stored from this height on; below, only where a tree touches another followed account. 0: from the first stored height on.';

COMMENT ON TABLE leader IS 'The daemon that follows the head, drives the tracker of watches and maintains partitions, in one row. Others wait to take over.';
COMMENT ON COLUMN leader.only_row IS 'Always true: keeps the table at one row.';
COMMENT ON COLUMN leader.epoch IS 'Goes up with each change of the leader. What a former leader commits of the head is refused by it.';
COMMENT ON COLUMN leader.holder IS 'The process, as in daemons.id.';
COMMENT ON COLUMN leader.place IS 'Its host and process id.';
COMMENT ON COLUMN leader.process IS 'By which another process of the same machine knows whether it still runs.';
COMMENT ON COLUMN leader.until IS 'If it does not renew its lease by then, another daemon takes over.';

COMMENT ON TABLE pending_seams IS 'Stretches of heights that were stored at one go and at whose ends parents of receipts and trees to be fetched, and so verdicts, may still be to be found.';
COMMENT ON COLUMN pending_seams.from_height IS 'First height of the stretch.';
COMMENT ON COLUMN pending_seams.to_height IS 'Its last height so far.';
COMMENT ON COLUMN pending_seams.history IS 'Whether a backfill ordered it: then nobody is told of its findings.';
COMMENT ON COLUMN pending_seams.touched_at IS 'When heights were added last.';

COMMENT ON TABLE late_trees IS 'Trees that wait to be judged from their rows: nobody who saw the latest of them had all of the tree in memory.';
COMMENT ON COLUMN late_trees.tx_hash IS 'Hash of the transaction.';
COMMENT ON COLUMN late_trees.since IS 'From when on its rows are looked for; -infinity: in all partitions.';
COMMENT ON COLUMN late_trees.history IS 'Whether only backfills brought these rows: then nobody is told of its findings.';
COMMENT ON COLUMN late_trees.due_at IS 'When it is judged.';

COMMENT ON TABLE coverage IS 'Which heights are done. It changes in the same transaction as the rows, so what it says is always true. See gaps for what is missing.';
COMMENT ON COLUMN coverage.scope IS 'What is stored (chain_identity.scope).';
COMMENT ON COLUMN coverage.wanted IS 'Heights that should be there.';
COMMENT ON COLUMN coverage.heights IS 'Heights that are done: stored, or proven to have no block. Retention does not change it.';
COMMENT ON COLUMN coverage.judged_by IS 'Version of the rules by which new rows are judged (transaction_results.judged_by).';
COMMENT ON COLUMN coverage.judged_before IS 'Heights that were done before these rules, and that `receiptd rejudge` has not judged again. Retention does not change it.';
COMMENT ON COLUMN coverage.without_outcomes IS 'Of heights, those whose blocks told no outcomes (source rpc): the trees of their transactions were fetched one by one. Means nothing outside of heights.';
COMMENT ON COLUMN coverage.updated_at IS 'When heights or wanted changed last.';

COMMENT ON TABLE unavailable_heights IS 'Heights that no host could give so far; they are asked for again for ever, ever more rarely.';
COMMENT ON COLUMN unavailable_heights.height IS 'The height.';
COMMENT ON COLUMN unavailable_heights.reason IS 'Why, as the host names it, e.g. UNKNOWN_BLOCK, UNKNOWN_CHUNK.';
COMMENT ON COLUMN unavailable_heights.detail IS 'Why, in words.';
COMMENT ON COLUMN unavailable_heights.attempts IS 'How often it was tried and recorded.';
COMMENT ON COLUMN unavailable_heights.first_seen_at IS 'When it was first recorded.';
COMMENT ON COLUMN unavailable_heights.last_attempt_at IS 'When it was last tried.';
COMMENT ON COLUMN unavailable_heights.next_attempt_at IS 'About when it is tried again; a daemon that starts tries at once.';

COMMENT ON TABLE backfills IS 'Ranges of the past that were ordered by `receiptd backfill`.';
COMMENT ON COLUMN backfills.id IS 'Number of the order.';
COMMENT ON COLUMN backfills.from_height IS 'First height.';
COMMENT ON COLUMN backfills.to_height IS 'Last height, included.';
COMMENT ON COLUMN backfills.state IS 'unfinished, or finished (heights that could not be had are in gaps).';
COMMENT ON COLUMN backfills.created_at IS 'When it was ordered.';
COMMENT ON COLUMN backfills.finished_at IS 'When it was finished.';
COMMENT ON COLUMN backfills.lease_owner IS 'The process that works on it.';
COMMENT ON COLUMN backfills.lease_until IS 'If that process does not renew its lease by then, another may take over.';

COMMENT ON TABLE pending_trees IS 'Transactions whose tree of receipts is not complete yet and is asked for again (source rpc).';
COMMENT ON COLUMN pending_trees.tx_hash IS 'Hash of the transaction.';
COMMENT ON COLUMN pending_trees.sender_id IS 'Its signer, by which hosts find it.';
COMMENT ON COLUMN pending_trees.block_height IS 'Height of the block that includes it.';
COMMENT ON COLUMN pending_trees.block_hash IS 'Hash of that block.';
COMMENT ON COLUMN pending_trees.block_time IS 'Time of that block.';
COMMENT ON COLUMN pending_trees.placed_at IS 'Since when its tree is waited for.';
COMMENT ON COLUMN pending_trees.shard_id IS 'Shard whose chunk includes it; NULL where that is not known.';
COMMENT ON COLUMN pending_trees.timestamp_nanosec IS 'Time of that block, nanoseconds since 1970.';
COMMENT ON COLUMN pending_trees.attempts IS 'How often it was asked for in vain.';
COMMENT ON COLUMN pending_trees.due_at IS 'Asked for again at this time.';
COMMENT ON COLUMN pending_trees.reason IS 'The last fault; NULL: every answer was incomplete.';

COMMENT ON TABLE unplaced_receipts IS 'Receipts that touch a followed account, listed in a block, whose tree is not stored yet (source rpc, scope accounts). They go when it is.';
COMMENT ON COLUMN unplaced_receipts.receipt_id IS 'The receipt.';
COMMENT ON COLUMN unplaced_receipts.receiver_id IS 'Account that executes it.';
COMMENT ON COLUMN unplaced_receipts.signer_id IS 'Signer of its transaction; system for the refund of a deposit.';
COMMENT ON COLUMN unplaced_receipts.block_height IS 'Height of the block that lists it.';
COMMENT ON COLUMN unplaced_receipts.timestamp_nanosec IS 'Time of that block, nanoseconds since 1970.';
COMMENT ON COLUMN unplaced_receipts.tx_hash IS 'Its transaction, once a host told it; that one''s tree is being fetched.';
COMMENT ON COLUMN unplaced_receipts.stage IS 'transaction: whose it is will be asked for if no tree brings it. outcome: no host can tell whose it is, its outcome is asked for.';
COMMENT ON COLUMN unplaced_receipts.attempts IS 'How often it was asked for in vain in this stage.';
COMMENT ON COLUMN unplaced_receipts.due_at IS 'Looked at again at this time.';
COMMENT ON COLUMN unplaced_receipts.reason IS 'Why it waits.';
COMMENT ON COLUMN unplaced_receipts.created_at IS 'When it was stored here.';

COMMENT ON TABLE orphan_receipts IS 'Receipts and data whose parent was not known when they were stored. When both sides are stored, they are adopted: their rows get the parent and move to its tree.';
COMMENT ON COLUMN orphan_receipts.kind IS 'receipt (id is receipts.receipt_id) or data (id is data_receipts.data_id).';
COMMENT ON COLUMN orphan_receipts.id IS 'The receipt or the data.';
COMMENT ON COLUMN orphan_receipts.tree_id IS 'The tree its rows were written under. NULL: the one named after it (id).';
COMMENT ON COLUMN orphan_receipts.block_height IS 'Height of the block it is in.';
COMMENT ON COLUMN orphan_receipts.block_time IS 'Time of that block.';
COMMENT ON COLUMN orphan_receipts.adopted_into IS 'The tree its rows belong to now, if it is another one than at first.';
COMMENT ON COLUMN orphan_receipts.adopted_tx_hash IS 'That tree''s transaction, if it is known.';
COMMENT ON COLUMN orphan_receipts.adopted_at IS 'When its parent was found (NULL: still an orphan). The row stays for a day, because rows under the old tree may still be on their way.';

COMMENT ON TABLE expected_failures IS 'The [[expected]] of all daemons that live; of two with one name that of the daemon that started last. Findings that match all patterns of a row are marked when they are stored, and nobody is told of them.';
COMMENT ON COLUMN expected_failures.name IS 'Its name in the configuration.';
COMMENT ON COLUMN expected_failures.contract_like IS 'Pattern of findings.contract_id, as LIKE has it.';
COMMENT ON COLUMN expected_failures.method_like IS 'Pattern of findings.method_name.';
COMMENT ON COLUMN expected_failures.error_class_like IS 'Pattern of findings.error_class.';
COMMENT ON COLUMN expected_failures.daemon IS 'Whose it is (daemons.id). It goes when the next daemon starts after that one has ended.';
