-- Four roles: the owner of the tables migrates; receiptd_daemon follows; the readers' role (receiptd_readonly unless
-- configured otherwise) reads all but what is secret; receiptd_watcher adds watches. The last three are groups without
-- login:
--     CREATE ROLE grafana LOGIN PASSWORD '…' IN ROLE receiptd_readonly;
--     CREATE ROLE follower LOGIN PASSWORD '…' IN ROLE receiptd_daemon;
-- Roles are made here if the owner may do that; else a superuser makes them once and `receiptd migrate` grants them
-- their rights on its next run. Rights are compared with what is there, and only differences are written: the
-- catalogue does not grow when nothing has changed. docs/roles.md shows the outcome.
DO $$
DECLARE
    home CONSTANT text := current_schema();
    reader CONSTANT text := coalesce(nullif(current_setting('receiptd.readonly_role', true), ''), 'receiptd_readonly');
    -- Each table and view of receiptd, and what the daemon does with it beside reading: I(nsert), U(pdate), D(elete).
    owned CONSTANT text[] := ARRAY[
        'blocks ID', 'chunks ID', 'transactions IUD', 'receipts IUD', 'data_receipts IUD', 'events IUD',
        'transaction_results ID', 'findings IUD', 'global_contract_distributions ID',
        'chain_identity IU', 'database_identity IU', 'coverage IU', 'pruned', 'operator_skips I', 'unavailable_heights IUD', 'backfills IU', 'pending_trees IUD',
        'orphan_receipts IUD', 'unplaced_receipts IUD', 'pending_seams IUD', 'late_trees IUD', 'executions IUD',
        'daemons IUD', 'followed_accounts IUD', 'leader IU', 'expected_failures IUD',
        'watches IUD', 'watch_transitions ID', 'stream_events IUD',
        'endpoints IU', 'endpoint_rules ID', 'endpoint_load IU', 'alerts IUD', 'deliveries IU', 'alert_groups IUD',
        'silences IUD', 'alert_rules IUD', 'alert_rule_versions I', 'alert_rule_state U', 'account_lists IU',
        'listed_accounts IU', 'timed_rules IUD', 'timed_successes IUD', 'timed_episodes IUD', 'set_aside_rows IUD',
        'locks U', 'wanted_watches IUD', 'trace_outbox IUD', 'closed_days', 'id_runs', 'id_buckets', 'id_additions I', 'block_marks ID', 'schema_migrations', 'schema_objects',
        'partitions', 'gaps', 'account_coverage', 'skipped_heights', 'failed_receipts', 'failed_callbacks', 'handled_failures',
        'open_watches', 'stuck_watches', 'stage_latency', 'delegate_refusals', 'set_aside', 'executed_again'];
    -- Signed transactions, which anybody can send; keys that would answer for somebody else; and texts that repeat them.
    secret CONSTANT text[] := ARRAY[
        'watches signed_tx_base64', 'watches idempotency_key', 'stream_events body', 'alerts payload', 'alerts cause',
        'deliveries last_answer'];
    -- A watcher gives these columns.
    given CONSTANT text[] := ARRAY['watches tx_hash', 'watches sender_id'];
    former text[] := array(SELECT readonly_role FROM schema_objects WHERE readonly_role <> reader);
    roles text[];
    wanted jsonb[];
    one text;
    verb text;
    change record;
BEGIN
    -- Sessions that make or drop partitions meanwhile change the same rows of the catalog: "tuple concurrently updated".
    PERFORM FROM locks WHERE name = 'partitions' FOR UPDATE;
    IF reader IN ('receiptd_daemon', 'receiptd_watcher') THEN
        RAISE EXCEPTION 'database.readonly_role is "%", which has other rights: choose another name', reader;
    END IF;
    FOREACH one IN ARRAY ARRAY[reader, 'receiptd_daemon', 'receiptd_watcher'] LOOP
        CONTINUE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = one);
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', one);
        EXCEPTION
            WHEN insufficient_privilege THEN
                RAISE NOTICE 'role % does not exist and % may not create it', one, current_user;
            WHEN duplicate_object OR unique_violation THEN
                NULL;  -- another database of this server made it just now
        END;
    END LOOP;

    former := array(SELECT rolname FROM pg_roles WHERE rolname = ANY (former) AND rolname <> current_user);
    roles := array(SELECT rolname FROM pg_roles WHERE rolname <> current_user
                   AND rolname IN (reader, 'receiptd_daemon', 'receiptd_watcher'));

    -- A right is [role, relation in full, column or '', kind].
    wanted := array(
        WITH relations AS (
            SELECT format('%I.%I', home, split_part(o, ' ', 1)) AS relation, split_part(o, ' ', 2) AS writes,
                   array(SELECT split_part(s, ' ', 2) FROM unnest(secret) s
                         WHERE split_part(s, ' ', 1) = split_part(o, ' ', 1)) AS hidden
            FROM unnest(owned) o
        )
        SELECT jsonb_build_array('receiptd_daemon', relation, '', 'SELECT') FROM relations
        UNION ALL
        SELECT jsonb_build_array('receiptd_daemon', format('%I.%I', n.nspname, c.relname), '', 'SELECT')
        FROM history_partitions() JOIN pg_class c ON c.oid = part JOIN pg_namespace n ON n.oid = c.relnamespace
        UNION ALL
        SELECT jsonb_build_array('receiptd_daemon', relation, '', k.kind) FROM relations
        JOIN (VALUES ('I', 'INSERT'), ('U', 'UPDATE'), ('D', 'DELETE')) k (letter, kind) ON strpos(writes, letter) > 0
        UNION ALL
        SELECT jsonb_build_array(reader, relation, '', 'SELECT') FROM relations WHERE hidden = '{}'
        UNION ALL
        SELECT jsonb_build_array(reader, relation, a.attname, 'SELECT') FROM relations
        JOIN pg_attribute a ON a.attrelid = relation::regclass
        WHERE hidden <> '{}' AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL (hidden)
        UNION ALL
        SELECT jsonb_build_array('receiptd_watcher', format('%I.%I', home, split_part(g, ' ', 1)), split_part(g, ' ', 2), 'INSERT')
        FROM unnest(given) g);

    -- First what is too much, then what is missing: to revoke a right on a table revokes it on each column. Partitions
    -- are read and written through their tables: only the daemon reads them, so that errors name rows.
    FOREACH verb IN ARRAY ARRAY['REVOKE', 'GRANT'] LOOP
        FOR change IN
            WITH granted AS (
                SELECT jsonb_build_array(r.rolname, format('%I.%I', n.nspname, c.relname), own.col, a.privilege_type) AS had
                FROM pg_class c
                JOIN pg_namespace n ON n.oid = c.relnamespace
                CROSS JOIN LATERAL (
                    SELECT c.relacl AS acl, '' AS col
                    UNION ALL
                    SELECT attacl, attname FROM pg_attribute WHERE attrelid = c.oid AND attacl IS NOT NULL
                ) own
                CROSS JOIN LATERAL aclexplode(own.acl) a
                JOIN pg_roles r ON r.oid = a.grantee
                WHERE r.rolname = ANY (roles || former)
                  AND (n.nspname = home AND c.relname IN (SELECT split_part(o, ' ', 1) FROM unnest(owned) o)
                       OR c.oid IN (SELECT part FROM history_partitions()))
            )
            SELECT item ->> 0 AS role, item ->> 1 AS relation, item ->> 3 AS kind,
                   '(' || string_agg(quote_ident(nullif(item ->> 2, '')), ', ') || ')' AS columns
            FROM unnest(wanted) AS w (asked) FULL JOIN granted ON asked = had
            CROSS JOIN LATERAL (SELECT coalesce(asked, had)) AS every (item)
            WHERE item ->> 0 = ANY (roles || former) AND CASE verb WHEN 'GRANT' THEN had IS NULL ELSE asked IS NULL END
            GROUP BY 1, 2, 3, item ->> 2 = ''
        LOOP
            EXECUTE format('%s %s %s ON %s %s %I', verb, change.kind, change.columns, change.relation,
                           CASE verb WHEN 'GRANT' THEN 'TO' ELSE 'FROM' END, change.role);
        END LOOP;
    END LOOP;
    FOREACH one IN ARRAY former LOOP
        EXECUTE format('REVOKE USAGE ON SCHEMA %I FROM %I', home, one);
        RAISE NOTICE 'role % is not the readers'' role any more and has lost its rights', one;
    END LOOP;

    REVOKE EXECUTE ON FUNCTION make_partitions(timestamptz, timestamptz), retire_partitions(timestamptz, timestamptz), guard_day(timestamptz),
        close_day(timestamptz), tidy_partition(), reopen_unguarded_days(), forget_ids(), merge_ids() FROM PUBLIC;
    FOREACH one IN ARRAY roles LOOP
        CONTINUE WHEN has_schema_privilege(one, home, 'USAGE');
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', home, one);
    END LOOP;
    IF 'receiptd_daemon' = ANY (roles) THEN
        EXECUTE format('GRANT USAGE ON SEQUENCE %I.alert_places TO receiptd_daemon', home);
        GRANT EXECUTE ON FUNCTION make_partitions(timestamptz, timestamptz), retire_partitions(timestamptz, timestamptz),
            guard_day(timestamptz), close_day(timestamptz), tidy_partition(), reopen_unguarded_days(), forget_ids(), merge_ids() TO receiptd_daemon;
    END IF;

    -- Compiling a question over hundreds of partitions takes seconds, answering it milliseconds. In a database that
    -- other programs share, the setting is not ours.
    IF NOT EXISTS (SELECT FROM pg_class c
                   WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't'
                     AND c.relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema', 'receiptd_partitions')
                     AND NOT (c.relnamespace = quote_ident(home)::regnamespace
                              AND c.relname IN (SELECT split_part(o, ' ', 1) FROM unnest(owned) o)))
       AND NOT EXISTS (SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
                       WHERE d.datname = current_database() AND s.setrole = 0 AND 'jit=off' = ANY (s.setconfig)) THEN
        BEGIN
            EXECUTE format('ALTER DATABASE %I SET jit = off', current_database());
        EXCEPTION
            WHEN insufficient_privilege THEN NULL;  -- the owner of the tables does not own the database
        END;
    END IF;
END
$$;
