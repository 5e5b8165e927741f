-- One hash that was executed in several blocks (docs/decisions/0055): its lowest execution is the tree with the hash for
-- a name, each other one is the tree HASH@HEIGHT.

-- The names that rows of these hashes may have.
CREATE OR REPLACE FUNCTION trees_of_hashes(hashes text[]) RETURNS text[] LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN hashes || array(SELECT e.tree_id FROM executions e WHERE e.tx_hash = ANY (hashes) AND e.tree_id <> e.tx_hash);
END
$$;

-- Executions of one hash lie 86,400 blocks apart at most: so long are its bytes valid, 31 hours by the slowest blocks of
-- mainnet. Nothing is looked for above the newest block.
CREATE OR REPLACE FUNCTION find_executions(hashes text[], since timestamptz, until timestamptz) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off AS $$
DECLARE
    earliest CONSTANT timestamptz := since - interval '36 hours';
    latest timestamptz := until;
    again text[];
BEGIN
    IF EXISTS (SELECT FROM blocks b WHERE b.block_time > until) THEN
        latest := until + interval '36 hours';
    END IF;
    -- The planner need not look at each of a thousand hashes.
    again := array(SELECT t.tx_hash FROM transactions t
                   WHERE t.tx_hash = ANY ((SELECT hashes)::text[]) AND t.block_time BETWEEN earliest AND latest
                   GROUP BY 1 HAVING count(*) > 1);
    IF cardinality(again) = 0 THEN
        RETURN;
    END IF;
    -- One outcome that a service tells in two blocks: its receipt depends on the block.
    WITH gone AS (
        DELETE FROM transactions told USING transactions first
        WHERE told.tx_hash = ANY (again) AND first.tx_hash = told.tx_hash
          AND told.initial_receipt_id = first.initial_receipt_id
          AND told.block_height > first.block_height AND told.block_height <= first.block_height + 1200
          AND told.block_time BETWEEN earliest AND latest AND first.block_time BETWEEN earliest AND latest
        RETURNING told.tx_hash, told.block_height, told.block_time
    ), judged AS (
        DELETE FROM transaction_results r USING gone WHERE r.tx_hash = gone.tx_hash AND r.block_time = gone.block_time
    ), lost AS (  -- whoever follows the later one does not judge it (storage/block_removal.cpp)
        INSERT INTO orphan_receipts (kind, id, tree_id, block_height, block_time, adopted_into, adopted_tx_hash, adopted_at)
        SELECT DISTINCT 'receipt', 'removed block', tx_hash, block_height, block_time, tx_hash, tx_hash, now() FROM gone
    )
    INSERT INTO late_trees AS known (tx_hash, since, history)
    SELECT gone.tx_hash, earliest - interval '7 days', false FROM gone GROUP BY 1
    ON CONFLICT (tx_hash) DO UPDATE SET since = least(known.since, excluded.since), looks = 0, due_at = now();

    -- Blocks are written beside each other: late trees may have been judged without the execution of this one.
    WITH found AS (
        INSERT INTO executions (tx_hash, block_height, block_time, tree_id)
        SELECT t.tx_hash, t.block_height, t.block_time, t.tree_id
        FROM (SELECT t.*, count(*) OVER (PARTITION BY t.tx_hash) AS times FROM transactions t
              WHERE t.tx_hash = ANY (again) AND t.block_time BETWEEN earliest AND latest) t
        WHERE t.times > 1
        ON CONFLICT DO NOTHING
        RETURNING tx_hash, block_time
    )
    INSERT INTO late_trees AS known (tx_hash, since, history)
    SELECT tx_hash, min(block_time) - interval '7 days', false FROM found GROUP BY 1
    ON CONFLICT (tx_hash) DO UPDATE SET since = least(known.since, excluded.since), looks = 0, due_at = now();
END
$$;

-- Rows are deleted and inserted, as the name is part of their keys. What no execution leads to (its parent is not stored)
-- stays with the hash, and so do orphan_receipts, which name transactions. `apart` false: all have the hash.
CREATE OR REPLACE FUNCTION name_executions(hashes text[], apart boolean) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan SET jit = off SET enable_seqscan = off SET enable_nestloop = on
SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    hash text;
    names text[];
    since timestamptz;
    until timestamptz;
    receipts_in text[];
    receipt_trees text[];
    data_in text[];
    data_trees text[];
    heights bigint[];
    height_trees text[];
    by_receipt CONSTANT text := '($6)[array_position($5, r.receipt_id)]';
    moving record;
BEGIN
    FOR hash, since, until, names IN
        SELECT e.tx_hash, min(e.block_time), max(e.block_time) + interval '7 days', array_agg(e.tree_id)
        FROM executions e WHERE e.tx_hash = ANY (hashes) GROUP BY 1 ORDER BY 1
    LOOP
        names := array(SELECT DISTINCT unnest(names || hash));
        IF apart THEN
            -- An outcome that is told in blocks farther apart is one execution, too.
            UPDATE executions e SET tree_id = named.name FROM (
                SELECT one.block_height, hash || CASE WHEN one.lowest > min(one.lowest) OVER ()
                                                      THEN '@' || one.lowest ELSE '' END AS name
                FROM (SELECT x.block_height, min(x.block_height) OVER (
                          PARTITION BY coalesce(t.initial_receipt_id, x.block_height::text)) AS lowest
                      FROM executions x
                      LEFT JOIN transactions t ON t.tx_hash = x.tx_hash AND t.block_time = x.block_time
                                              AND t.block_time BETWEEN since AND until
                      WHERE x.tx_hash = hash) one) named
            WHERE e.tx_hash = hash AND e.block_height = named.block_height AND e.tree_id <> named.name;
            SELECT array_agg(e.block_height), array_agg(e.tree_id) INTO heights, height_trees
            FROM executions e WHERE e.tx_hash = hash;
            WITH RECURSIVE led_to AS (
                SELECT e.tree_id AS name, t.initial_receipt_id AS id
                FROM executions e
                JOIN transactions t ON t.tx_hash = e.tx_hash AND t.block_time = e.block_time
                WHERE e.tx_hash = hash AND t.initial_receipt_id IS NOT NULL AND t.block_time BETWEEN since AND until
                UNION
                SELECT led_to.name, made.id
                FROM led_to
                JOIN receipts r ON r.tree_id = ANY (names) AND r.receipt_id = led_to.id
                               AND r.block_time BETWEEN since AND until
                CROSS JOIN LATERAL unnest(r.receipt_ids) AS made (id)
            )
            SELECT array_agg(id), array_agg(name) INTO receipts_in, receipt_trees FROM led_to;
            SELECT array_agg(ids.id), array_agg(ids.name) INTO data_in, data_trees FROM (
                SELECT DISTINCT ON (d.id) d.id, led_to.name
                FROM unnest(receipts_in, receipt_trees) AS led_to (id, name)
                JOIN receipts r ON r.tree_id = ANY (names) AND r.receipt_id = led_to.id
                               AND r.block_time BETWEEN since AND until
                CROSS JOIN LATERAL (SELECT unnest(r.output_data_ids) AS id, 1 AS rank
                                    UNION ALL SELECT unnest(r.input_data_ids), 2) d
                ORDER BY d.id, d.rank, led_to.name) ids;
        END IF;
        FOR moving IN
            SELECT * FROM (VALUES
                ('transactions', 'r.tx_hash = $4', '($10)[array_position($9, r.block_height)]'),
                ('receipts', 'true', by_receipt),
                ('data_receipts', 'true', '($8)[array_position($7, r.data_id)]'),
                ('events', 'true', by_receipt),
                ('transaction_results', 'r.tx_hash = $4', '($10)[array_position($9, r.block_height)]'),
                ('findings', 'true', 'CASE WHEN r.receipt_id IS NOT NULL THEN ' || by_receipt ||
                    ' WHEN r.kind = ''failed_transaction'' THEN ($10)[array_position($9, r.block_height)] END')
            ) AS t (rows_of, key, tree)
        LOOP
            EXECUTE format(
                'WITH moved AS (DELETE FROM %1$I r USING unnest($1) AS old'
                '  WHERE r.tree_id = old AND %2$s AND r.block_time BETWEEN $2 AND $3 AND old <> coalesce(%3$s, $4)'
                '  RETURNING r AS was, coalesce(%3$s, $4) AS name)'
                'INSERT INTO %1$I SELECT now_is.* FROM moved CROSS JOIN LATERAL'
                '  jsonb_populate_record(moved.was, jsonb_build_object(''tree_id'', moved.name)) AS now_is',
                moving.rows_of, moving.key, moving.tree)
            USING names, since, until, hash, receipts_in, receipt_trees, data_in, data_trees, heights, height_trees;
        END LOOP;
    END LOOP;
END
$$;
