-- Delegate actions that were refused because their nonce was used before, and by what. Most are repetitions: a
-- relayer sends again what was executed already. Rows say delegate_nonce_used of all of them, as what is the
-- earlier action depends on what is stored by then; it is looked up when somebody asks, or is to be told.
DROP VIEW IF EXISTS delegate_refusals;
DROP FUNCTION IF EXISTS delegate_nonce_used_by(text, text, timestamptz);
DROP FUNCTION IF EXISTS signed_delegate(json);

CREATE FUNCTION signed_delegate(actions json, OUT public_key text, OUT nonce text, OUT signature text)
LANGUAGE sql IMMUTABLE AS $$
    SELECT body ->> 'public_key', body ->> 'nonce', delegate ->> 'signature'
    FROM json_array_elements(actions) AS action
    CROSS JOIN LATERAL (SELECT coalesce(action -> 'Delegate', action -> 'DelegateV2') AS delegate) AS whole
    CROSS JOIN LATERAL (SELECT coalesce(delegate #> '{delegate_action,V2}', delegate -> 'delegate_action') AS body) AS part
    WHERE delegate IS NOT NULL
    LIMIT 1
$$;

-- A node checks the signature before the nonce: of the same key and signature it is the same action. Only one that
-- succeeded used its nonce. Bounded: the newest 1,000 receipts of the account in the seven days before. Actions may
-- be no text for PostgreSQL (a NUL), or too deep for it: then nothing is found, and people are told.
CREATE FUNCTION delegate_nonce_used_by(refused_id text, refused_tree text, refused_at timestamptz,
                                       OUT receipt_id text, OUT tx_hash text, OUT same boolean)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off AS $$
DECLARE
    account text;
    refused record;
BEGIN
    SELECT r.receiver_id, d.public_key, d.nonce, d.signature INTO refused
    FROM receipts r CROSS JOIN LATERAL signed_delegate(r.actions) d
    WHERE r.tree_id = refused_tree AND r.receipt_id = refused_id AND r.block_time = refused_at;
    account := refused.receiver_id;
    WITH recent AS MATERIALIZED (
        SELECT r.receipt_id, r.tx_hash, r.role, r.status, r.actions FROM receipts r
        WHERE r.receiver_id = account AND r.block_time BETWEEN refused_at - interval '7 days' AND refused_at
        ORDER BY r.block_time DESC
        LIMIT 1000
    ), executed AS MATERIALIZED (
        SELECT * FROM recent
        WHERE role = 'initial' AND status IN ('success_value', 'success_receipt_id') AND actions::text LIKE '%"Delegate%'
    )
    SELECT e.receipt_id, e.tx_hash, d.signature = refused.signature
    INTO delegate_nonce_used_by.receipt_id, delegate_nonce_used_by.tx_hash, delegate_nonce_used_by.same
    FROM executed e CROSS JOIN LATERAL signed_delegate(e.actions) d
    WHERE d.public_key = refused.public_key AND (d.signature = refused.signature OR d.nonce = refused.nonce)
    ORDER BY d.signature = refused.signature DESC
    LIMIT 1;
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN;
END
$$;

CREATE VIEW delegate_refusals AS
SELECT f.finding_id, f.tx_hash, f.receipt_id, f.contract_id AS user_id, f.signer_id AS relayer_id,
       CASE WHEN u.same THEN 'delegate_duplicate' ELSE 'delegate_nonce_used' END AS error_class,
       u.tx_hash AS used_by_tx_hash, f.error_text, f.block_height, f.block_time
FROM findings f
CROSS JOIN LATERAL delegate_nonce_used_by(f.receipt_id, f.tree_id, f.block_time) AS u
WHERE f.kind = 'failed_receipt' AND f.error_class = 'delegate_nonce_used';
