-- How a day is closed (docs/decisions/0059): when it is over, its partitions get their triggers in one transaction, and
-- its ids become a run in a later one. Whoever wrote before the triggers were there is over by then, and is seen by the
-- scan; whoever writes later adds its ids itself. Killed between the two, a day is still open. Owner's rights and names
-- in full, as for make_partitions(); only one session at a time does any of it.

DO $made$
DECLARE
    home CONSTANT text := quote_ident(current_schema());
    definition text;
BEGIN
    FOREACH definition IN ARRAY ARRAY[
$function$
CREATE OR REPLACE FUNCTION days_to_close(before_time timestamptz) RETURNS TABLE (from_time timestamptz, bytes bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
    SELECT lower(p.period), sum(pg_relation_size(p.part))::bigint
    FROM {home}.id_partitions() AS p
    WHERE upper(p.period) <= before_time AND isfinite(lower(p.period))
      AND NOT EXISTS (SELECT FROM {home}.closed_days WHERE hashed_as = {home}.hashes_now() AND periods @> p.period)
    GROUP BY p.period
    ORDER BY 1
$$ $function$,

-- A trigger that somebody has disabled counts for nothing.
$function$
CREATE OR REPLACE FUNCTION notes_late_ids(part regclass) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = part AND tgfoid = '{home}.note_late_ids()'::regprocedure
                   AND tgenabled = 'A')
$$ $function$,

-- Waits for whoever writes into these partitions, and nobody else.
$function$
CREATE OR REPLACE FUNCTION guard_day(from_time timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    one record;
BEGIN
    PERFORM FROM {home}.locks WHERE name = 'days' FOR UPDATE;
    FOR one IN SELECT * FROM {home}.id_partitions() AS p
               WHERE lower(p.period) = from_time AND NOT {home}.notes_late_ids(p.part) LOOP
        EXECUTE format('CREATE OR REPLACE TRIGGER note_late_ids AFTER INSERT OR UPDATE OF %s, block_time ON %s '
                       'FOR EACH ROW EXECUTE FUNCTION {home}.note_late_ids(%L)',
                       array_to_string(one.columns, ', '), one.part, one.table_name);
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER note_late_ids', one.part);
    END LOOP;
END
$$ $function$,

-- Returns how many ids it has; NULL: it has not its triggers, or a partition came or went meanwhile: to be rolled back. What
-- the triggers' own transaction committed is seen by the statements after the one that sees the triggers. Retention may have
-- dropped some of the partitions; one that is made anew opens the day (make_partitions).
$function$
CREATE OR REPLACE FUNCTION close_day(from_time timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET work_mem = '64MB' SET jit = off AS $$
DECLARE
    day record;
    ids bigint;
BEGIN
    PERFORM FROM {home}.locks WHERE name = 'days' FOR UPDATE;
    SELECT p.period, count(*) AS parts, string_agg(format('SELECT unnest(ARRAY[%s]) AS id, block_time FROM %s',
                                       array_to_string(p.columns, ', '), p.part), ' UNION ALL ') AS all_rows INTO day
    FROM {home}.id_partitions() AS p WHERE lower(p.period) = from_time
    GROUP BY p.period HAVING bool_and({home}.notes_late_ids(p.part));
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    EXECUTE 'WITH ids AS MATERIALIZED ('
            '  SELECT DISTINCT hashtextextended(id, 0) AS hash, (block_time AT TIME ZONE ''UTC'')::date AS day'
            '  FROM (' || day.all_rows || ') AS every WHERE id IS NOT NULL'
            '), run AS ('
            '  INSERT INTO {home}.id_runs (run_id, level, from_day, until_day, bits, keys, state)'
            '  SELECT (SELECT coalesce(max(run_id), 0) + 1 FROM {home}.id_runs), 0, $1, $2, {home}.id_bits(count(*)), count(*),'
            '    ''whole'' FROM ids HAVING count(*) > 0 RETURNING *'
            '), filled AS ('
            '  INSERT INTO {home}.id_buckets (run_id, bucket, keys, days)'
            '  SELECT run.run_id, {home}.id_bucket(hash, run.bits), array_agg({home}.id_key(hash)),'
            '    array_agg((day - run.from_day)::smallint) FROM ids CROSS JOIN run GROUP BY 1, 2 ORDER BY 2'
            ') SELECT coalesce(sum(keys), 0) FROM run'
    INTO ids USING lower(day.period)::date, upper(day.period)::date;
    PERFORM FROM {home}.locks WHERE name = 'partitions' FOR UPDATE;
    IF (SELECT count(*) <> day.parts OR NOT bool_and(p.period = day.period AND {home}.notes_late_ids(p.part))
        FROM {home}.id_partitions() AS p WHERE p.period && day.period) THEN
        RETURN NULL;
    END IF;
    INSERT INTO {home}.closed_days AS known (periods, hashed_as) VALUES (tstzmultirange(day.period), {home}.hashes_now())
    ON CONFLICT (only_row) DO UPDATE SET hashed_as = excluded.hashed_as, periods = excluded.periods
        + CASE WHEN known.hashed_as = excluded.hashed_as THEN known.periods ELSE '{}' END;
    RETURN ids;
END
$$ $function$,

-- Tidies one closed partition and returns it; NULL: all are. Its statistics are made here. What is left to vacuum and to
-- freeze is left to autovacuum, which paces itself: VACUUM runs in no function, and the daemon's role owns no table.
-- These settings tell, too, that it was done.
$function$
CREATE OR REPLACE FUNCTION tidy_partition() RETURNS regclass
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    done CONSTANT text := 'autovacuum_vacuum_insert_scale_factor=0';
    untidy regclass;
BEGIN
    PERFORM FROM {home}.locks WHERE name = 'days' FOR UPDATE;
    SELECT h.part INTO untidy
    FROM {home}.history_partitions() AS h JOIN pg_class c ON c.oid = h.part JOIN {home}.closed_days ON periods @> h.period
    WHERE NOT isempty(h.period) AND done <> ALL (coalesce(c.reloptions, '{}'))
    ORDER BY lower(h.period), h.part LIMIT 1;
    IF FOUND THEN
        EXECUTE format('ANALYZE %s', untidy);
        EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_insert_threshold = 1000, %s)', untidy, done);
    END IF;
    RETURN untidy;
END
$$ $function$,

-- Days of which a partition has no trigger count as open again: it was attached by hand, or this was the subscriber of a
-- logical replication, which has the rows of closed_days and not the triggers. Returns whether there were any.
$function$
CREATE OR REPLACE FUNCTION reopen_unguarded_days() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    open tstzmultirange;
BEGIN
    SELECT range_agg(p.period) INTO open FROM {home}.id_partitions() AS p WHERE NOT {home}.notes_late_ids(p.part);
    UPDATE {home}.closed_days SET periods = periods - open WHERE periods && open;
    RETURN FOUND;
END
$$ $function$,

-- Ids of days before the oldest partition are of no use any more. Days without ids are open: a partition of them may be
-- attached again.
$function$
CREATE OR REPLACE FUNCTION forget_ids() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    oldest timestamptz;
BEGIN
    PERFORM FROM {home}.locks WHERE name = 'days' FOR UPDATE;
    SELECT min(lower(period)) INTO oldest FROM {home}.id_partitions();
    IF oldest IS NOT NULL THEN
        UPDATE {home}.closed_days SET periods = periods - tstzmultirange(tstzrange(NULL, oldest))
        WHERE periods && tstzrange(NULL, oldest);
        UPDATE {home}.id_runs SET state = 'gone' WHERE state = 'whole' AND merged_into IS NULL AND until_day <= oldest::date;
        DELETE FROM {home}.id_additions WHERE day < oldest::date;
    END IF;
END
$$ $function$,

-- Takes one step, of about a million keys, towards fewer runs. False: there is none to take.
$function$
CREATE OR REPLACE FUNCTION merge_ids() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET work_mem = '64MB' SET jit = off
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    at_once CONSTANT bigint := 1000000;
    fewest_additions CONSTANT bigint := 50000;
    together CONSTANT int := 8;
    run record;
    parts bigint;  -- the buckets of the source that has the fewest
    until_part bigint;
BEGIN
    PERFORM FROM {home}.locks WHERE name = 'days' FOR UPDATE;

    SELECT r.*, (SELECT least(r.bits, min(s.bits)) FROM {home}.id_runs s WHERE s.merged_into = r.run_id) AS part_bits INTO run
    FROM {home}.id_runs r WHERE r.state = 'growing' LIMIT 1;
    IF FOUND THEN
        parts := 1::bigint << run.part_bits;
        until_part := least(parts, run.next_part + greatest(1, parts * at_once / run.keys));
        INSERT INTO {home}.id_buckets (run_id, bucket, keys, days)
        SELECT run.run_id, (entry.place >> (40 - run.bits))::int, array_agg(entry.key), array_agg(entry.day)
        FROM (SELECT ((b.bucket >> (s.bits - 8))::bigint << 32) | (e.key & 4294967295) AS place, e.key,
                     (s.from_day - run.from_day + e.day)::smallint AS day
              FROM {home}.id_runs s
              JOIN {home}.id_buckets b ON b.run_id = s.run_id AND b.bucket >= run.next_part << (s.bits - run.part_bits)
                                      AND b.bucket < until_part << (s.bits - run.part_bits)
              CROSS JOIN LATERAL unnest(b.keys, b.days) AS e (key, day)
              WHERE s.merged_into = run.run_id) AS entry
        GROUP BY 2 ORDER BY 2;
        IF until_part < parts THEN
            UPDATE {home}.id_runs SET next_part = until_part WHERE run_id = run.run_id;
        ELSE
            UPDATE {home}.id_runs SET state = 'whole', next_part = NULL WHERE run_id = run.run_id;
            UPDATE {home}.id_runs SET state = 'gone' WHERE merged_into = run.run_id;
        END IF;
        RETURN true;
    END IF;

    SELECT run_id INTO run FROM {home}.id_runs WHERE state = 'gone' LIMIT 1;
    IF FOUND THEN
        DELETE FROM {home}.id_buckets WHERE run_id = run.run_id AND bucket < (
            SELECT coalesce(max(bucket), 0) + 1 FROM (SELECT bucket FROM {home}.id_buckets WHERE run_id = run.run_id
                                                      ORDER BY bucket LIMIT at_once / 256) AS first);
        DELETE FROM {home}.id_runs r WHERE r.run_id = run.run_id
            AND NOT EXISTS (SELECT FROM {home}.id_buckets b WHERE b.run_id = r.run_id);
        RETURN true;
    END IF;

    IF (SELECT count(*) >= fewest_additions FROM (SELECT FROM {home}.id_additions LIMIT fewest_additions) AS first) THEN
        WITH moved AS (
            DELETE FROM {home}.id_additions WHERE addition_id IN (
                SELECT addition_id FROM {home}.id_additions ORDER BY addition_id LIMIT at_once) RETURNING hash, day
        ), ids AS MATERIALIZED (
            SELECT DISTINCT hash, day FROM moved
        ), made AS (
            INSERT INTO {home}.id_runs (run_id, level, from_day, until_day, bits, keys, state)
            SELECT (SELECT coalesce(max(run_id), 0) + 1 FROM {home}.id_runs), 0, min(day), max(day) + 1,
                   {home}.id_bits(count(*)), count(*), 'whole' FROM ids RETURNING *
        )
        INSERT INTO {home}.id_buckets (run_id, bucket, keys, days)
        SELECT made.run_id, {home}.id_bucket(hash, made.bits), array_agg({home}.id_key(hash)),
               array_agg((day - made.from_day)::smallint)
        FROM ids CROSS JOIN made GROUP BY 1, 2 ORDER BY 2;
        RETURN true;
    END IF;

    SELECT level INTO run FROM {home}.id_runs WHERE state = 'whole' GROUP BY level HAVING count(*) >= together
    ORDER BY level LIMIT 1;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    WITH sources AS (
        SELECT * FROM {home}.id_runs WHERE state = 'whole' AND level = run.level ORDER BY from_day, run_id LIMIT together
    ), target AS (
        INSERT INTO {home}.id_runs (run_id, level, from_day, until_day, bits, keys, state, next_part)
        SELECT (SELECT max(run_id) + 1 FROM {home}.id_runs), run.level + 1, min(from_day), max(until_day),
               {home}.id_bits(sum(keys)::bigint), sum(keys), 'growing', 0 FROM sources RETURNING run_id
    )
    UPDATE {home}.id_runs r SET merged_into = target.run_id FROM target WHERE r.run_id IN (SELECT run_id FROM sources);
    RETURN true;
END
$$ $function$]
    LOOP
        EXECUTE replace(definition, '{home}', home);
    END LOOP;
END
$made$;
