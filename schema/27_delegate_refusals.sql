-- Delegate actions that were refused because their nonce was used before, and by what. Most are repetitions: a
-- relayer sends again what was executed already. Rows say delegate_nonce_used of all of them, as what is the
-- earlier action depends on what is stored by then; it is looked up when somebody asks, or is to be told.

-- The nonce is a number in a Delegate action, {"Nonce":{"nonce":n}} or {"GasKeyNonce":{"nonce":n,"nonce_index":i}} in a
-- DelegateV2. Each place of a gas key has nonces of its own, so its name is part of the key: "ed25519:…#2".
-- Actions may be no text for PostgreSQL (a NUL), or too deep for it: then nothing is known of them, and people are
-- told.
CREATE OR REPLACE FUNCTION signed_delegate(actions json, OUT public_key text, OUT nonce text, OUT signature text)
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    parsed jsonb;
    delegate jsonb;
    body jsonb;
    gas_key jsonb;
BEGIN
    parsed := actions;
    delegate := coalesce(jsonb_path_query_first(parsed, '$[*].Delegate'),
                         jsonb_path_query_first(parsed, '$[*].DelegateV2'));
    body := coalesce(delegate #> '{delegate_action,V2}', delegate -> 'delegate_action');
    gas_key := body #> '{nonce,GasKeyNonce}';
    public_key := (body ->> 'public_key') || coalesce('#' || (gas_key ->> 'nonce_index'), '');
    nonce := coalesce(body #>> '{nonce,Nonce,nonce}', gas_key ->> 'nonce', body ->> 'nonce');
    signature := delegate ->> 'signature';
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    public_key := NULL;
END
$$;

-- The nonces that a key uses grow: from the newest receipt of the account back, the search ends where all refused nonces
-- of the key were found, or where a smaller one was used. Only an action that succeeded used its nonce, and none does
-- after a refusal, so refusals of a key within ten minutes take one search. Bounded: the newest 1,000 receipts of an
-- account in the seven days before the earliest refusal of the search, however many came between its refusals. Reading an
-- action takes a hundred times as long as passing it, so those are read that name a refused nonce, and, for the end of the
-- search, the 8th, 16th, 32nd, ...
-- The oldest and the newest time are named for the plan: it leaves out partitions by them, but not by the time of each
-- refusal.
CREATE OR REPLACE FUNCTION delegate_nonces_used_by(refused_ids text[], refused_trees text[], refused_times timestamptz[])
RETURNS TABLE (refused_id text, receipt_id text, tx_hash text, same boolean)
LANGUAGE plpgsql STABLE SET plan_cache_mode = force_custom_plan SET jit = off SET enable_seqscan = off
SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
    refused record;
    earlier record;
    used record;
    passed_at timestamptz;
    earliest timestamptz;
    looked_at integer;
    to_find integer;
    digits constant text := '^[0-9]{1,20}$';
    oldest constant timestamptz := (SELECT min(at) FROM unnest(refused_times) AS at);
    newest constant timestamptz := (SELECT max(at) FROM unnest(refused_times) AS at);
BEGIN
    FOR refused IN
        SELECT r.receiver_id AS account, d.public_key, min(asked.at) AS since, max(asked.at) AS until,
               array_agg(asked.id) AS ids, array_agg(d.nonce) AS nonces, array_agg(d.signature) AS signatures,
               array_agg('%' || d.nonce || '%') AS named, count(DISTINCT d.nonce) AS count,
               min(d.nonce::numeric) FILTER (WHERE d.nonce ~ digits) AS smallest
        FROM unnest(refused_ids, refused_trees, refused_times) AS asked (id, tree, at)
        CROSS JOIN LATERAL (
            SELECT * FROM receipts r
            WHERE r.tree_id = asked.tree AND r.receipt_id = asked.id AND r.block_time = asked.at
              AND r.block_time BETWEEN oldest AND newest
            LIMIT 1
        ) AS r
        CROSS JOIN LATERAL signed_delegate(r.actions) AS d
        WHERE d.public_key IS NOT NULL AND d.nonce IS NOT NULL
        GROUP BY 1, 2, floor(extract(epoch FROM asked.at) / 600)
    LOOP
        passed_at := NULL;
        earliest := refused.since - interval '7 days';
        looked_at := 0;
        to_find := refused.count;
        FOR earlier IN
            SELECT * FROM (
                SELECT r.receipt_id, r.tx_hash, r.block_time, r.actions, r.role, r.status
                FROM receipts r
                WHERE r.receiver_id = refused.account
                  AND r.block_time BETWEEN earliest AND refused.until
                ORDER BY r.block_time DESC
                LIMIT 1000 + (SELECT count(*) FROM receipts b WHERE b.receiver_id = refused.account
                              AND b.block_time BETWEEN refused.since AND refused.until)
            ) AS newest
            WHERE role = 'initial' AND status IN ('success_value', 'success_receipt_id')
        LOOP
            EXIT WHEN earlier.block_time < passed_at;
            looked_at := looked_at + 1;
            CONTINUE WHEN (looked_at < 8 OR looked_at & (looked_at - 1) <> 0)
                AND NOT earlier.actions::text LIKE ANY (refused.named);
            used := signed_delegate(earlier.actions);
            CONTINUE WHEN used.public_key IS DISTINCT FROM refused.public_key;
            IF used.nonce = ANY (refused.nonces) THEN
                RETURN QUERY SELECT r.id, earlier.receipt_id, earlier.tx_hash, used.signature = r.signature
                             FROM unnest(refused.ids, refused.nonces, refused.signatures) AS r (id, nonce, signature)
                             WHERE r.nonce = used.nonce;
                to_find := to_find - 1;
                EXIT WHEN to_find = 0;
            ELSIF used.nonce ~ digits AND used.nonce::numeric < refused.smallest THEN
                passed_at := earlier.block_time;
            END IF;
        END LOOP;
    END LOOP;
END
$$;

CREATE OR REPLACE VIEW delegate_refusals AS
SELECT f.finding_id, f.tx_hash, f.receipt_id, f.contract_id AS user_id, f.signer_id AS relayer_id,
       CASE WHEN u.same THEN 'delegate_duplicate' ELSE 'delegate_nonce_used' END AS error_class,
       u.tx_hash AS used_by_tx_hash, f.error_text, f.block_height, f.block_time
FROM findings f
LEFT JOIN LATERAL delegate_nonces_used_by(ARRAY[f.receipt_id], ARRAY[f.tree_id], ARRAY[f.block_time]) AS u ON true
WHERE f.kind = 'failed_receipt' AND f.error_class = 'delegate_nonce_used';
