-- A month of rows, four an hour, with the largest values that columns hold and names that mislead: digits only, quotes, nothing.
INSERT INTO chain_identity (network, scope, partition_width, width_is_automatic, created_by) VALUES ('mainnet', 'all', 'day', false, 'tests');
SELECT make_partitions(date_trunc('day', now(), 'UTC') - day * interval '1 day', date_trunc('day', now(), 'UTC') - (day - 1) * interval '1 day')
FROM generate_series(-1, 31) AS day;

CREATE TEMP TABLE moments AS
SELECT n, 1000000 - n AS height, now() - n * interval '15 minutes' - interval '1 second' AS at, 'h' || n AS hash
FROM generate_series(0, 30 * 96) AS n;

INSERT INTO blocks (block_height, block_hash, prev_hash, prev_height, block_time, timestamp_nanosec, gas_price, total_supply, protocol_version)
SELECT height, hash, 'h' || n + 1, height - 1, at, 9223372036854775807, 1e38, 1e38, CASE WHEN n < 10 THEN 82 ELSE 81 END FROM moments;
INSERT INTO block_marks (day, block_height, block_time) SELECT DISTINCT ON (1) date(at AT TIME ZONE 'UTC'), height, at FROM moments ORDER BY 1, 2;
INSERT INTO coverage (scope, wanted, heights, followed_since)
SELECT 'all', int8multirange(int8range(997000, 1000001)), int8multirange(int8range(997120, 999900), int8range(999950, 1000001)), 997120;
INSERT INTO followed_accounts (account_id, since_height) VALUES ('*', 997120);

INSERT INTO transactions (tx_hash, tree_id, block_height, block_time, signer_id, receiver_id, nonce, public_key, status, initial_receipt_id)
SELECT hash, hash, height, at, CASE n % 3 WHEN 0 THEN '1234567890' WHEN 1 THEN 'o''neill.near' ELSE 'eve.near' END, (n % 20)::text,
       18446744073709551615 - 2 * n, 'ed25519:k', 'success_receipt_id', 'r' || n FROM moments;
INSERT INTO receipts (receipt_id, tree_id, tx_hash, block_height, block_time, receiver_id, signer_id, predecessor_id, role, method_name, status,
                      deposit, gas_burnt, tokens_burnt)
SELECT 'r' || n, hash, hash, height, at, (n % 20)::text, '1234567890', '1234567890', 'initial', 'ft_on_transfer', 'failure', 1e38,
       9223372036854775807, 1e38 FROM moments;
INSERT INTO transaction_results (tx_hash, tree_id, block_height, block_time, signer_id, receiver_id, verdict, error_class, error_text,
    included_height, completed_height, completed_time, settled_height, receipts, failed_receipts, gas_burnt, tokens_burnt, near_status, method_name)
SELECT hash, hash, height, at, signer_id, receiver_id,
       (ARRAY['succeeded', 'failed', 'callback_failed', 'receipt_failed', 'succeeded_with_handled_failure'])[1 + n % 5], 'class_' || n % 40, 'no',
       height, height + 3, at + interval '3 seconds', height + 3, 2147483647, 1, 9223372036854775807, 1e38, 'success',
       (ARRAY['ft_on_transfer', 'o''b\d', NULL])[1 + n % 3]
FROM moments JOIN transactions ON tx_hash = hash WHERE n > 3;
INSERT INTO findings (finding_id, kind, tx_hash, tree_id, receipt_id, role, handled, contract_id, method_name, signer_id, error_class, error_text,
                      block_height, block_time, amount_kept, amount_returned, amount_burnt, user_id)
SELECT kind || ':' || n, kind, hash, hash, 'r' || n, CASE WHEN n % 2 = 0 THEN 'callback' ELSE 'promise' END, n % 7 = 0, (n % 20)::text,
       (ARRAY['ft_on_transfer', 'o''b\d', NULL])[1 + n % 3], '1234567890', CASE WHEN n % 41 > 0 THEN 'class_' || n % 40 END, repeat('x', 5000), height, at,
       1e38, 1e38, 1e38, CASE WHEN n % 2 = 0 THEN 'user_' || n END
FROM moments CROSS JOIN (VALUES ('failed_receipt'), ('burnt_tokens'), ('dropped')) AS kinds (kind);

INSERT INTO watches (tx_hash, sender_id, stage, nonce, stuck_since, stage_since, created_at)
SELECT left(translate('H' || repeat(md5(n::text), 2), '0', '1'), 43), '1234567890', CASE WHEN n % 2 = 0 THEN 'pending' ELSE 'final' END, 18446744073709551615,
       CASE WHEN n % 4 = 0 THEN at END, at, at FROM moments;
INSERT INTO watch_transitions (tx_hash, from_stage, to_stage, at, evidence)
SELECT tx_hash, 'accepted', 'pending', created_at + interval '1 second', '{}' FROM watches;
INSERT INTO set_aside_rows (what, id, reason, times) SELECT 'row', height || ' x', 'no', 9007199254740991 FROM moments;
INSERT INTO daemons (id, place, source) VALUES (gen_random_uuid(), 'here', 'rpc');

INSERT INTO endpoints (name) VALUES ('123'), ('take');
INSERT INTO alerts (alert_id, kind, tx_hash, created_at, contract_id) SELECT 'a' || n, 'failed_receipt', hash, at, '17' FROM moments;
INSERT INTO deliveries (alert_id, endpoint, state, last_status, last_error, created_at)
SELECT 'a' || n, '123', (ARRAY['pending', 'dead', 'delivered', 'grouped'])[1 + n % 4], 500, repeat('x', 5000), at FROM moments;
INSERT INTO alert_groups (endpoint, key, members, first_at, last_at, last_member_at) SELECT '123', 'k' || n, 9007199254740991, at, at, at FROM moments;
INSERT INTO silences (matcher, starts_at, ends_at, reason, author) SELECT '{}', at, at + interval '1 hour', 'r', 'a' FROM moments;
INSERT INTO alert_rule_versions (name, version, definition, place, loaded_at) SELECT 'rule', n, '{}', 'here', at FROM moments;
