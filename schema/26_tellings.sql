-- What people were told of findings, and what was taken back of it.

-- The first telling has the id of its finding, the n-th one that id and ":n".
CREATE OR REPLACE FUNCTION finding_of(told alerts) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN told.telling = 1 THEN told.alert_id ELSE left(told.alert_id, -length(':' || told.telling::text)) END
$$;

CREATE OR REPLACE FUNCTION last_telling(finding text) RETURNS SETOF alerts LANGUAGE plpgsql STABLE ROWS 1 AS $$
BEGIN
    RETURN QUERY SELECT * FROM alerts
                 WHERE alert_id = finding OR (alert_id > finding || ':' AND alert_id < finding || ';')
                 ORDER BY telling DESC LIMIT 1;
END
$$;

-- How many corrections of this cause were written: a finding's id, or final:<tx_hash> of a watch. With `truth`: of
-- those that say so.
CREATE OR REPLACE FUNCTION corrections_of(cause text, tree text, truth text DEFAULT '') RETURNS bigint
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET jit = off AS $$
DECLARE
    id CONSTANT text := 'corrected:' || cause || CASE WHEN truth = '' THEN '' ELSE ':' || truth END;
    day record;
    count bigint := 0;
BEGIN
    FOR day IN SELECT * FROM days_of(ARRAY[tree]) LOOP
        count := count + (SELECT count(*) FROM findings f WHERE f.tree_id = tree AND f.kind = 'corrected'
                          AND f.finding_id > id || ':' AND f.finding_id < id || ';'
                          AND f.block_time BETWEEN day.from_time AND day.to_time);
    END LOOP;
    RETURN count;
END
$$;

-- Counted from 1. NULL: it was told, and nobody has taken that back.
CREATE OR REPLACE FUNCTION next_telling(finding text, tree text) RETURNS int LANGUAGE plpgsql STABLE AS $$
DECLARE
    last int := (SELECT telling FROM last_telling(finding));
BEGIN
    IF last IS NULL THEN
        RETURN 1;
    END IF;
    RETURN CASE WHEN corrections_of(finding, tree, 'gone') >= last THEN last + 1 END;
END
$$;

-- alerts.place: one number of the sequence for each statement that makes alerts, which counts on from it. A statement
-- that writes alerts holds a lock on the table before it draws a number, and until its transaction ends. Only roles that
-- may write alerts can hold one of that kind. The sequence is read before the locks: a transaction that drew a smaller
-- place and is not over is among the makers.
CREATE OR REPLACE FUNCTION drawn_alert_places(OUT below bigint, OUT makers text[]) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    below := coalesce(pg_sequence_last_value('alert_places'), 0) + 1000000;
    makers := array(SELECT virtualtransaction FROM pg_locks
                    WHERE locktype = 'relation' AND relation = 'alerts'::regclass AND granted AND mode <> 'AccessShareLock'
                      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                      AND pid IS DISTINCT FROM pg_backend_pid());
END
$$;
