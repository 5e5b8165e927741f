-- Files of schema/ are applied again, all in one transaction, whenever one of them changed. Views and functions are
-- replaced in place, so that what people built on them stays and rights are kept: columns only ever grow, at the end. A
-- migration drops what must change its shape.

CREATE OR REPLACE FUNCTION history_tables() RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
    SELECT unnest(ARRAY['blocks', 'chunks', 'transactions', 'receipts', 'data_receipts', 'events',
                         'transaction_results', 'findings', 'global_contract_distributions'])
$$;

-- Which of two times is that of a history table. What became of transactions is small, and kept longer than what proves it.
CREATE OR REPLACE FUNCTION past_retention(history text, receipts_before timestamptz, results_before timestamptz)
RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN history IN ('transaction_results', 'findings') THEN results_before ELSE receipts_before END
$$;

-- A table without a primary key cannot be written once a publication has it (CREATE PUBLICATION … FOR ALL TABLES), unless
-- its rows are told apart by an index that is there already, or by all of their columns (docs/decisions/0050).
CREATE OR REPLACE FUNCTION identify_rows(one regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    index_name name;
BEGIN
    SELECT c.relname INTO index_name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = one AND i.indisunique AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL
      AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = one AND attnum = ANY (i.indkey) AND NOT attnotnull)
    ORDER BY i.indnkeyatts, c.relname LIMIT 1;
    EXECUTE format('ALTER TABLE %s REPLICA IDENTITY %s', one,
                   CASE WHEN index_name IS NULL THEN 'FULL' ELSE format('USING INDEX %I', index_name) END);
END
$$;

-- Tables that are there; what somebody has set stays.
SELECT identify_rows(t.oid) FROM pg_class t
WHERE t.relkind IN ('r', 'p') AND t.relreplident = 'd'
  AND (t.relnamespace, t.relowner) = (SELECT relnamespace, relowner FROM pg_class WHERE oid = 'chain_identity'::regclass)
  AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = t.oid AND indisprimary);

-- All partitions with the times that they hold: empty for one of DEFAULT, infinite for one of MINVALUE or MAXVALUE. Bounds
-- are "FOR VALUES FROM ('TIME') TO ('TIME')"; regular expressions took five times as long. Names are in full, for
-- functions that look them up elsewhere.
DO $made$
BEGIN
    EXECUTE replace($function$
CREATE OR REPLACE FUNCTION history_partitions() RETURNS TABLE (table_name text, part regclass, period tstzrange)
LANGUAGE sql STABLE AS $$
    SELECT parent.relname::text, part.oid::regclass,
           CASE bound.text WHEN 'DEFAULT' THEN 'empty'
               ELSE tstzrange(split_part(bound.text, '''', 2)::timestamptz, split_part(bound.text, '''', 4)::timestamptz) END
    FROM pg_inherits
    JOIN pg_class parent ON parent.oid = inhparent
    JOIN pg_class part ON part.oid = inhrelid AND part.relkind = 'r'
    CROSS JOIN LATERAL (
        SELECT replace(replace(pg_get_expr(part.relpartbound, part.oid), 'MINVALUE', '''-infinity'''), 'MAXVALUE', '''infinity''')
               AS text OFFSET 0) bound
    WHERE parent.relnamespace = '{home}'::regnamespace AND parent.relname IN (SELECT {home}.history_tables())
$$ $function$, '{home}', quote_ident(current_schema()));
END
$made$;

CREATE OR REPLACE VIEW partitions AS
SELECT history.table_name,
       part.relname::text AS partition_name,
       lower(history.period) AS from_time,
       upper(history.period) AS until_time,
       greatest(part.reltuples, 0)::bigint AS rows_estimated,
       pg_table_size(part.oid) AS table_bytes,
       pg_indexes_size(part.oid) AS index_bytes
FROM history_partitions() history
JOIN pg_class part ON part.oid = history.part
ORDER BY 3, 1;

-- How wide partitions are made where nobody has said so. A day is wide enough where it is large; a table of small days has
-- fewer than 400 weeks or months in five years. A size between two widths changes nothing, so that it does not go to and fro.
CREATE OR REPLACE FUNCTION automatic_width(now text, bytes_a_day numeric) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN bytes_a_day IS NULL THEN now
                WHEN bytes_a_day >= CASE now WHEN 'day' THEN 1e9 ELSE 2e9 END THEN 'day'
                WHEN bytes_a_day >= CASE now WHEN 'month' THEN 2e8 ELSE 1e8 END THEN 'week'
                ELSE 'month' END
$$;

-- The most of the newest four closed partitions with blocks: one of them may be filled in part. NULL: there is none.
DO $made$
BEGIN
    EXECUTE replace($function$
CREATE OR REPLACE FUNCTION bytes_a_day() RETURNS numeric LANGUAGE sql STABLE AS $$
    WITH newest AS (
        SELECT period FROM {home}.history_partitions(), {home}.closed_days
        WHERE table_name = 'blocks' AND periods @> period AND pg_relation_size(part) > 0
        ORDER BY lower(period) DESC LIMIT 4
    ), sizes AS (
        SELECT sum(pg_total_relation_size(part)) * 86400 / extract(epoch FROM upper(period) - lower(period)) AS bytes
        FROM newest JOIN {home}.history_partitions() USING (period) GROUP BY period
    )
    SELECT round(max(bytes)) FROM sizes
$$ $function$, '{home}', quote_ident(current_schema()));
END
$made$;

-- Makes the partitions of all history tables that hold the times from_time to until_time, for ten widths at most. One is
-- as wide as chain_identity says, and ends where another one of any table begins, so that all tables have the same. It
-- is made beside its table and then attached: that waits for nobody who reads or writes, and makes nobody wait (CREATE
-- TABLE … PARTITION OF would stop both). Owner's rights, so that the daemon's role needs none: names are looked up in
-- pg_catalog alone, as nobody's objects may be called with these rights.
DO $made$
BEGIN
    EXECUTE replace($function$
CREATE OR REPLACE FUNCTION make_partitions(from_time timestamptz, until_time timestamptz) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    identity record;
    width interval;
    tables text[];
    periods tstzrange[];
    there text[];
    cell tstzrange;  -- the times that one partition of each table holds
    at timestamptz := from_time;
    history text;
    part text;
    made int := 0;
BEGIN
    PERFORM FROM {home}.locks WHERE name = 'partitions' FOR UPDATE;
    SELECT partition_width AS before, CASE WHEN width_is_automatic THEN {home}.automatic_width(partition_width, {home}.bytes_a_day())
                                           ELSE partition_width END AS now
    INTO identity FROM {home}.chain_identity;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the database does not know its chain yet (chain_identity is empty)';
    END IF;
    width := '1 ' || identity.now;
    IF date_trunc(identity.now, from_time) + 10 * width <= until_time THEN
        RAISE EXCEPTION 'make_partitions makes 10 partitions of each table at most, not all from % to %', from_time, until_time;
    END IF;
    SELECT array_agg(h.table_name), array_agg(h.period) INTO tables, periods FROM {home}.history_partitions() AS h;
    WHILE at <= until_time LOOP
        SELECT coalesce(range_intersect_agg(h.period) FILTER (WHERE h.period @> at),
                        tstzrange(date_trunc(identity.now, at), date_trunc(identity.now, at) + width))
                 * tstzrange(greatest(upper(cell), max(upper(h.period)) FILTER (WHERE upper(h.period) <= at)),
                             min(lower(h.period)) FILTER (WHERE lower(h.period) > at)),
               coalesce(array_agg(h.table_name) FILTER (WHERE h.period @> at), '{}')
        INTO cell, there FROM unnest(tables, periods) AS h (table_name, period);
        FOR history IN SELECT name FROM {home}.history_tables() AS name WHERE name <> ALL (there) LOOP
            part := format('receiptd_partitions.%I', format('%s_p%s', history, to_char(lower(cell), 'YYYYMMDD')));
            EXECUTE format('CREATE TABLE %s (LIKE {home}.%I INCLUDING ALL) WITH (autovacuum_freeze_min_age = 0, '
                           'autovacuum_vacuum_insert_threshold = 500000, autovacuum_analyze_scale_factor = 0.05)', part, history);
            PERFORM {home}.identify_rows(part::regclass);
            EXECUTE format('ALTER TABLE {home}.%I ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
                           history, part, lower(cell), upper(cell));
            EXECUTE format('COMMENT ON TABLE %s IS %L', part,
                           format('%s from %s to before %s (UTC); ask %s instead, with a block_time',
                                  history, lower(cell)::date, upper(cell)::date, history));
            -- PostgreSQL names the row that is there twice only to those who may read the partition.
            IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'receiptd_daemon') THEN
                EXECUTE format('GRANT SELECT ON %s TO receiptd_daemon', part);
            END IF;
            made := made + 1;
        END LOOP;
        IF cardinality(there) < (SELECT count(*) FROM {home}.history_tables()) THEN
            -- Nothing is known of new partitions' rows, whatever was known of such a day before.
            UPDATE {home}.closed_days AS known SET periods = known.periods - tstzmultirange(cell) WHERE known.periods && cell;
        END IF;
        at := upper(cell);
    END LOOP;
    IF made > 0 AND identity.now <> identity.before THEN
        UPDATE {home}.chain_identity SET partition_width = identity.now;
    END IF;
    RETURN made;
END
$$ $function$, '{home}', quote_ident(current_schema()));
END
$made$;

-- Drops one partition whose times are all before the time of its table (NULL: none is dropped): of the oldest set, and the
-- blocks of a set last. Returns its name; nothing when nothing is old enough. One at a time: dropping waits for every reader
-- of the whole table, and everybody else waits behind it. What coverage says of their heights stays.
DO $made$
BEGIN
    EXECUTE replace($function$
CREATE OR REPLACE FUNCTION retire_partitions(receipts_before timestamptz, results_before timestamptz) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    old record;
BEGIN
    PERFORM FROM {home}.locks WHERE name = 'partitions' FOR UPDATE;
    SELECT table_name, part, upper(period) AS until_time, relname::text AS name INTO old
    FROM {home}.history_partitions() JOIN pg_class ON oid = part
    WHERE upper(period) <= {home}.past_retention(table_name, receipts_before, results_before)
    ORDER BY lower(period), array_position(array(SELECT {home}.history_tables()), table_name) DESC LIMIT 1;
    IF FOUND THEN
        INSERT INTO {home}.pruned AS p (table_name, before_time) VALUES (old.table_name, old.until_time)
        ON CONFLICT (table_name) DO UPDATE SET before_time = greatest(p.before_time, excluded.before_time);
        EXECUTE format('DROP TABLE %s', old.part);
        RETURN NEXT old.name;
    END IF;
END
$$ $function$, '{home}', quote_ident(current_schema()));
END
$made$;
