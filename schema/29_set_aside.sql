-- What is not dealt with because of its own data, while the others go on. Heights and trees that the database refuses are
-- fetched again, and have rows of their own for that.
CREATE OR REPLACE VIEW set_aside AS
SELECT what, id, reason, since, last_at, times FROM set_aside_rows r
WHERE CASE what
    WHEN 'delivery' THEN EXISTS (SELECT FROM deliveries d WHERE d.alert_id = regexp_replace(r.id, ' [^ ]*$', '')
        AND d.endpoint = substring(r.id FROM '[^ ]*$') AND d.state = 'pending' AND starts_with(d.last_error, 'set aside'))
    WHEN 'orphan' THEN EXISTS (SELECT FROM orphan_receipts o WHERE o.kind IN ('receipt', 'data') AND o.id = r.id
        AND o.adopted_at IS NULL)
    WHEN 'row' THEN EXISTS (SELECT FROM coverage c WHERE c.heights @> split_part(r.id, ' ', 1)::bigint)
    WHEN 'late_tree' THEN EXISTS (SELECT FROM late_trees t WHERE t.tx_hash = r.id)
    ELSE true
END
UNION ALL
SELECT 'block', height::text, detail, first_seen_at, last_attempt_at, attempts FROM unavailable_heights
WHERE reason = 'refused_by_database'
UNION ALL
SELECT 'tree', tx_hash, reason, placed_at, NULL, attempts FROM pending_trees
WHERE reason LIKE 'refused\_by\_database%';
