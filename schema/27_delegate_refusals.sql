-- Delegate actions that were refused because their nonce was used before, and by what. Most are repetitions: a
-- relayer sends again what was executed already. Rows say delegate_nonce_used of all of them, as what is the
-- earlier action depends on what is stored by then; it is looked up when somebody asks, or is to be told.

-- Actions may be no text for PostgreSQL (a NUL), or too deep for it: then nothing is known of them, and people are
-- told.
CREATE OR REPLACE FUNCTION signed_delegate(actions json, OUT public_key text, OUT nonce text, OUT signature text)
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    delegate json;
    body json;
BEGIN
    FOR place IN 0 .. json_array_length(actions) - 1 LOOP
        delegate := coalesce(actions -> place -> 'Delegate', actions -> place -> 'DelegateV2');
        EXIT WHEN delegate IS NOT NULL;
    END LOOP;
    body := coalesce(delegate #> '{delegate_action,V2}', delegate -> 'delegate_action');
    public_key := body ->> 'public_key';
    nonce := body ->> 'nonce';
    signature := delegate ->> 'signature';
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    public_key := NULL;
END
$$;

-- A node checks the signature before the nonce: of the same key and signature it is the same action. Only one that
-- succeeded used its nonce. Bounded: the newest 1,000 receipts of an account in seven days. All refusals of a block are
-- asked for at once, as relayers repeat many actions of few accounts; an action is read only if it names a nonce or a
-- signature that was refused, and once, however often it stands there.
CREATE OR REPLACE FUNCTION delegate_nonces_used_by(refused_ids text[], refused_trees text[], refused_times timestamptz[])
RETURNS TABLE (refused_id text, receipt_id text, tx_hash text, same boolean)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH refused AS MATERIALIZED (
        SELECT asked.id, r.receiver_id AS account, asked.at, d.public_key, d.nonce, d.signature
        FROM unnest(refused_ids, refused_trees, refused_times) AS asked (id, tree, at)
        CROSS JOIN LATERAL (
            SELECT * FROM receipts r
            WHERE r.tree_id = asked.tree AND r.receipt_id = asked.id AND r.block_time = asked.at
            LIMIT 1
        ) AS r
        CROSS JOIN LATERAL signed_delegate(r.actions) AS d
    ), accounts AS (
        SELECT account, min(at) AS first, max(at) AS last,
               array_agg(DISTINCT nonce) || array_agg(DISTINCT signature) AS marks
        FROM refused GROUP BY account
    ), used AS MATERIALIZED (
        SELECT DISTINCT ON (a.account, recent.actions::text COLLATE "C") a.account, recent.*
        FROM accounts a
        CROSS JOIN LATERAL (
            SELECT r.receipt_id, r.tx_hash, r.block_time, r.role, r.status, r.actions FROM receipts r
            WHERE r.receiver_id = a.account AND r.block_time BETWEEN a.first - interval '7 days' AND a.last
            ORDER BY r.block_time DESC
            LIMIT 1000
        ) AS recent
        WHERE recent.role = 'initial' AND recent.status IN ('success_value', 'success_receipt_id')
          AND EXISTS (SELECT FROM unnest(a.marks) AS mark WHERE strpos(recent.actions::text, mark) > 0)
        ORDER BY a.account, recent.actions::text COLLATE "C", recent.block_time
    ), executed AS MATERIALIZED (
        SELECT u.account, u.receipt_id, u.tx_hash, u.block_time, d.*
        FROM used u CROSS JOIN LATERAL signed_delegate(u.actions) AS d
    )
    SELECT DISTINCT ON (r.id) r.id, e.receipt_id, e.tx_hash, e.signature = r.signature
    FROM refused r JOIN executed e USING (account, public_key)
    WHERE (e.signature = r.signature OR e.nonce = r.nonce) AND e.block_time <= r.at
    ORDER BY r.id, e.signature = r.signature DESC;
END
$$;

CREATE OR REPLACE VIEW delegate_refusals AS
SELECT f.finding_id, f.tx_hash, f.receipt_id, f.contract_id AS user_id, f.signer_id AS relayer_id,
       CASE WHEN u.same THEN 'delegate_duplicate' ELSE 'delegate_nonce_used' END AS error_class,
       u.tx_hash AS used_by_tx_hash, f.error_text, f.block_height, f.block_time
FROM findings f
LEFT JOIN LATERAL delegate_nonces_used_by(ARRAY[f.receipt_id], ARRAY[f.tree_id], ARRAY[f.block_time]) AS u ON true
WHERE f.kind = 'failed_receipt' AND f.error_class = 'delegate_nonce_used';
