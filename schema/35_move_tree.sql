-- Gives the rows of one tree the name of another, into which it was adopted: those within a day before and
-- seven days after `since`; a tree lives at most days. One tree at a time and by index, whatever the
-- planner thinks of tables that have no statistics yet: it would read them all to find a few rows.
CREATE OR REPLACE FUNCTION move_tree(old_tree text, new_tree text, new_tx_hash text, since timestamptz) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off AS $$
DECLARE
    from_times timestamptz[];
    to_times timestamptz[];
    day record;
    part record;
    moved text[] := '{}';
    heights bigint[] := '{}';
    times timestamptz[] := '{}';
BEGIN
    -- The same days all along: rows that move are added to days that have them.
    SELECT array_agg(d.from_time), array_agg(d.to_time) INTO from_times, to_times
    FROM days_of(ARRAY[old_tree, new_tree], since - interval '1 day', since + interval '7 days') d;
    FOR day IN SELECT * FROM unnest(from_times, to_times) AS d (earliest, latest) LOOP
        SELECT coalesce(array_agg(r.receipt_id), '{}') AS ids, coalesce(array_agg(r.block_height), '{}') AS heights,
               coalesce(array_agg(r.block_time), '{}') AS times INTO part
        FROM receipts r WHERE r.tree_id = old_tree AND r.block_time BETWEEN day.earliest AND day.latest;
        moved := moved || part.ids;
        heights := heights || part.heights;
        times := times || part.times;
    END LOOP;
    FOR day IN SELECT * FROM unnest(from_times, to_times) AS d (earliest, latest) LOOP
        -- A tree that was found early has them already, from before their block was followed. One that is told at another
        -- height stays: see keep_first_tellings().
        DELETE FROM receipts r WHERE r.tree_id = new_tree AND r.receipt_id = ANY (moved)
            AND r.block_time BETWEEN day.earliest AND day.latest
            AND (r.block_height <> heights[array_position(moved, r.receipt_id)]) IS NOT TRUE;
        DELETE FROM events e USING unnest(moved, times) AS old (id, at)
        WHERE e.tree_id = new_tree AND e.receipt_id = old.id AND e.block_time = old.at
            AND e.block_time BETWEEN day.earliest AND day.latest;
    END LOOP;
    FOR day IN SELECT * FROM unnest(from_times, to_times) AS d (earliest, latest) LOOP
        UPDATE receipts SET tree_id = new_tree, tx_hash = new_tx_hash
        WHERE tree_id = old_tree AND block_time BETWEEN day.earliest AND day.latest;
        UPDATE events SET tree_id = new_tree, tx_hash = new_tx_hash
        WHERE tree_id = old_tree AND block_time = ANY (times) AND block_time BETWEEN day.earliest AND day.latest;
        UPDATE data_receipts SET tree_id = new_tree, tx_hash = new_tx_hash
        WHERE tree_id = old_tree AND block_time BETWEEN day.earliest AND day.latest;
    END LOOP;
    -- Orphans that were adopted into the tree move, and the one that names it while it has no parent. Any other orphan
    -- without a parent is in a transaction's tree, which never moves.
    UPDATE orphan_receipts SET adopted_into = new_tree, adopted_tx_hash = new_tx_hash
    WHERE adopted_into = old_tree;
    UPDATE orphan_receipts SET adopted_into = new_tree, adopted_tx_hash = new_tx_hash
    WHERE id = old_tree AND kind = 'receipt' AND tree_id IS NULL AND adopted_into IS NULL;
END
$$;
