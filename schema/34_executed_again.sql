-- What is stored in two blocks: transactions that the chain executed twice under one hash, and receipts, which the chain
-- never executes twice: there a service told something else than the chain. One look by index for each row of the time
-- that is asked for.
CREATE OR REPLACE VIEW executed_again AS
SELECT 'transaction' AS kind, later.tx_hash AS id, later.tx_hash, first.block_height AS earlier_height,
       later.block_height, later.block_time
FROM transactions later
CROSS JOIN LATERAL (
    SELECT max(t.block_height) AS block_height FROM transactions t
    WHERE t.tx_hash = later.tx_hash AND t.block_height < later.block_height
      AND t.block_time BETWEEN later.block_time - interval '7 days' AND later.block_time
) first
WHERE first.block_height IS NOT NULL
UNION ALL
SELECT 'receipt', later.receipt_id, later.tx_hash, first.block_height, later.block_height, later.block_time
FROM receipts later
CROSS JOIN LATERAL (
    SELECT max(r.block_height) AS block_height FROM receipts r
    WHERE r.receipt_id = later.receipt_id AND r.block_height < later.block_height
      AND r.block_time BETWEEN later.block_time - interval '7 days' AND later.block_time
) first
WHERE first.block_height IS NOT NULL;
