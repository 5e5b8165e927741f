-- The largest tree that NEAR, and with it every wallet, calls a success, and that is none: with a failed callback, if there is one.
SELECT tx_hash
FROM transaction_results
WHERE near_status = 'success' AND verdict IN ('callback_failed', 'receipt_failed')
ORDER BY verdict = 'callback_failed' DESC, receipts DESC, tx_hash
LIMIT 1;
