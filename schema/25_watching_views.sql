-- What really happened, and what is being watched (migrations/0003_watching.sql).

CREATE OR REPLACE VIEW failed_callbacks AS
SELECT finding_id, tx_hash, receipt_id, contract_id, method_name, signer_id, error_class, error_text,
       block_height, block_time
FROM findings
WHERE kind = 'failed_receipt' AND role = 'callback';

CREATE OR REPLACE VIEW handled_failures AS
SELECT finding_id, tx_hash, receipt_id, role, contract_id, method_name, signer_id, error_class, error_text,
       block_height, block_time
FROM findings
WHERE kind = 'failed_receipt' AND handled;

-- A condition on block_time reaches the partitions of transactions.
CREATE OR REPLACE VIEW unfinished_trees AS
SELECT t.tx_hash, t.signer_id, t.receiver_id, t.block_height, t.block_time, waits.receipt_ids AS waits_for,
       p.reason, p.attempts
FROM transactions t
LEFT JOIN LATERAL (
    SELECT array_agg(announced.id ORDER BY announced.id) AS receipt_ids
    FROM (SELECT t.initial_receipt_id AS id
          UNION
          SELECT unnest(r.receipt_ids) FROM receipts r
          WHERE r.tree_id = t.tree_id AND r.block_time >= t.block_time) announced
    WHERE announced.id IS NOT NULL
      AND NOT EXISTS (SELECT FROM receipts r WHERE r.tree_id = t.tree_id AND r.receipt_id = announced.id
                        AND r.block_time >= t.block_time)
) waits ON true
LEFT JOIN pending_trees p ON p.tx_hash = t.tx_hash AND p.block_height = t.block_height
WHERE t.status IS DISTINCT FROM 'failure'
  AND NOT EXISTS (SELECT FROM transaction_results r
                  WHERE r.tx_hash = t.tx_hash AND r.tree_id = t.tree_id AND r.block_time = t.block_time);

CREATE OR REPLACE VIEW open_watches AS
SELECT tx_hash, sender_id, stage, stage_since, now() - stage_since AS in_stage_for, stuck_since IS NOT NULL AS stuck,
       origin, rule, checks, next_check_at, created_at, evidence
FROM watches
WHERE stage IN ('accepted', 'pending', 'included', 'executing', 'completed');

CREATE OR REPLACE VIEW stuck_watches AS
SELECT tx_hash, sender_id, stage, stage_since, stuck_since, now() - stage_since AS in_stage_for, origin, rule,
       checks, evidence
FROM watches
WHERE stuck_since IS NOT NULL AND stage IN ('accepted', 'pending', 'included', 'executing', 'completed');

-- How long watches stayed in a stage, by the hour in which they left it. Chain time where both ends have
-- it, else the time at which it was learned. They are in their first stage from when the watch began, which
-- the database's clock told and not the daemon's: never less than nothing.
CREATE OR REPLACE VIEW stage_latency AS
WITH stays AS (
    SELECT l.from_stage AS stage, date_trunc('hour', l.at) AS hour,
           greatest(extract(epoch FROM coalesce(l.block_time - came.block_time,
                                                l.at - coalesce(came.at, w.created_at))), 0)::float8 AS seconds
    FROM watch_transitions l
    JOIN watches w USING (tx_hash)
    LEFT JOIN LATERAL (
        SELECT t.at, t.block_time FROM watch_transitions t
        WHERE t.tx_hash = l.tx_hash AND t.at < l.at ORDER BY t.at DESC LIMIT 1
    ) came ON true
)
SELECT hour, stage, count(*) AS stays,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS p50_seconds,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) AS p95_seconds,
       percentile_cont(0.99) WITHIN GROUP (ORDER BY seconds) AS p99_seconds
FROM stays
GROUP BY hour, stage;

-- The hours come from the first and the last block, and each reads only its own part of the large tables:
-- so a condition on hour costs those hours, and one on contract_id reaches the indexes. What is called is a
-- method; a callback may be another action, and is named by it as its finding is.
CREATE OR REPLACE VIEW contract_health AS
SELECT h.hour, c.contract_id, c.method_name, c.calls, c.failures, c.failed_callbacks
FROM (
    SELECT generate_series(date_trunc('hour', min(block_time)), max(block_time), interval '1 hour') AS hour
    FROM blocks
) h
CROSS JOIN LATERAL (
    SELECT contract_id, method_name, sum(calls)::bigint AS calls, sum(failures)::bigint AS failures,
           sum(failed_callbacks)::bigint AS failed_callbacks
    FROM (
        SELECT receiver_id AS contract_id,
               coalesce(method_name, CASE json_typeof(actions -> 0)
                   WHEN 'string' THEN actions ->> 0
                   WHEN 'object' THEN (
                       SELECT name FROM json_object_keys(actions -> 0) AS name LIMIT 1)
               END) AS method_name,
               1 AS calls, (status = 'failure')::int AS failures, 0 AS failed_callbacks
        FROM receipts
        WHERE block_time >= h.hour AND block_time < h.hour + interval '1 hour'
          AND (method_name IS NOT NULL OR role = 'callback')
        UNION ALL
        SELECT contract_id, method_name, 0, 0, 1
        FROM findings
        WHERE block_time >= h.hour AND block_time < h.hour + interval '1 hour'
          AND kind = 'failed_receipt' AND role = 'callback'
    ) AS each
    GROUP BY contract_id, method_name
) c;

-- A transaction that burnt nothing did not use its nonce (InvalidTxError in a block). A key that is added at
-- height h begins at (h - 1) x 10^6: a nonce that is the next behind such a beginning, of a height between
-- those of the two transactions, is the first one of a key that was removed and added again.
CREATE OR REPLACE VIEW nonce_gaps AS
SELECT signer_id, public_key, nonce_index, previous_nonce + 1 AS from_nonce, nonce - 1 AS to_nonce,
       nonce - previous_nonce - 1 AS nonces, tx_hash AS next_tx_hash, block_height AS next_block_height,
       block_time AS next_block_time
FROM (
    SELECT signer_id, public_key, nonce_index, nonce, tx_hash, block_height, block_time,
           lag(nonce) OVER used AS previous_nonce, lag(block_height) OVER used AS previous_height,
           div(nonce - 1, 1000000) AS beginning
    FROM transactions
    WHERE status IS DISTINCT FROM 'failure' OR gas_burnt > 0
    WINDOW used AS (PARTITION BY signer_id, public_key, nonce_index ORDER BY nonce)
) AS used
WHERE nonce > previous_nonce + 1
  AND NOT (beginning + 1 BETWEEN previous_height AND block_height AND beginning * 1000000 >= previous_nonce);
