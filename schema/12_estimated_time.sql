-- The time of a height that is not there yet, by the rhythm of the last hour; NULL: 0, or farther than months away.
CREATE OR REPLACE FUNCTION estimated_time(height bigint) RETURNS timestamptz
LANGUAGE sql STABLE STRICT SET search_path FROM CURRENT AS $$
    SELECT last.block_time + (last.block_time - earlier.block_time)
               * ((height - last.block_height)::float8 / (last.block_height - earlier.block_height))
    FROM (SELECT block_height, block_time FROM blocks ORDER BY block_time DESC LIMIT 1) AS last,
    LATERAL (
        SELECT block_height, block_time FROM blocks
        WHERE block_time > last.block_time - interval '1 hour' ORDER BY block_time LIMIT 1
    ) AS earlier
    WHERE height > 0 AND height - last.block_height < 20000000 AND last.block_height > earlier.block_height
$$;
