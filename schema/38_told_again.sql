-- A receipt that services told in several blocks, which the chain never does (docs/decisions/0055): within 1,200 heights
-- the row with the lowest height stays. Returns the rows that went. By index, whatever the planner thinks of tables that
-- have no statistics yet.
CREATE OR REPLACE FUNCTION keep_first_tellings(trees text[], since timestamptz, until timestamptz)
RETURNS TABLE (tree text, height bigint, told_at timestamptz) LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_nestloop = on SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    RETURN QUERY
    WITH told AS MATERIALIZED (
        SELECT r.tree_id, r.receipt_id, r.block_time, r.block_height,
               min(r.block_height) OVER (PARTITION BY r.tree_id, r.receipt_id) AS lowest
        FROM receipts r WHERE r.tree_id = ANY (trees) AND r.block_time BETWEEN since AND until
    ), again AS MATERIALIZED (
        SELECT t.* FROM told t WHERE t.block_height > t.lowest AND t.block_height <= t.lowest + 1200
    ), events_gone AS (
        DELETE FROM events e USING again a
        WHERE e.tree_id = a.tree_id AND e.receipt_id = a.receipt_id AND e.block_time = a.block_time
          AND e.block_time BETWEEN since AND until
    ), orphans_gone AS (
        DELETE FROM orphan_receipts o USING again a
        WHERE o.kind = 'receipt' AND o.id = a.receipt_id AND o.block_height = a.block_height
    )
    DELETE FROM receipts r USING again a
    WHERE r.tree_id = a.tree_id AND r.receipt_id = a.receipt_id AND r.block_time = a.block_time
      AND r.block_time BETWEEN since AND until
    RETURNING r.tree_id, r.block_height, r.block_time;
END
$$;
