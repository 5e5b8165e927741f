-- A transaction whose first receipt succeeded and whose callback failed: the largest tree of them.
SELECT t.tx_hash
FROM transactions t
JOIN receipts r USING (tree_id)
WHERE t.status = 'success_receipt_id'
  AND EXISTS (SELECT FROM receipts c WHERE c.tree_id = t.tree_id AND c.role = 'callback' AND c.status = 'failure')
  AND EXISTS (SELECT FROM receipts i WHERE i.tree_id = t.tree_id AND i.role = 'initial' AND i.status LIKE 'success%')
GROUP BY t.tx_hash
ORDER BY count(*) DESC, t.tx_hash
LIMIT 1;
