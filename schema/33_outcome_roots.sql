-- The roots that the outcomes of a shard in a block may have, by the chunk headers above it (docs/decisions/0043).
CREATE OR REPLACE FUNCTION outcome_roots_above(of_shard bigint, shards bigint[], height bigint, at timestamptz,
    up_to bigint) RETURNS text[]
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    since CONSTANT timestamptz := at - interval '1 hour';
    until CONSTANT timestamptz := at + interval '1 hour';
    next_height bigint;
    next_root text;
    is_covered boolean;
    children text[];
BEGIN
    SELECT c.block_height, c.outcome_root, c.covered INTO next_height, next_root, is_covered FROM chunks c
    WHERE c.block_height > height AND c.block_height <= up_to AND c.shard_id = of_shard AND NOT c.missing
        AND c.block_time BETWEEN since AND until
    ORDER BY c.block_height LIMIT 1;
    IF next_height IS NULL AND NOT EXISTS (SELECT FROM chunks c
        WHERE c.shard_id = of_shard AND c.block_time BETWEEN since AND until
            AND c.block_height = (SELECT max(n.block_height) FROM chunks n
                WHERE n.block_height > height AND n.block_height <= up_to
                    AND n.block_time BETWEEN since AND until)) THEN
        -- The shard was split: the first new chunk of each child has the root. A child without one shows the parent.
        SELECT max(first.block_height), array_agg(first.outcome_root), bool_and(first.covered)
        INTO next_height, children, is_covered FROM (
            SELECT DISTINCT ON (c.shard_id) c.block_height, c.outcome_root, c.covered FROM chunks c
            WHERE c.block_height > height AND c.block_height <= up_to AND c.shard_id <> ALL (shards) AND NOT c.missing
                AND c.block_time BETWEEN since AND until
            ORDER BY c.shard_id, c.block_height) first;
    ELSIF next_height IS NOT NULL THEN
        children := ARRAY[next_root];
    END IF;
    -- A chunk of a height that is not stored may be nearer.
    IF next_height IS NULL
        OR NOT (SELECT heights @> int8range(height + 1, next_height, '[]') FROM coverage) THEN
        RETURN NULL;
    END IF;
    IF is_covered THEN
        RETURN children;
    END IF;
    RETURN '{}';
END $$;
COMMENT ON FUNCTION outcome_roots_above(bigint, bigint[], bigint, timestamptz, bigint) IS
    'The roots of which the outcomes of a shard, executed in the block at this height and time, have one: the outcome_root '
    'of the shard''s next new chunk, or, where the shard was split, of the first new chunks of its children. shards: all '
    'shards of that block. NULL: blocks up to up_to do not tell it yet. Empty: the hash of that block is not known to cover it.';
