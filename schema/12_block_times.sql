-- When blocks were made, without a look into all partitions (block_marks).

-- Between these times lie all stored blocks of these heights, both included.
CREATE OR REPLACE FUNCTION times_of_heights(from_height bigint, to_height bigint)
RETURNS TABLE (from_time timestamptz, to_time timestamptz) LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT coalesce((SELECT block_time FROM block_marks WHERE block_height <= from_height ORDER BY block_height DESC LIMIT 1),
                    '-infinity'),
           coalesce((SELECT block_time FROM block_marks WHERE block_height >= to_height ORDER BY block_height LIMIT 1),
                    'infinity')
$$;

-- The nearest stored blocks. Retention and the removal of blocks may have emptied the days of some marks.
CREATE OR REPLACE FUNCTION block_above(height bigint) RETURNS TABLE (block_height bigint, block_time timestamptz)
LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    since timestamptz := (SELECT from_time FROM times_of_heights(height, height));
    until timestamptz;
BEGIN
    FOR until IN (SELECT m.block_time FROM block_marks m WHERE m.block_height > height ORDER BY m.block_height)
            UNION ALL SELECT 'infinity' LOOP
        RETURN QUERY SELECT b.block_height, b.block_time FROM blocks b
        WHERE b.block_height > height AND b.block_time BETWEEN since AND until ORDER BY b.block_height LIMIT 1;
        EXIT WHEN FOUND;
        since := until;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION block_below(height bigint) RETURNS TABLE (block_height bigint, block_time timestamptz)
LANGUAGE plpgsql STABLE ROWS 1 SET search_path FROM CURRENT SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    since timestamptz;
    until timestamptz := (SELECT to_time FROM times_of_heights(height, height));
BEGIN
    FOR since IN (SELECT m.block_time FROM block_marks m WHERE m.block_height < height ORDER BY m.block_height DESC)
            UNION ALL SELECT '-infinity' LOOP
        RETURN QUERY SELECT b.block_height, b.block_time FROM blocks b
        WHERE b.block_height < height AND b.block_time BETWEEN since AND until ORDER BY b.block_height DESC LIMIT 1;
        EXIT WHEN FOUND;
        until := since;
    END LOOP;
END $$;

-- NULL: no block is stored.
CREATE OR REPLACE FUNCTION newest_block_time() RETURNS timestamptz LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT block_time FROM block_below(9223372036854775807)
$$;

CREATE OR REPLACE FUNCTION oldest_block_time() RETURNS timestamptz LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT block_time FROM block_above(-1)
$$;

-- The time of a height that is not there yet, by the rhythm of the last hour; NULL: 0, or farther than months away.
CREATE OR REPLACE FUNCTION estimated_time(height bigint) RETURNS timestamptz LANGUAGE plpgsql STABLE STRICT
SET search_path FROM CURRENT SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    last record;
    since timestamptz;
BEGIN
    SELECT * INTO last FROM block_below(9223372036854775807);
    since := last.block_time - interval '1 hour';
    RETURN (
        SELECT last.block_time + (last.block_time - earlier.block_time)
                   * ((height - last.block_height)::float8 / (last.block_height - earlier.block_height))
        FROM (SELECT block_height, block_time FROM blocks WHERE block_time > since AND block_time <= last.block_time
              ORDER BY block_time LIMIT 1) AS earlier
        WHERE height > 0 AND height - last.block_height < 20000000 AND last.block_height > earlier.block_height
    );
END $$;
