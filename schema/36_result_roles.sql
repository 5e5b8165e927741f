-- Gives receipts of these trees the role that hung on what was not stored above them: one that its parent returned
-- is on the transaction's result chain (returned) or it is not (detached). Whoever made it is looked up step by
-- step, to a receipt that did not return the one below, or to the initial one; where neither is stored it stays
-- NULL. By index, whatever the planner thinks of tables that have no statistics yet.
CREATE OR REPLACE FUNCTION settle_roles(trees text[], since timestamptz, until timestamptz) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_nestloop = on AS $$
BEGIN
    WITH RECURSIVE up AS (
        SELECT r.tree_id, r.receipt_id, r.block_time, r.receipt_id AS below, r.parent_receipt_id AS parent_id
        FROM receipts r
        WHERE r.tree_id = ANY (trees) AND r.block_time BETWEEN since AND until
          AND r.role IS NULL AND r.predecessor_id <> 'system' AND r.parent_receipt_id IS NOT NULL
        UNION
        SELECT up.tree_id, up.receipt_id, up.block_time, p.receipt_id, p.parent_receipt_id
        FROM up
        JOIN receipts p ON p.tree_id = up.tree_id AND p.receipt_id = up.parent_id
                       AND p.block_time BETWEEN since AND until AND p.result = up.below
    ), ends AS (
        SELECT up.tree_id, up.receipt_id, up.block_time,
               CASE WHEN p.result IS DISTINCT FROM up.below THEN 'detached' ELSE 'returned' END AS role
        FROM up
        JOIN receipts p ON p.tree_id = up.tree_id AND p.receipt_id = up.parent_id
                       AND p.block_time BETWEEN since AND until
        WHERE p.result IS DISTINCT FROM up.below OR p.role = 'initial'
    )
    UPDATE receipts r SET role = ends.role FROM ends
    WHERE r.tree_id = ends.tree_id AND r.receipt_id = ends.receipt_id AND r.block_time = ends.block_time
      AND r.block_time BETWEEN since AND until AND r.tree_id = ANY (trees);
END
$$;
