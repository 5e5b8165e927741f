-- Questions by an id are asked for the times that days_of() returns, one after the other: planned with them each time, as
-- a plan that is kept locks every partition before it leaves any out.

-- The tree an id belongs to and the time of its first row. A tree lives for seconds, at worst hours (a
-- yielded receipt waits 200 blocks at most, a delayed one until the congestion is over): seven days from
-- then hold all of it.
CREATE OR REPLACE FUNCTION tree_of(id text, OUT tree_id text, OUT since timestamptz)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET jit = off AS $$
DECLARE
    hash CONSTANT text := split_part(id, '@', 1);  -- HASH@HEIGHT is a later execution
    from_times timestamptz[];
    to_times timestamptz[];
    day record;
BEGIN
    SELECT array_agg(d.from_time), array_agg(d.to_time) INTO from_times, to_times FROM days_of(ARRAY[hash, id]) d;
    FOR day IN SELECT * FROM unnest(from_times, to_times) AS d (from_time, to_time) LOOP
        SELECT t.tree_id, t.block_time INTO tree_id, since
        FROM transactions t
        WHERE t.tx_hash = hash AND (t.tx_hash = id OR t.tree_id = id) AND t.block_time BETWEEN day.from_time AND day.to_time
        ORDER BY t.block_time LIMIT 1;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
    FOR day IN SELECT * FROM unnest(from_times, to_times) AS d (from_time, to_time) LOOP
        tree_id := coalesce((SELECT r.tree_id FROM receipts r
                             WHERE r.receipt_id = id AND r.block_time BETWEEN day.from_time AND day.to_time LIMIT 1),
                            (SELECT r.tree_id FROM receipts r
                             WHERE r.tree_id = id AND r.block_time BETWEEN day.from_time AND day.to_time LIMIT 1));
        EXIT WHEN tree_id IS NOT NULL;
    END LOOP;
    IF tree_id IS NULL THEN
        RETURN;
    END IF;
    FOR day IN SELECT * FROM days_of(ARRAY[split_part(tree_id, '@', 1), tree_id]) LOOP
        since := least((SELECT min(t.block_time) FROM transactions t
                        WHERE t.tx_hash = split_part(tree_of.tree_id, '@', 1) AND t.tree_id = tree_of.tree_id
                          AND t.block_time BETWEEN day.from_time AND day.to_time),
                       (SELECT min(r.block_time) FROM receipts r
                        WHERE r.tree_id = tree_of.tree_id AND r.block_time BETWEEN day.from_time AND day.to_time));
        EXIT WHEN since IS NOT NULL;
    END LOOP;
END
$$;

-- The same for many transactions at once; those of which nothing is stored are left out.
CREATE OR REPLACE FUNCTION tree_starts(tx_hashes text[]) RETURNS TABLE (tx_hash text, since timestamptz)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET jit = off AS $$
DECLARE
    day record;
    found_hashes text[];
    found_times timestamptz[];
    missing text[] := tx_hashes;
BEGIN
    FOR day IN SELECT * FROM days_of(tx_hashes) LOOP
        EXIT WHEN cardinality(missing) = 0;
        SELECT array_agg(f.id), array_agg(f.at) INTO found_hashes, found_times
        FROM (SELECT t.tx_hash AS id, min(t.block_time) AS at FROM transactions t
              WHERE t.tx_hash = ANY (missing) AND t.block_time BETWEEN day.from_time AND day.to_time GROUP BY 1) f;
        RETURN QUERY SELECT * FROM unnest(found_hashes, found_times);
        missing := array(SELECT unnest(missing) EXCEPT SELECT unnest(found_hashes));
    END LOOP;
    -- Receipts of a transaction out of scope may be stored.
    FOR day IN SELECT * FROM days_of(missing) LOOP
        EXIT WHEN cardinality(missing) = 0;
        SELECT array_agg(f.id), array_agg(f.at) INTO found_hashes, found_times
        FROM (SELECT r.tree_id AS id, min(r.block_time) AS at FROM receipts r
              WHERE r.tree_id = ANY (missing) AND r.block_time BETWEEN day.from_time AND day.to_time GROUP BY 1) f;
        RETURN QUERY SELECT * FROM unnest(found_hashes, found_times);
        missing := array(SELECT unnest(missing) EXCEPT SELECT unnest(found_hashes));
    END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION transaction_result(id text) RETURNS SETOF transaction_results
LANGUAGE plpgsql STABLE ROWS 1 SET plan_cache_mode = force_custom_plan SET jit = off AS $$
DECLARE
    hash CONSTANT text := split_part(id, '@', 1);
    day record;
BEGIN
    FOR day IN SELECT * FROM days_of(ARRAY[hash]) LOOP
        RETURN QUERY SELECT * FROM transaction_results r
                     WHERE r.tx_hash = hash AND (id = hash OR r.tree_id = id)
                       AND r.block_time BETWEEN day.from_time AND day.to_time;
    END LOOP;
END
$$;

-- Rows of trees, of all executions of each, by tree_starts() and seven days from there. By index, whatever the planner thinks of a
-- partition that has no statistics yet: it would read all of it.
CREATE OR REPLACE FUNCTION tree_transactions(trees text[], since timestamptz, until timestamptz) RETURNS SETOF transactions
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    day record;
BEGIN
    FOR day IN SELECT * FROM days_of(trees, since, until) LOOP
        -- The index begins with the hash.
        RETURN QUERY SELECT * FROM transactions r
                     WHERE r.tx_hash = ANY (trees) AND r.block_time BETWEEN day.from_time AND day.to_time;
    END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION tree_receipts(trees text[], since timestamptz, until timestamptz) RETURNS SETOF receipts
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    names CONSTANT text[] := trees_of_hashes(trees);
    day record;
BEGIN
    FOR day IN SELECT * FROM days_of(names, since, until) LOOP
        RETURN QUERY SELECT * FROM receipts r
                     WHERE r.tree_id = ANY (names) AND r.block_time BETWEEN day.from_time AND day.to_time;
    END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION tree_data_receipts(trees text[], since timestamptz, until timestamptz) RETURNS SETOF data_receipts
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
    names CONSTANT text[] := trees_of_hashes(trees);
    day record;
BEGIN
    FOR day IN SELECT * FROM days_of(names, since, until) LOOP
        RETURN QUERY SELECT * FROM data_receipts r
                     WHERE r.tree_id = ANY (names) AND r.block_time BETWEEN day.from_time AND day.to_time;
    END LOOP;
END
$$;

-- Resumes by their data ids: they may be stored under names of their own.
CREATE OR REPLACE FUNCTION resumes_of(data_ids text[], since timestamptz, until timestamptz) RETURNS SETOF data_receipts
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET jit = off
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    day record;
BEGIN
    FOR day IN SELECT * FROM days_of(data_ids, since, until) LOOP
        RETURN QUERY SELECT r.* FROM unnest(data_ids) AS wanted JOIN data_receipts r ON r.data_id = wanted
                     WHERE r.is_promise_resume AND r.block_time BETWEEN day.from_time AND day.to_time;
    END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION receipt_tree(tx_hash text)
RETURNS TABLE (depth int, tree text, id text, parent_receipt_id text, role text, status text, failed boolean,
               leads_to_failure boolean, predecessor_id text, receiver_id text, method_name text,
               deposit numeric, error_class text, error_text text, result text, logs text[],
               block_height bigint, block_time timestamptz, shard_id bigint, gas_burnt bigint,
               tokens_burnt numeric, path int[])
LANGUAGE plpgsql STABLE ROWS 20 SET plan_cache_mode = force_custom_plan SET jit = off AS $$
DECLARE
    root record;
BEGIN
    SELECT * INTO root FROM tree_of(receipt_tree.tx_hash);
    IF root.tree_id IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
    WITH RECURSIVE own AS MATERIALIZED (
        SELECT r.* FROM tree_receipts(ARRAY[root.tree_id], root.since, root.since + interval '7 days') r
        WHERE r.tree_id = root.tree_id
    ), walk AS (
        SELECT o.receipt_id, ARRAY[(row_number() OVER (ORDER BY o.block_height, o.shard_id, o.index_in_chunk,
                                                                o.receipt_id))::int] AS path
        FROM own o
        WHERE o.parent_receipt_id IS NULL
           OR NOT EXISTS (SELECT FROM own p WHERE p.receipt_id = o.parent_receipt_id)
        UNION ALL
        SELECT o.receipt_id, w.path || coalesce(array_position(p.receipt_ids, o.receipt_id), 0)
        FROM walk w
        JOIN own p ON p.receipt_id = w.receipt_id
        JOIN own o ON o.parent_receipt_id = w.receipt_id
        WHERE cardinality(w.path) < 1000
    ), nodes AS (
        SELECT 0 AS depth, '{}'::int[] AS path, t.tx_hash AS id, NULL::text AS parent_receipt_id,
               'transaction'::text AS role, coalesce(t.status, 'unknown') AS status, t.signer_id AS predecessor_id,
               t.receiver_id, NULL::text AS method_name, NULL::numeric AS deposit, t.error_class, t.error_text,
               t.initial_receipt_id AS result, NULL::text[] AS logs, t.block_height, t.block_time, t.shard_id,
               t.gas_burnt, t.tokens_burnt
        FROM transactions t
        WHERE t.tx_hash = split_part(root.tree_id, '@', 1) AND t.tree_id = root.tree_id AND t.block_time = root.since
        UNION ALL
        SELECT cardinality(w.path), w.path, o.receipt_id, o.parent_receipt_id, coalesce(o.role, 'unknown'),
               o.status, o.predecessor_id, o.receiver_id, o.method_name, o.deposit, o.error_class, o.error_text,
               o.result, o.logs, o.block_height, o.block_time, o.shard_id, o.gas_burnt, o.tokens_burnt
        FROM walk w
        JOIN own o USING (receipt_id)
    )
    SELECT n.depth,
           repeat('  ', n.depth) || n.role || ' ' || n.receiver_id || coalesce('.' || n.method_name || '()', '')
               || CASE WHEN n.status = 'failure' THEN ' ✗ ' || coalesce(n.error_class, 'failed') ELSE '' END,
           n.id, n.parent_receipt_id, n.role, n.status, n.status = 'failure',
           EXISTS (SELECT FROM nodes f
                   WHERE f.status = 'failure' AND f.path[:cardinality(n.path)] = n.path),
           n.predecessor_id, n.receiver_id, n.method_name, n.deposit, n.error_class, n.error_text, n.result,
           n.logs, n.block_height, n.block_time, n.shard_id, n.gas_burnt, n.tokens_burnt, n.path
    FROM nodes n
    ORDER BY n.path;
END
$$;
