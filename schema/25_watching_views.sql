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

CREATE OR REPLACE VIEW open_watches AS
SELECT tx_hash, sender_id, stage, stage_since, now() - stage_since AS in_stage_for, stuck_since IS NOT NULL AS stuck,
       origin, rule, checks, next_check_at, created_at, evidence,
       CASE WHEN stage IN ('included', 'executing', 'completed') THEN early_block_hash IS NULL END AS final
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
    WHERE l.from_stage <> l.to_stage
)
SELECT hour, stage, count(*) AS stays,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS p50_seconds,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds) AS p95_seconds,
       percentile_cont(0.99) WITHIN GROUP (ORDER BY seconds) AS p99_seconds
FROM stays
GROUP BY hour, stage;
