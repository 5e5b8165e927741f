COMMENT ON TABLE schema_migrations IS 'Files of migrations/ that were applied to this database, oldest first. An applied file must never change.';
COMMENT ON COLUMN schema_migrations.version IS 'Number of the file.';
COMMENT ON COLUMN schema_migrations.name IS 'Name of the file.';
COMMENT ON COLUMN schema_migrations.checksum IS 'SHA-256 of the file, in hexadecimal.';
COMMENT ON COLUMN schema_migrations.applied_at IS 'When it was applied.';

COMMENT ON TABLE schema_objects IS 'Checksum of the applied files of schema/ (views, functions, comments, rights), in one row.';
COMMENT ON COLUMN schema_objects.only_row IS 'Always true: keeps the table at one row.';
COMMENT ON COLUMN schema_objects.checksum IS 'SHA-256 over all files of schema/, in hexadecimal.';
COMMENT ON COLUMN schema_objects.applied_at IS 'When they were applied.';
COMMENT ON COLUMN schema_objects.applied_by IS 'The program that applied them.';
COMMENT ON COLUMN schema_objects.readonly_role IS 'The readers'' role that was given its rights.';

COMMENT ON TABLE daemons IS 'The daemons that share this database. Each renews its row every few seconds. After 10 s without renewal it counts as gone; its row is deleted after a day.';
COMMENT ON COLUMN daemons.id IS 'Name of the process, as in leases.';
COMMENT ON COLUMN daemons.place IS 'Host and process id.';
COMMENT ON COLUMN daemons.source IS 'Its follow.source.';
COMMENT ON COLUMN daemons.keep_receipts_hours IS 'Its retention.receipts in hours; NULL: for ever. The longest of all rows is used.';
COMMENT ON COLUMN daemons.keep_results_hours IS 'Its retention.results in hours; NULL: for ever. The longest of all rows is used.';
COMMENT ON COLUMN daemons.accounts IS 'Its follow.accounts, with scope accounts.';
COMMENT ON COLUMN daemons.tells_delegate_duplicates IS 'Its alerts.delegate_duplicates. If one running daemon sets it, alerts are sent about relayers'' repetitions, too.';
COMMENT ON COLUMN daemons.started_at IS 'When it started.';
COMMENT ON COLUMN daemons.seen_at IS 'When it last renewed its row.';

COMMENT ON TABLE locks IS 'Rows that sessions of the daemon lock (FOR UPDATE), so that one does something at a time: adoption of orphans, joining of daemons, closing of days, partitions.';
COMMENT ON COLUMN locks.name IS 'What is done.';

COMMENT ON TABLE followed_accounts IS 'The accounts that the database follows, with scope accounts: those that any daemon was configured with. See account_coverage.';
COMMENT ON COLUMN followed_accounts.account_id IS 'The account. *: everything, after the scope was changed to or from all.';
COMMENT ON COLUMN followed_accounts.since_height IS 'Heights from this one on are stored with the account; those below that were stored before, only as far as it was filled. 0: from the first stored height on.';
COMMENT ON COLUMN followed_accounts.added IS 'coverage.scope_serial when the account came. Commits of daemons that knew of an earlier one lack it.';
COMMENT ON COLUMN followed_accounts.not_whole IS 'Heights at which what belongs to the account may be missing: those that were stored without it, and 1,200 heights above each, in which trees that it touched there may go on. Changes in the transaction of coverage.';
COMMENT ON COLUMN followed_accounts.was_whole IS 'Only for *: the heights at which everything was stored when the scope was all. NULL: the scope is all.';

COMMENT ON TABLE leader IS 'The daemon that follows the head, checks watches and maintains partitions, in one row. The others wait to take over.';
COMMENT ON COLUMN leader.only_row IS 'Always true: keeps the table at one row.';
COMMENT ON COLUMN leader.epoch IS 'Increases with each change of the leader. Commits of a former leader at the head are refused by it.';
COMMENT ON COLUMN leader.holder IS 'The process, as in daemons.id.';
COMMENT ON COLUMN leader.place IS 'Its host and process id.';
COMMENT ON COLUMN leader.process IS 'Shows another process on the same machine whether this one still runs.';
COMMENT ON COLUMN leader.until IS 'If it does not renew its lease before this time, another daemon takes over.';

COMMENT ON TABLE pending_seams IS 'Ranges of heights that were stored in one go. At their ends, parents of receipts and so verdicts may still be missing.';
COMMENT ON COLUMN pending_seams.from_height IS 'First height of the range.';
COMMENT ON COLUMN pending_seams.to_height IS 'Last height so far.';
COMMENT ON COLUMN pending_seams.history IS 'True: a backfill stored it, so its findings cause no alerts.';
COMMENT ON COLUMN pending_seams.touched_at IS 'When heights were last added.';

COMMENT ON TABLE late_trees IS 'Trees that will be judged from their rows, because no daemon had the whole tree in memory.';
COMMENT ON COLUMN late_trees.tx_hash IS 'Hash of the transaction.';
COMMENT ON COLUMN late_trees.since IS 'Start of the time range in which its rows are searched; -infinity: all partitions.';
COMMENT ON COLUMN late_trees.history IS 'True: only backfills stored these rows, so its findings cause no alerts.';
COMMENT ON COLUMN late_trees.due_at IS 'When it will be judged.';
COMMENT ON COLUMN late_trees.looks IS 'How often it was judged without its transaction, or without the resume of one of its yields.';

COMMENT ON TABLE executions IS 'Transactions that the chain executed in several blocks under one hash: one row per execution that is stored. Each is a tree of its own.';
COMMENT ON COLUMN executions.tx_hash IS 'Hash of the transaction.';
COMMENT ON COLUMN executions.block_height IS 'Height of the block that includes it.';
COMMENT ON COLUMN executions.block_time IS 'Time of that block.';
COMMENT ON COLUMN executions.tree_id IS 'tree_id of its rows: the hash for the lowest height, HASH@HEIGHT for each other one.';

COMMENT ON TABLE coverage IS 'Which heights are done. It changes in the same transaction as the rows, so it always agrees with them. See gaps for missing heights.';
COMMENT ON COLUMN coverage.scope IS 'What is stored (chain_identity.scope).';
COMMENT ON COLUMN coverage.wanted IS 'Heights that should be stored.';
COMMENT ON COLUMN coverage.heights IS 'Heights that are done: stored, or proven to have no block. Retention does not change it.';
COMMENT ON COLUMN coverage.followed_since IS 'Height on which the head was followed first. From here on every height is wanted, unless an operator has skipped it. NULL: the head was not followed yet.';
COMMENT ON COLUMN coverage.one_host_since IS 'Height from which on only one host tells the blocks, as no other one answered at the first start. NULL: a second one has told them, too.';
COMMENT ON COLUMN coverage.scope_serial IS 'Grows with each change of followed_accounts.';
COMMENT ON COLUMN coverage.judged_by IS 'Version of the rules for new rows (transaction_results.judged_by).';
COMMENT ON COLUMN coverage.judged_before IS 'Heights that were done with older rules, and that `receiptd rejudge` has not judged again. Retention does not change it.';
COMMENT ON COLUMN coverage.without_outcomes IS 'The part of heights whose blocks had no outcomes (source rpc): the trees of their transactions were fetched one by one. Meaningless outside of heights.';
COMMENT ON COLUMN coverage.compared IS 'The part of heights whose outcomes were compared with the roots that later blocks have of them (docs/decisions/0043). Means nothing outside of heights.';
COMMENT ON COLUMN coverage.unconfirmed IS 'The part of compared whose outcomes are not known to be those of the chain.';
COMMENT ON COLUMN coverage.confirm_within IS 'How long an alert about outcomes of whole blocks waits until they are confirmed. NULL: it does not wait, as the leading daemon has one host, or source rpc.';
COMMENT ON COLUMN coverage.updated_at IS 'When heights or wanted last changed.';

COMMENT ON TABLE pruned IS 'What retention has dropped: rows of a history table are missing whose block_time is before a time.';
COMMENT ON COLUMN pruned.table_name IS 'Name of the history table.';
COMMENT ON COLUMN pruned.before_time IS 'All of its rows from before that time are deleted, unless a backfill stored some again.';

COMMENT ON TABLE unavailable_heights IS 'Heights that no host has returned so far. They are retried without end, at growing intervals.';
COMMENT ON COLUMN unavailable_heights.height IS 'The height.';
COMMENT ON COLUMN unavailable_heights.reason IS 'The reason as named by the host, e.g. UNKNOWN_BLOCK, UNKNOWN_CHUNK.';
COMMENT ON COLUMN unavailable_heights.detail IS 'The reason in words.';
COMMENT ON COLUMN unavailable_heights.attempts IS 'Number of recorded attempts.';
COMMENT ON COLUMN unavailable_heights.first_seen_at IS 'When it was first recorded.';
COMMENT ON COLUMN unavailable_heights.last_attempt_at IS 'Time of the last attempt.';
COMMENT ON COLUMN unavailable_heights.next_attempt_at IS 'Approximate time of the next attempt; a daemon that starts tries at once.';

COMMENT ON TABLE operator_skips IS 'Heights that were given up with `receiptd skip`. They are wanted again when a backfill names them.';
COMMENT ON COLUMN operator_skips.id IS 'Number of the skip.';
COMMENT ON COLUMN operator_skips.heights IS 'The heights that were not stored at that time.';
COMMENT ON COLUMN operator_skips.skipped_at IS 'When it was said.';
COMMENT ON COLUMN operator_skips.skipped_by IS 'Database user of the command.';

COMMENT ON TABLE backfills IS 'Ranges of old heights that were ordered with `receiptd backfill` or `receiptd reindex`.';
COMMENT ON COLUMN backfills.id IS 'Number of the order.';
COMMENT ON COLUMN backfills.from_height IS 'First height.';
COMMENT ON COLUMN backfills.to_height IS 'Last height, included.';
COMMENT ON COLUMN backfills.accounts IS 'The accounts whose rows are fetched for heights that are stored (`receiptd backfill --accounts`). None: heights that are missing are stored.';
COMMENT ON COLUMN backfills.to_replace IS 'Stored heights that are still to be fetched again and replaced (`receiptd reindex`); NULL: an order of another kind.';
COMMENT ON COLUMN backfills.state IS 'unfinished, or finished (heights that no host has are in gaps).';
COMMENT ON COLUMN backfills.created_at IS 'When it was ordered.';
COMMENT ON COLUMN backfills.finished_at IS 'When it was finished.';
COMMENT ON COLUMN backfills.lease_owner IS 'The process that works on it.';
COMMENT ON COLUMN backfills.lease_until IS 'If that process does not renew its lease before this time, another one may take over.';

COMMENT ON TABLE pending_trees IS 'Transactions whose tree is not complete yet and will be fetched again (source rpc, and trees that whole blocks do not complete).';
COMMENT ON COLUMN pending_trees.tx_hash IS 'Hash of the transaction.';
COMMENT ON COLUMN pending_trees.sender_id IS 'Its signer, which hosts need to find it.';
COMMENT ON COLUMN pending_trees.block_height IS 'Height of the block that includes it.';
COMMENT ON COLUMN pending_trees.block_hash IS 'Hash of that block.';
COMMENT ON COLUMN pending_trees.block_time IS 'Time of that block.';
COMMENT ON COLUMN pending_trees.placed_at IS 'When receiptd began to wait for its tree.';
COMMENT ON COLUMN pending_trees.shard_id IS 'Shard whose chunk includes it; NULL: not known.';
COMMENT ON COLUMN pending_trees.timestamp_nanosec IS 'Time of that block, nanoseconds since 1970.';
COMMENT ON COLUMN pending_trees.attempts IS 'Number of requests without a complete answer.';
COMMENT ON COLUMN pending_trees.due_at IS 'Time of the next request.';
COMMENT ON COLUMN pending_trees.reason IS 'The last fault; NULL: every answer was incomplete. receipts_missing: all of it is executed, and no host tells some of its receipts. outcomes_missing: blocks should have brought the rest of it.';
COMMENT ON COLUMN pending_trees.receipts_missing_since IS 'When some of its receipts could not be found for the first time.';
COMMENT ON COLUMN pending_trees.stored_part IS 'What is stored of a tree whose receipts are missing. rows: what is known; its result only if the missing receipts cannot change the verdict. undecided: also the finding that says so. whole: all of it, to be replaced (`receiptd reindex`). NULL: nothing.';

COMMENT ON TABLE unplaced_receipts IS 'Receipts that touch a followed account and are listed in a block, but whose tree is not stored yet (source rpc, scope accounts). The rows are deleted when it is.';
COMMENT ON COLUMN unplaced_receipts.receipt_id IS 'The receipt.';
COMMENT ON COLUMN unplaced_receipts.receiver_id IS 'Account that executes it.';
COMMENT ON COLUMN unplaced_receipts.signer_id IS 'Signer of its transaction; system for the refund of a deposit.';
COMMENT ON COLUMN unplaced_receipts.block_height IS 'Height of the block that lists it.';
COMMENT ON COLUMN unplaced_receipts.timestamp_nanosec IS 'Time of that block, nanoseconds since 1970.';
COMMENT ON COLUMN unplaced_receipts.tx_hash IS 'Its transaction, when a host has returned it; the tree is then being fetched.';
COMMENT ON COLUMN unplaced_receipts.stage IS 'transaction: its transaction will be requested if no tree brings it. outcome: no host knows its transaction, so its outcome is requested.';
COMMENT ON COLUMN unplaced_receipts.attempts IS 'Number of unsuccessful requests in this stage.';
COMMENT ON COLUMN unplaced_receipts.due_at IS 'Time of the next check.';
COMMENT ON COLUMN unplaced_receipts.reason IS 'Why it waits.';
COMMENT ON COLUMN unplaced_receipts.created_at IS 'When it was stored here.';

COMMENT ON TABLE orphan_receipts IS 'Receipts and data whose parent was not known when they were stored. When the parent is stored, too, they are adopted: their rows get the parent and move to its tree. And blocks that no host had, in which stored receipts were executed: when the block comes, these get its height.';
COMMENT ON COLUMN orphan_receipts.kind IS 'receipt (id is receipts.receipt_id), data (id is data_receipts.data_id) or block (id is receipts.executed_block_hash).';
COMMENT ON COLUMN orphan_receipts.id IS 'The receipt, the data or the block.';
COMMENT ON COLUMN orphan_receipts.tree_id IS 'The tree_id of its rows. NULL: its own id.';
COMMENT ON COLUMN orphan_receipts.block_height IS 'Height of its block.';
COMMENT ON COLUMN orphan_receipts.block_time IS 'Time of that block.';
COMMENT ON COLUMN orphan_receipts.adopted_into IS 'The tree to which its rows belong now, if it changed.';
COMMENT ON COLUMN orphan_receipts.adopted_tx_hash IS 'The transaction of that tree, if it is known.';
COMMENT ON COLUMN orphan_receipts.adopted_at IS 'When its parent was found (NULL: still an orphan). The row stays for a day, because rows with the old tree_id may still arrive.';

COMMENT ON TABLE expected_failures IS 'The [[expected]] rules of all running daemons; of two with the same name, the one of the daemon that started last. Findings that match all patterns of a row are marked when they are stored, and cause no alerts.';
COMMENT ON COLUMN expected_failures.name IS 'Its name in the configuration.';
COMMENT ON COLUMN expected_failures.contract_like IS 'LIKE pattern for findings.contract_id.';
COMMENT ON COLUMN expected_failures.method_like IS 'LIKE pattern for findings.method_name.';
COMMENT ON COLUMN expected_failures.error_class_like IS 'LIKE pattern for findings.error_class.';
COMMENT ON COLUMN expected_failures.daemon IS 'The daemon that has the rule (daemons.id). The row is deleted when the next daemon starts after that one has ended.';

COMMENT ON TABLE set_aside_rows IS 'What was set aside by the daemons; the view set_aside has more.';
COMMENT ON COLUMN set_aside_rows.what IS 'What it is (see the view set_aside).';
COMMENT ON COLUMN set_aside_rows.id IS 'Its id (see the view set_aside).';
COMMENT ON COLUMN set_aside_rows.reason IS 'What the database said of it last.';
COMMENT ON COLUMN set_aside_rows.since IS 'When it was set aside.';
COMMENT ON COLUMN set_aside_rows.last_at IS 'When it was tried last, in vain. A week later the row goes.';
COMMENT ON COLUMN set_aside_rows.times IS 'How often it was tried in vain.';
