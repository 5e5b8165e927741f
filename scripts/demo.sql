-- The answers that ./dev demo ends with; try your own with ./dev psql.
\pset border 1
\pset linestyle ascii

\echo
\echo '-- What is covered: heights with a block, heights the chain skipped, heights we still lack.'
SELECT (SELECT min(block_height) || ' to ' || max(block_height) FROM blocks) AS heights,
       (SELECT count(*) FROM blocks) AS blocks,
       (SELECT count(*) FROM skipped_heights) AS skipped,
       (SELECT coalesce(sum(heights), 0) FROM gaps) AS gaps,
       (SELECT count(*) FROM chunks WHERE missing) AS missing_chunks,
       (SELECT count(*) FROM transactions) AS transactions,
       (SELECT count(*) FROM receipts) AS receipts;

\echo '-- Transactions that every wallet calls a success, and that are none.'
SELECT tx_hash, signer_id, verdict, error_class, left(error_text, 60) AS error_text
FROM transaction_results
WHERE near_status = 'success' AND verdict IN ('callback_failed', 'receipt_failed')
ORDER BY included_height, tx_hash
LIMIT 5;

\echo '-- Every failed receipt, with what the contract said.'
SELECT block_height, role, receiver_id, method_name, error_class, left(error_text, 72) AS error_text
FROM failed_receipts
ORDER BY block_time, receipt_id
LIMIT 8;

-- The largest tree with a failed receipt.
SELECT coalesce(max(tx_hash), '') AS tree, count(*) > 0 AS found
FROM (SELECT tx_hash
      FROM receipts
      WHERE tx_hash IN (SELECT tx_hash FROM failed_receipts)
      GROUP BY tx_hash
      ORDER BY count(*) DESC, tx_hash
      LIMIT 1) largest \gset
\if :found
\echo '-- One of them as a tree:' :tree
SELECT tree, status, block_height, shard_id, round(gas_burnt / 1e12, 2) AS tgas FROM receipt_tree(:'tree');
\endif

\echo '-- Busiest contracts.'
SELECT receiver_id AS contract,
       count(*) AS receipts,
       count(*) FILTER (WHERE status = 'failure') AS failed,
       round(sum(gas_burnt) / 1e12, 2) AS tgas,
       count(DISTINCT method_name) AS methods
FROM receipts
WHERE role NOT IN ('refund', 'payout')
GROUP BY receiver_id
ORDER BY receipts DESC, contract
LIMIT 5;
