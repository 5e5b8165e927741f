-- Three roles: the owner of the database migrates it; receiptd_daemon writes and reads; the readers'
-- role (receiptd_readonly unless configured otherwise) reads. Both are groups without login:
--     CREATE ROLE grafana LOGIN PASSWORD '…' IN ROLE receiptd_readonly;
--     CREATE ROLE follower LOGIN PASSWORD '…' IN ROLE receiptd_daemon;
-- They are made here if the owner may do that; else a superuser makes them once and `receiptd migrate`
-- grants them their rights on its next run.
DO $$
DECLARE
    home text := current_schema();
    reader text := coalesce(nullif(current_setting('receiptd.readonly_role', true), ''), 'receiptd_readonly');
    group_role text;
    relation text;
BEGIN
    -- Who makes or drops partitions meanwhile changes the same rows of the catalog: "tuple concurrently updated".
    PERFORM pg_advisory_xact_lock(hashtextextended('receiptd partitions', 0));
    FOREACH group_role IN ARRAY ARRAY[reader, 'receiptd_daemon'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = group_role) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', group_role);
            EXCEPTION
                WHEN insufficient_privilege THEN
                    RAISE NOTICE 'role % does not exist and % may not create it', group_role, current_user;
                WHEN duplicate_object OR unique_violation THEN
                    NULL;  -- another database of this server made it just now
            END;
        END IF;
    END LOOP;

    REVOKE EXECUTE ON FUNCTION make_partitions(timestamptz, timestamptz) FROM PUBLIC;
    REVOKE EXECUTE ON FUNCTION retire_partitions(timestamptz) FROM PUBLIC;

    FOREACH group_role IN ARRAY ARRAY[reader, 'receiptd_daemon'] LOOP
        CONTINUE WHEN NOT EXISTS (SELECT FROM pg_roles WHERE rolname = group_role);
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', home, group_role);
        FOR relation IN
            SELECT c.relname FROM pg_class c
            WHERE c.relnamespace = home::regnamespace AND c.relkind IN ('r', 'p', 'v')
              AND pg_get_userbyid(c.relowner) = current_user
        LOOP
            EXECUTE format('GRANT SELECT ON %I.%I TO %I', home, relation, group_role);
        END LOOP;
        EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %I GRANT SELECT ON TABLES TO %I', home, group_role);
    END LOOP;

    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'receiptd_daemon') THEN
        FOR relation IN SELECT * FROM history_tables() LOOP
            EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %I.%I TO receiptd_daemon', home, relation);
        END LOOP;
        FOREACH relation IN ARRAY ARRAY['chain_identity', 'coverage', 'unavailable_heights', 'backfills',
                                        'pending_trees', 'orphan_receipts', 'unplaced_receipts', 'watches',
                                        'watch_transitions', 'stream_events', 'endpoints', 'alerts', 'deliveries',
                                        'daemons', 'followed_accounts', 'leader', 'pending_seams', 'late_trees',
                                        'alert_rules', 'alert_rule_versions', 'alert_rule_state', 'account_lists',
                                        'listed_accounts', 'endpoint_rules', 'timed_rules', 'timed_successes',
                                        'timed_episodes', 'silences', 'alert_groups',
                                        'endpoint_load'] LOOP
            EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %I.%I TO receiptd_daemon', home, relation);
        END LOOP;
        EXECUTE format('GRANT USAGE ON SEQUENCE %I.alert_places TO receiptd_daemon', home);
        GRANT EXECUTE ON FUNCTION make_partitions(timestamptz, timestamptz) TO receiptd_daemon;
        GRANT EXECUTE ON FUNCTION retire_partitions(timestamptz) TO receiptd_daemon;
    END IF;
END
$$;

-- Compiling a question over hundreds of partitions takes seconds, answering it milliseconds.
DO $$
BEGIN
    EXECUTE format('ALTER DATABASE %I SET jit = off', current_database());
EXCEPTION
    WHEN insufficient_privilege THEN NULL;  -- the owner of the tables does not own the database
END
$$;
