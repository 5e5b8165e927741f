-- An id knows its days: see migrations/0007_ids.sql and docs/decisions/0059.

-- The columns by which rows are looked up without a time. Rows of events lie in the block of their receipt.
CREATE OR REPLACE FUNCTION id_columns() RETURNS TABLE (table_name text, columns text[]) LANGUAGE sql IMMUTABLE AS $$
    VALUES ('blocks', '{block_hash}'::text[]), ('transactions', '{tx_hash,tree_id}'), ('receipts', '{receipt_id,tree_id}'),
           ('data_receipts', '{data_id,receipt_id,tree_id}'), ('transaction_results', '{tx_hash,tree_id}'),
           ('findings', '{tree_id}')
$$;

CREATE OR REPLACE FUNCTION id_bucket(hash bigint, bits int) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ((hash >> (64 - bits)) & ((1::bigint << bits) - 1))::int
$$;

CREATE OR REPLACE FUNCTION id_key(hash bigint) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ((hash << 8) >> 32)::int
$$;

-- Buckets of 256 to 512 keys.
CREATE OR REPLACE FUNCTION id_bits(keys bigint) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT greatest(8, least(30, ceil(log(2, greatest(keys, 1) / 512.0))))::int
$$;

CREATE OR REPLACE FUNCTION hashes_now() RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT hashtextextended('an id', 0)
$$;

-- The times at which rows of these ids may lie, as a list of BETWEENs. One statement, so that it sees one state: whoever
-- put an id into a closed day has committed its addition with it.
CREATE OR REPLACE FUNCTION days_of(ids text[], since timestamptz DEFAULT '-infinity', until timestamptz DEFAULT 'infinity')
RETURNS TABLE (from_time timestamptz, to_time timestamptz) LANGUAGE plpgsql STABLE ROWS 4
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    first_day CONSTANT date := since AT TIME ZONE 'UTC';
    last_day CONSTANT date := until AT TIME ZONE 'UTC';
BEGIN
    RETURN QUERY
    WITH wanted AS MATERIALIZED (
        SELECT DISTINCT hashtextextended(id, 0) AS hash FROM unnest(ids) AS id WHERE id IS NOT NULL
    ), found (day) AS (
        SELECT r.from_day + entry.day
        FROM id_runs r
        CROSS JOIN wanted w
        JOIN id_buckets b ON b.run_id = r.run_id AND b.bucket = id_bucket(w.hash, r.bits)
        CROSS JOIN LATERAL unnest(b.keys, b.days) AS entry (key, day)
        WHERE r.state = 'whole' AND r.from_day <= last_day AND r.until_day > first_day
          AND id_key(w.hash) = ANY (b.keys) AND entry.key = id_key(w.hash)
        UNION
        SELECT a.day FROM wanted w JOIN id_additions a ON a.hash = w.hash
    ), times AS (
        SELECT coalesce(range_agg(tstzrange(f.day::timestamp AT TIME ZONE 'UTC', (f.day + 1)::timestamp AT TIME ZONE 'UTC')), '{}')
               + ('{(,)}' - coalesce((SELECT periods FROM closed_days WHERE hashed_as = hashes_now()), '{}')) AS all_of_them
        FROM found f
    )
    SELECT coalesce(lower(one), '-infinity'),
           CASE WHEN upper_inc(one) THEN upper(one) ELSE coalesce(upper(one) - interval '1 microsecond', 'infinity') END
    FROM times CROSS JOIN LATERAL unnest(times.all_of_them * tstzmultirange(tstzrange(since, until, '[]'))) AS one
    ORDER BY 1;
END
$$;

-- What lies in a closed day is added here as it comes. A trigger of each partition, as rows reach them by many ways.
DO $made$
BEGIN
    EXECUTE replace($function$
CREATE OR REPLACE FUNCTION note_late_ids() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    ids text[];
BEGIN
    CASE TG_ARGV[0]
        WHEN 'blocks' THEN ids := ARRAY[NEW.block_hash];
        WHEN 'transactions', 'transaction_results' THEN ids := ARRAY[NEW.tx_hash, NEW.tree_id];
        WHEN 'receipts' THEN ids := ARRAY[NEW.receipt_id, NEW.tree_id];
        WHEN 'data_receipts' THEN ids := ARRAY[NEW.data_id, NEW.receipt_id, NEW.tree_id];
        WHEN 'findings' THEN ids := ARRAY[NEW.tree_id];
    END CASE;
    INSERT INTO {home}.id_additions (hash, day)
    SELECT DISTINCT hashtextextended(id, 0), (NEW.block_time AT TIME ZONE 'UTC')::date FROM unnest(ids) AS id;
    RETURN NULL;
END
$$ $function$, '{home}', quote_ident(current_schema()));
END
$made$;

DO $made$
BEGIN
    EXECUTE replace($function$
CREATE OR REPLACE FUNCTION id_partitions() RETURNS TABLE (table_name text, columns text[], part regclass, period tstzrange)
LANGUAGE sql STABLE AS $$
    SELECT table_name, ids.columns, history.part, history.period
    FROM {home}.id_columns() AS ids JOIN {home}.history_partitions() AS history USING (table_name)
$$ $function$, '{home}', quote_ident(current_schema()));
END
$made$;
