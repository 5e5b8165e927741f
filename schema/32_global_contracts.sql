-- A shard has a contract when it had a chunk after the block that sends it there; the last receipt of a deployment
-- counts the shards that had it before its own (delivered). This is a function for the reason that 31_of_a_time.sql gives.
CREATE OR REPLACE FUNCTION global_contracts(since timestamptz, until timestamptz DEFAULT 'infinity', deployer text DEFAULT NULL)
RETURNS TABLE (deployer_id text, contract_hash text, contract_account_id text, code text, nonce numeric, block_height bigint,
               block_time timestamptz, shards_with_it int, shards int, complete_height bigint, complete_time timestamptz)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET plan_cache_mode = force_custom_plan SET jit = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT first.deployer_id, first.contract_hash, first.contract_account_id, first.code, first.nonce,
           first.block_height, first.block_time,
           way.delivered + CASE WHEN arrived.block_height IS NULL THEN 0 ELSE 1 END,
           b.shard_count,
           CASE WHEN way.delivered + 1 = b.shard_count THEN arrived.block_height END,
           CASE WHEN way.delivered + 1 = b.shard_count THEN arrived.block_time END
    FROM global_contract_distributions first
    LEFT JOIN blocks b ON b.block_height = first.block_height AND b.block_time = first.block_time
                      AND b.block_time >= since AND b.block_time < until
    CROSS JOIN LATERAL (
        SELECT hop.delivered, hop.target_shard_id, hop.block_height, hop.block_time
        FROM global_contract_distributions hop
        WHERE hop.deployer_id = first.deployer_id AND hop.code = first.code
          AND hop.contract_account_id IS NOT DISTINCT FROM first.contract_account_id
          AND hop.nonce IS NOT DISTINCT FROM first.nonce
          AND hop.block_time >= first.block_time AND hop.block_time < first.block_time + interval '7 days'
          AND hop.block_time >= since AND hop.block_time < until + interval '7 days'
        ORDER BY hop.delivered DESC, hop.block_time
        LIMIT 1
    ) way
    LEFT JOIN LATERAL (
        SELECT c.block_height, c.block_time
        FROM chunks c
        WHERE c.block_time >= way.block_time AND c.block_time < way.block_time + interval '1 day'
          AND c.block_time >= since AND c.block_time < until + interval '8 days'
          AND c.block_height >= way.block_height AND c.shard_id = way.target_shard_id AND NOT c.missing
        ORDER BY c.block_height
        LIMIT 1
    ) arrived ON true
    WHERE first.delivered = 0 AND first.block_time >= since AND first.block_time < until
      AND (deployer IS NULL OR first.deployer_id = deployer);
END
$$;

-- The block after an execution, or a later one where chunks are missing, sends what was deployed on its way: within a day, as
-- a shard that has no chunk for longer is not followed above, either.
CREATE OR REPLACE FUNCTION tree_global_contracts(trees text[], since timestamptz, until timestamptz)
RETURNS TABLE (tree_id text, receipt_id text, contract_hash text, contract_account_id text, shards_with_it int,
               shards int)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET jit = off AS $$
BEGIN
    RETURN QUERY
    SELECT r.tree_id, r.receipt_id, g.contract_hash, g.contract_account_id, g.shards_with_it, g.shards
    FROM tree_receipts(trees, since, until) r
    CROSS JOIN LATERAL json_array_elements(r.actions) WITH ORDINALITY AS listed (action, place)
    CROSS JOIN LATERAL (
        SELECT coalesce(listed.action -> 'DeployGlobalContract', listed.action -> 'DeployGlobalContractByAccountId')
                   ->> 'code' AS code,
               listed.action -> 'DeployGlobalContractByAccountId' IS NOT NULL AS by_account
    ) deployed
    CROSS JOIN LATERAL (
        SELECT c.* FROM global_contracts(r.block_time, r.block_time + interval '1 day', r.receiver_id) c
        WHERE c.code = deployed.code AND (c.contract_account_id IS NOT NULL) = deployed.by_account
          AND c.block_height > r.block_height
        ORDER BY c.block_time LIMIT 1
    ) g
    WHERE r.status IN ('success_value', 'success_receipt_id') AND deployed.code IS NOT NULL
    ORDER BY r.block_height, r.receipt_id, listed.place;
END
$$;
