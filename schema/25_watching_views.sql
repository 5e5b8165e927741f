-- What really happened, and what is being watched (migrations/0004_watching.sql).

CREATE OR REPLACE VIEW failed_callbacks AS
SELECT finding_id, tx_hash, receipt_id, contract_id, method_name, signer_id, error_class, error_text,
       block_height, block_time
FROM findings
WHERE kind = 'failed_receipt' AND role = 'callback' AND NOT handled;

CREATE OR REPLACE VIEW handled_failures AS
SELECT finding_id, tx_hash, receipt_id, role, contract_id, method_name, signer_id, error_class, error_text,
       block_height, block_time
FROM findings
WHERE kind = 'failed_receipt' AND handled;

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
-- it, else the time at which it was learned.
CREATE OR REPLACE VIEW stage_latency AS
WITH left_stage AS (
    SELECT from_stage AS stage, at, block_time,
           lag(at) OVER each AS since, lag(block_time) OVER each AS since_block_time
    FROM watch_transitions
    WINDOW each AS (PARTITION BY tx_hash ORDER BY at)
), stays AS (
    SELECT stage, date_trunc('hour', at) AS hour,
           extract(epoch FROM coalesce(block_time - since_block_time, at - since))::float8 AS seconds
    FROM left_stage
    WHERE since IS NOT NULL
)
SELECT hour, stage, count(*) AS stays,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS p50_seconds,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) AS p95_seconds,
       percentile_cont(0.99) WITHIN GROUP (ORDER BY seconds) AS p99_seconds
FROM stays
GROUP BY hour, stage;

-- One row for each block, so that a condition on block_time reaches the partitions and indexes below;
-- whoever asks sums up.
CREATE OR REPLACE VIEW contract_health AS
SELECT contract_id, method_name, block_time, sum(calls)::bigint AS calls, sum(failures)::bigint AS failures,
       sum(failed_callbacks)::bigint AS failed_callbacks
FROM (
    SELECT receiver_id AS contract_id, method_name, block_time, 1 AS calls, (status = 'failure')::int AS failures,
           0 AS failed_callbacks
    FROM receipts
    WHERE method_name IS NOT NULL
    UNION ALL
    SELECT contract_id, method_name, block_time, 0, 0, 1
    FROM findings
    WHERE kind = 'failed_receipt' AND role = 'callback' AND NOT handled
) AS each
GROUP BY contract_id, method_name, block_time;

CREATE OR REPLACE VIEW nonce_gaps AS
SELECT signer_id, public_key, previous_nonce + 1 AS from_nonce, nonce - 1 AS to_nonce,
       nonce - previous_nonce - 1 AS nonces, tx_hash AS next_tx_hash, block_height AS next_block_height,
       block_time AS next_block_time
FROM (
    SELECT signer_id, public_key, nonce, tx_hash, block_height, block_time,
           lag(nonce) OVER (PARTITION BY signer_id, public_key ORDER BY nonce) AS previous_nonce
    FROM transactions
) AS used
WHERE nonce > previous_nonce + 1;
