-- These are functions, as a view would not keep to the partitions of a time: it groups by hours or minutes, or looks for the
-- rest of a tree, and PostgreSQL locks the partitions of all times before it leaves any out. Both times are in the plan of a function.

CREATE OR REPLACE FUNCTION chain_throughput(since timestamptz, until timestamptz DEFAULT 'infinity')
RETURNS TABLE (minute timestamptz, from_height bigint, to_height bigint, blocks bigint, transactions bigint, receipts bigint,
               failed_receipts bigint, gas_burnt bigint)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = force_custom_plan SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT b.minute, b.from_height, b.to_height, b.count, coalesce(t.count, 0), coalesce(r.count, 0), coalesce(r.failed, 0),
           coalesce(t.gas, 0) + coalesce(r.gas, 0)
    FROM (SELECT date_trunc('minute', block_time) AS minute, min(block_height) AS from_height, max(block_height) AS to_height,
                 count(*) AS count
          FROM blocks WHERE block_time >= since AND block_time < until GROUP BY 1) b
    LEFT JOIN (SELECT date_trunc('minute', block_time) AS minute, count(*) AS count, sum(gas_burnt)::bigint AS gas
               FROM transactions WHERE block_time >= since AND block_time < until GROUP BY 1) t USING (minute)
    LEFT JOIN (SELECT date_trunc('minute', block_time) AS minute, count(*) AS count,
                      count(*) FILTER (WHERE status = 'failure') AS failed, sum(gas_burnt)::bigint AS gas
               FROM receipts WHERE block_time >= since AND block_time < until GROUP BY 1) r USING (minute);
END
$$;

-- A row is about a method; a callback may be another action, and is named by it as its finding is.
CREATE OR REPLACE FUNCTION contract_health(since timestamptz, until timestamptz DEFAULT 'infinity', contract text DEFAULT NULL)
RETURNS TABLE (hour timestamptz, contract_id text, method_name text, calls bigint, failures bigint, failed_callbacks bigint)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = force_custom_plan SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT each.hour, each.contract_id, each.method_name, sum(each.calls)::bigint, sum(each.failures)::bigint,
           sum(each.failed_callbacks)::bigint
    FROM (
        SELECT date_trunc('hour', block_time) AS hour, receiver_id AS contract_id,
               coalesce(method_name, CASE json_typeof(actions -> 0)
                   WHEN 'string' THEN actions ->> 0
                   WHEN 'object' THEN (
                       SELECT name FROM json_object_keys(actions -> 0) AS name LIMIT 1)
               END) AS method_name,
               1 AS calls, (status = 'failure')::int AS failures, 0 AS failed_callbacks
        FROM receipts
        WHERE block_time >= since AND block_time < until AND (contract IS NULL OR receiver_id = contract)
          AND (method_name IS NOT NULL OR role = 'callback')
        UNION ALL
        SELECT date_trunc('hour', block_time), contract_id, method_name, 0, 0, 1
        FROM findings
        WHERE block_time >= since AND block_time < until AND (contract IS NULL OR contract_id = contract)
          AND kind = 'failed_receipt' AND role = 'callback'
    ) AS each
    GROUP BY 1, 2, 3;
END
$$;

-- Seven days hold the receipts of a tree (tree_of).
CREATE OR REPLACE FUNCTION unfinished_trees(since timestamptz, until timestamptz DEFAULT 'infinity')
RETURNS TABLE (tx_hash text, signer_id text, receiver_id text, block_height bigint, block_time timestamptz, waits_for text[],
               reason text, attempts int)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = force_custom_plan SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH unfinished AS MATERIALIZED (
        SELECT t.* FROM transactions t
        WHERE t.block_time >= since AND t.block_time < until AND t.status IS DISTINCT FROM 'failure'
          AND NOT EXISTS (SELECT FROM transaction_results r
                          WHERE r.block_time >= since AND r.block_time < until
                            AND r.tx_hash = t.tx_hash AND r.tree_id = t.tree_id AND r.block_time = t.block_time)
    ), executed AS MATERIALIZED (
        SELECT r.tree_id, r.receipt_id AS id, r.receipt_ids
        FROM tree_receipts(array(SELECT tree_id FROM unfinished), since, until + interval '7 days') r
    ), announced AS (
        SELECT tree_id, initial_receipt_id AS id FROM unfinished WHERE initial_receipt_id IS NOT NULL
        UNION
        SELECT tree_id, unnest(receipt_ids) FROM executed
    ), waits AS (
        SELECT tree_id, array_agg(id ORDER BY id) AS receipt_ids
        FROM announced a
        WHERE NOT EXISTS (SELECT FROM executed e WHERE e.tree_id = a.tree_id AND e.id = a.id)
        GROUP BY 1
    )
    SELECT u.tx_hash, u.signer_id, u.receiver_id, u.block_height, u.block_time, w.receipt_ids, p.reason, p.attempts
    FROM unfinished u
    LEFT JOIN waits w USING (tree_id)
    LEFT JOIN pending_trees p ON p.tx_hash = u.tx_hash AND p.block_height = u.block_height;
END
$$;

-- A transaction that burnt nothing did not use its nonce (InvalidTxError in a block). A key that is added at
-- height h begins at (h - 1) x 10^6: a nonce that is the next behind such a beginning, of a height between
-- those of the two transactions, is the first one of a key that was removed and added again.
CREATE OR REPLACE FUNCTION nonce_gaps(since timestamptz, until timestamptz DEFAULT 'infinity', signer text DEFAULT NULL)
RETURNS TABLE (signer_id text, public_key text, nonce_index int, from_nonce numeric, to_nonce numeric, nonces numeric,
               next_tx_hash text, next_block_height bigint, next_block_time timestamptz)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = force_custom_plan SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT signer_id, public_key, nonce_index, previous_nonce + 1, nonce - 1, nonce - previous_nonce - 1, tx_hash,
           block_height, block_time
    FROM (
        SELECT signer_id, public_key, nonce_index, nonce, tx_hash, block_height, block_time,
               lag(nonce) OVER used AS previous_nonce, lag(block_height) OVER used AS previous_height,
               div(nonce - 1, 1000000) AS beginning
        FROM transactions
        WHERE block_time >= since AND block_time < until AND (signer IS NULL OR signer_id = signer)
          AND (status IS DISTINCT FROM 'failure' OR gas_burnt > 0)
        WINDOW used AS (PARTITION BY signer_id, public_key, nonce_index ORDER BY nonce)
    ) AS used
    WHERE nonce > previous_nonce + 1
      AND NOT (beginning + 1 BETWEEN previous_height AND block_height AND beginning * 1000000 >= previous_nonce);
END
$$;
